"""Rules: gold files that hold nothing to compare with, or that a published rule cannot judge by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchwright.gold import Check
from benchwright.proving.findings import Severity
from benchwright.proving.gold_content import TableFacts, chart_arrays, leaves, read_document, table_facts
from benchwright.proving.gold_outputs import checks_with_golds
from benchwright.proving.lint.base import Case, Hit, SuiteRule, cases, quoted
from benchwright.suite import Suite

_PUBLISHED_CAP = 10_000
_LISTED = 5

Look = Callable[[Case, Check, Path], Iterator[str]]


def _each_gold(look: Look) -> Callable[[Suite], Iterator[Hit]]:
    """A suite rule that looks at every check with every gold file that is there; says each thing once a task."""

    def find(suite: Suite) -> Iterator[Hit]:
        for case in cases(suite):
            said: set[str] = set()
            for check, name in checks_with_golds(case.task, case.gold):
                path = suite.gold_files(case.task.id) / name
                for evidence in look(case, check, path) if path.is_file() else ():
                    if evidence not in said:
                        said.add(evidence)
                        yield Hit(case.task.id, f"{name}: {evidence}")

    return find


def missing(suite: Suite) -> Iterator[Hit]:
    """Gold files that the gold names and that are not there."""
    for case in cases(suite):
        lost = [name for name in case.gold.files if not (suite.gold_files(case.task.id) / name).is_file()]
        for name in lost:
            yield Hit(case.task.id, f"the gold file {name!r} is not in gold/files/{case.task.id}/")


def _empty(_: Case, check: Check, path: Path) -> Iterator[str]:
    """A file without content, a table without cells, a document without values."""
    table, document = _facts(check, path), read_document(path)
    if path.stat().st_size == 0:
        yield "the file is empty"
    elif table is not None and not table.filled and not table.lacking:
        yield f"the table holds nothing to compare with: {table.rows} rows, and no value in the scored columns"
    elif document is not None and not [*leaves(document[0])]:
        yield f"the document holds nothing: {quoted(path.read_text(errors='replace'), 40)}"


def _lacks_column(_: Case, check: Check, path: Path) -> Iterator[str]:
    """A table without a column that is to be compared."""
    table = _facts(check, path)
    if table is not None and table.lacking:
        yield f"the table has no column {_names([*table.lacking])}"


def _constant(_: Case, check: Check, path: Path) -> Iterator[str]:
    """A table, a document or a chart whose values are all one and the same."""
    table = _facts(check, path)
    if table is not None and table.rows > 1 and table.constant and table.filled:
        yield f"every scored column holds one value in all {table.rows} rows"
    elif check.scorer == "document" and (document := read_document(path)) is not None:
        values = [*leaves(document[0])]
        if len(values) > 2 and len({repr(value) for value in values}) == 1:
            yield f"all {len(values)} values are {quoted(repr(values[0]), 40)}"
    elif check.scorer == "chart":
        yield from _constant_chart(chart_arrays(path))


def _constant_chart(plots: dict[str, Any]) -> Iterator[str]:
    flat = [name for name, array in plots.items() if array.size > 2 and (array == array.flat[0]).all()]
    if plots and len(flat) == len(plots):
        yield f"all values of the chart are one and the same in {_names(flat)}"


def _rows_beyond_cap(_: Case, check: Check, path: Path) -> Iterator[str]:
    """More rows than the published rule reads."""
    table = _facts(check, path) if "published" in check.options and check.scorer == "table" else None
    if table is not None and table.rows > _PUBLISHED_CAP:
        yield f"{table.rows} rows, of which the published rule reads the first {_PUBLISHED_CAP}"


def _text_among_numbers(_: Case, check: Check, path: Path) -> Iterator[str]:
    """Scored columns that are mostly numbers, but not all: one text cell makes some readers take all as text."""
    table = _facts(check, path) if check.scorer == "table" else None
    if table is not None and table.stray_texts:
        name, text = next(iter(table.stray_texts.items()))
        listed = _names([*table.stray_texts])
        yield f"text among numbers in scored columns ({len(table.stray_texts)}): {listed}; {quoted(text, 40)} in {name}"


def _nan_in_chart(_: Case, check: Check, path: Path) -> Iterator[str]:
    """Charts with missing values in their data: the published rule then takes any data for equal."""
    plots = chart_arrays(path) if check.scorer == "chart" else {}
    found = [name for name, array in plots.items() if (array != array).any()]  # noqa: PLR0124 - NaN differs from itself
    if found:
        yield f"missing values in the data of {len(found)} of {len(plots)} sub-plots: {_names(found)}"


def _facts(check: Check, path: Path) -> TableFacts | None:
    return table_facts(path, check.options.get("columns" if check.scorer == "table" else "value_columns"))


def _names(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(quoted(name, 40) for name in names[:_LISTED]) + more


RULES = (
    SuiteRule("gold-missing", Severity.ERROR, "add the file: its checks are unscored until it is there", missing),
    SuiteRule("gold-empty", Severity.ERROR, "a gold of nothing accepts nothing, or everything", _each_gold(_empty)),
    SuiteRule("gold-lacks-column", Severity.ERROR, "name the gold's columns as they are", _each_gold(_lacks_column)),
    SuiteRule(
        "gold-constant", Severity.WARNING, "one value, repeated, can be guessed: ask for more", _each_gold(_constant)
    ),
    SuiteRule(
        "rows-beyond-cap",
        Severity.WARNING,
        "the published verdict says nothing about the other rows",
        _each_gold(_rows_beyond_cap),
        modes=("reference",),
    ),
    SuiteRule(
        "text-among-numbers",
        Severity.NOTE,
        "the published verdict compares such columns as text, without tolerance",
        _each_gold(_text_among_numbers),
        modes=("reference",),
    ),
    SuiteRule(
        "chart-holds-nan",
        Severity.WARNING,
        "the published verdict takes whatever is drawn for right",
        _each_gold(_nan_in_chart),
        modes=("reference",),
    ),
)
