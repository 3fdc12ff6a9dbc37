"""Whatever a record's call says, it is read or refused with one error; nothing is evaluated."""

import ast
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import SuiteError
from benchwright.suites.agentic_data_bench.calls import FUNCTIONS, parse_call
from benchwright.suites.agentic_data_bench.checks import check_of
from benchwright.suites.agentic_data_bench.literals import NotLiteral, read_call

NUMBERS = st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LITERALS = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS | st.integers(-9, 9), inner, max_size=4),
    max_leaves=10,
)
NAMES = st.sampled_from(
    ["output_file_name", "gold_file_name", *{name for forms in FUNCTIONS.values() for name in forms}]
)
CALLS = st.builds(
    lambda function, positional, named: (
        f"{function}({', '.join([*map(repr, positional), *(f'{name}={value!r}' for name, value in named.items())])})"
    ),
    st.sampled_from([*FUNCTIONS, "eval", "print"]),
    st.lists(LITERALS, max_size=3),
    st.dictionaries(NAMES, LITERALS, max_size=4),
)
PIECES = st.sampled_from(
    [
        *"()[]{}'\",:=-+*.\n\\ #",
        "compare_csv",
        "'o'",
        "1",
        "None",
        "lambda:",
        "__import__('os')",
        "{**a}",
        "f'{x}'",
        "\0",
        "é",
    ]
)


@pytest.fixture
def audited():
    """Every name of an audit event that tells of code that is compiled to run, executed, or imported."""
    seen = []
    active = [True]
    sys.addaudithook(
        lambda event, _: seen.append(event) if active[0] and event in {"exec", "import", "os.system"} else None
    )
    yield seen
    active[0] = False


@given(CALLS | st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=200))
def test_a_text_is_read_or_refused(text):
    try:
        call = parse_call(text, "here")
    except SuiteError:
        return
    check = check_of(call, lambda _: ("a", "b"))
    assert type(check).from_json(check.to_json(), "here") == check


@given(st.sampled_from([*FUNCTIONS]), st.lists(LITERALS, max_size=3), st.dictionaries(NAMES, LITERALS, max_size=4))
def test_a_call_of_literals_is_read_as_python_reads_it(function, positional, named):
    arguments = [*map(repr, positional), *(f"{name}={value!r}" for name, value in named.items())]
    read = read_call(f"{function}({', '.join(arguments)})")
    assert read == (function, tuple(positional), named)


def test_nothing_is_run_while_a_call_is_read(audited):
    with pytest.raises(NotLiteral):
        read_call("compare_csv(__import__('os').system('true'), [x for x in ()])")
    assert audited == []
    exec(compile(ast.parse("1"), "here", "exec"))
    assert "exec" in audited
