"""The published scorers' calls: which function, on which files, with which options, each of the form it must have."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from benchwright.errors import SuiteError
from benchwright.suites.agentic_data_bench.literals import NotLiteral, read_call

_FILES: Final = ("output_file_name", "gold_file_name")
_ONE_EACH: Final = frozenset({"specified_columns", "ignore_order"})
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class PublishedCall:
    """One scorer call of a record.

    `output` and `golds` are names of files; `golds` is empty where the call passes none, and several golds are
    alternatives. `options` holds the other arguments as they are written, those that are left out left out.
    """

    function: str
    output: str
    golds: tuple[str, ...]
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Form:
    """What an option has to look like."""

    fits: Callable[[Any], bool]
    expected: str


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _places(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, int) and not isinstance(item, bool) for item in value)


def _columns(value: Any) -> bool:
    return value is None or _texts(value) or _places(value)


def _range(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_number, value))


def _tree(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _tree(item) for key, item in value.items())
    return value is None or _number(value) or _range(value)


def _tolerances(value: Any) -> bool:
    return isinstance(value, dict) and all(item is None or _number(item) for item in value.values())


def _schema(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(name, str) and (columns is None or _texts(columns)) for name, columns in value.items()
    )


def one_each(value: Any) -> bool:
    """Whether an option is a list with one value for each of several golds: of lists or truth values, not of names."""
    return isinstance(value, list) and bool(value) and not isinstance(value[0], str)


def _each(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """One value, or a list with one for each of several golds."""
    return lambda value: fits(value) or (isinstance(value, list) and bool(value) and all(map(fits, value)))


_ASPECTS: Final = (
    "type", "graph_title", "x_label", "y_label", "legend_title", "labels", "xtick_labels", "ytick_labels", "color",
    "figsize",
)  # fmt: skip
_FLAG = _Form(_each(lambda value: isinstance(value, bool)), "True or False")
_TREE = _Form(
    lambda value: value is None or (isinstance(value, dict) and _tree(value)), "a dict of None, numbers, [a, b]"
)
_COLUMNS = _Form(_columns, "a list of column names or of positions, or None")
_BOUND = _Form(_number, "a number")

FUNCTIONS: Final[Mapping[str, Mapping[str, _Form]]] = {
    "compare_csv": {
        "specified_columns": _Form(_each(_texts), "a list of column names"),
        "ignore_order": _FLAG,
        "thresholds": _Form(_tolerances, "a dict of columns with None or a number each"),
    },
    "compare_json": {
        "thresholds": _TREE,
        "matched_keys": _Form(lambda value: value is None or _texts(value), "a list of keys"),
    },
    "compare_json_normalized": {"thresholds": _TREE},
    "compare_model": {
        "matched_columns": _COLUMNS,
        "calculate_columns": _COLUMNS,
        "metric": _Form(lambda value: isinstance(value, str), "the name of a metric"),
        "lower_bound": _BOUND,
        "upper_bound": _BOUND,
    },
    "compare_image": {
        "calculate_columns": _Form(
            lambda value: _texts(value) and set(value) <= set(_ASPECTS), f"some of {', '.join(_ASPECTS)}"
        )
    },
    "compare_text": {},
    "compare_sqlite": {
        "specified_schema": _Form(_schema, "a dict of tables with a list of columns or None each"),
        "ignore_order": _FLAG,
    },
}
"""The options of each published function, in the order in which they may also be given without their names."""


def parse_call(text: str, where: str) -> PublishedCall:
    """The call that a text states; a SuiteError names `where` (file and task), the text, and what is wrong with it."""
    try:
        written = read_call(text)
    except NotLiteral as error:
        raise _wrong(where, "the call cannot be read", text, f"{error}; expected literals only") from error
    forms = FUNCTIONS.get(written.function)
    if forms is None:
        raise _wrong(where, f"no function {written.function!r}", text, f"one of {', '.join(FUNCTIONS)}")
    arguments = _by_name(written.positional, written.named, (*_FILES, *forms), where, text)
    output, golds = arguments.pop("output_file_name", None), arguments.pop("gold_file_name", None)
    listed = golds if isinstance(golds, list) else [] if golds is None else [golds]
    if not _texts([output]) or not _texts(listed):
        raise _wrong(where, "the files of the call are not named", text, "output_file_name and gold_file_name as text")
    if not listed and written.function != "compare_json_normalized":
        raise _wrong(where, f"{written.function} names no gold", text, "gold_file_name")
    for name, value in arguments.items():
        if not forms[name].fits(value):
            raise _wrong(where, f"option {name} of {written.function} is wrong", text, forms[name].expected)
        if one_each(value) and len(value) != len(listed) and name in _ONE_EACH:
            raise _wrong(where, f"option {name} has {len(value)} values", text, f"one for each of {len(listed)} golds")
    names = tuple(posixpath.basename(gold) for gold in listed)
    return PublishedCall(written.function, posixpath.basename(output), names, arguments)


def parse_post_process(text: str, where: str) -> str:
    """The chart that a post-processing call is for."""
    try:
        written = read_call(text)
    except NotLiteral as error:
        raise _wrong(where, "the post-processing cannot be read", text, f"{error}; expected literals only") from error
    named = _by_name(written.positional, written.named, _FILES[:1], where, text).get("output_file_name")
    if written.function != "image_post_process" or not isinstance(named, str):
        raise _wrong(where, f"no post-processing {written.function!r}", text, "image_post_process('<chart>.png')")
    return posixpath.basename(named)


def _by_name(
    positional: tuple[Any, ...], named: Mapping[str, Any], known: tuple[str, ...], where: str, text: str
) -> dict[str, Any]:
    """Both styles of arguments by name, each once."""
    if len(positional) > len(known):
        raise _wrong(where, f"{len(positional)} arguments without a name", text, f"at most {', '.join(known)}")
    found = dict(zip(known, positional, strict=False))
    for name, value in named.items():
        if name not in known:
            raise _wrong(where, f"no option {name!r}", text, f"some of {', '.join(known)}")
        if name in found:
            raise _wrong(where, f"{name} is given twice", text, "every argument once")
        found[name] = value
    return found


def _wrong(where: str, what: str, text: str, expected: str) -> SuiteError:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return SuiteError(f"{where}: {what}", found=shown, expected=expected)
