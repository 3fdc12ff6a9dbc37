"""Whatever a record's call says, it is read or refused with one error; nothing is evaluated."""

import ast
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import InputError, SuiteError
from benchwright.files import canonical_json
from benchwright.suites.agentic_data_bench.calls import FUNCTIONS, parse_call
from benchwright.suites.agentic_data_bench.checks import check_of
from benchwright.suites.agentic_data_bench.golds import GoldFolder
from benchwright.suites.agentic_data_bench.literals import NotLiteral, read_call
from benchwright.suites.agentic_data_bench.records import read_tasks
from benchwright.suites.agentic_data_bench.skills import read_categories
from benchwright.suites.agentic_data_bench.tasks import Instance, gold_of, labels_of, task_of

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


RECORD = {
    "id": "shop_1",
    "question": "How many?",
    "domain": "shop",
    "skills": ["a"],
    "data_sources": ["a.csv"],
    "output_file_name": ["output.csv"],
    "gold_file_name": ["result.csv"],
    "eval_func": ["compare_csv('output.csv', 'result.csv')"],
    "post_process_func": [None],
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.dictionaries(st.sampled_from([*RECORD]), JSON, max_size=3).map(lambda changed: RECORD | changed)


@given(st.lists(RECORDS | JSON, min_size=1, max_size=3))
def test_records_are_read_or_refused(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("records") / "tasks.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    try:
        instances = [Instance.of(record, GoldFolder(path.parent), "here") for record in read_tasks(path)]
    except InputError:
        return
    for instance in instances:
        for made in (task_of(instance), gold_of(instance), labels_of(instance, read_categories({}))):
            assert type(made).from_json(json.loads(canonical_json(made.to_json())), "here") == made


def test_nothing_is_run_while_a_call_is_read(audited):
    with pytest.raises(NotLiteral, match="is no literal"):
        read_call("compare_csv(__import__('os').system('true'), [x for x in ()])")
    assert audited == []
    exec(compile(ast.parse("1"), "here", "exec"))
    assert "exec" in audited
