"""The published comparison of CSV files: column by column, by values alone, names of the output's columns unread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.score import Evidence
from benchwright.scorers.reference.agentic_data_bench.calls import SHOWN, Call, Release, Verdict, finding
from benchwright.scorers.reference.agentic_data_bench.cells import Column, Tolerance, columns_of, shown

if TYPE_CHECKING:
    import pandas as pd

_CAP = 10_000
"""Rows of a gold that are read, and rows of an ordered output that are looked at."""
_BLOCK = 1 << 20
_OPTIONS = frozenset({"specified_columns", "ignore_order", "thresholds"})


@dataclass(frozen=True, slots=True)
class TableRule:
    """How one gold is compared. `columns` is empty for all of them; `thresholds` pairs names or positions of gold
    columns with relative tolerances.
    """

    columns: Any = ()
    any_order: Any = True
    thresholds: Sequence[Sequence[Any]] = ()
    release: Release = "july"


def compare_csv(call: Call) -> Verdict:
    """The best score over the golds. `arguments["thresholds"]` is a list of pairs."""
    if not call.arguments.keys() <= _OPTIONS:
        raise AssertionError(f"unexpected options: {sorted(call.arguments.keys() - _OPTIONS)}")
    if call.output is None or not call.output.exists():
        return Verdict(0.0, "no such file")
    return _too_short(call.output, call.golds) or _compared(call.output, call.golds, _rules(call))


def compare_table(output: Path, gold: Path, rule: TableRule) -> Verdict:
    """Score one CSV file against one gold.

    Raises what pandas raises on text that is not UTF-8, FileNotFoundError for a gold that is not there, OverflowError
    for an infinity.
    """
    return _too_short(output, [gold]) or _compared(output, [gold], [rule])


def _too_short(output: Path, golds: Sequence[Path]) -> Verdict | None:
    rows, needed = lines(output), max((1, *(lines(gold) for gold in golds if gold.exists())))
    return Verdict(0.0, f"too short: {rows} line ends, the longest gold has {needed}") if rows < needed else None


def _compared(output: Path, golds: Sequence[Path], rules: Sequence[TableRule]) -> Verdict:
    cut = all(not rule.any_order for rule in rules) and lines(output) - 1 > _CAP
    frame = _read(output, _CAP if cut else None)
    if isinstance(frame, str):
        return Verdict(0.0, frame)
    found = columns_of(frame)
    verdicts = [_against(found, gold, rule) for gold, rule in zip(golds, rules, strict=True)]
    return max(verdicts, key=lambda verdict: verdict.value, default=Verdict(0.0, "no gold"))


def lines(path: Path) -> int:
    """How many line ends a file has: what the published rule counts as its rows and the header."""
    with path.open("rb") as stream:
        return sum(block.count(b"\n") for block in iter(lambda: stream.read(_BLOCK), b""))


def _rules(call: Call) -> list[TableRule]:
    """One rule a gold. Options that are lists of lists, or of truth values, say that the golds were a list, too; then
    an option that is no such list is a TypeError, one that is too short an IndexError, and a name where a list of
    names should be a KeyError, as published.
    """
    count, default = len(call.golds), call.release == "july"
    columns, order = call.arguments.get("specified_columns", []), call.arguments.get("ignore_order", default)
    listed = count > 1 or isinstance(order, list) or any(isinstance(names, list) for names in columns)
    each = columns if listed and "specified_columns" in call.arguments else [columns] * count
    orders = order if listed and "ignore_order" in call.arguments else [order] * count
    if not isinstance(orders, list):
        raise TypeError("several golds need a list of options each")
    thresholds = call.arguments.get("thresholds", ())
    return [TableRule(each[place], orders[place], thresholds, call.release) for place in range(count)]


def _read(path: Path, rows: int | None) -> pd.DataFrame | str:
    """A table as pandas reads it by default, or why it counts as none."""
    import pandas as pd

    try:
        frame = pd.read_csv(path, low_memory=False, nrows=rows)
    except (pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        return f"not a table: {error}".strip()
    return "a table without rows" if frame.empty else frame


class _Gold:
    """A gold table, read once: `names` of all its columns, and the columns of a selection."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self._selections: dict[tuple[Any, ...], list[tuple[int, str, Column]]] = {}

    def place(self, name: str) -> int | None:
        """Where a column stands, None if there is none of that name."""
        return int(self._frame.columns.get_loc(name)) if name in self._frame.columns else None

    def columns(self, wanted: Sequence[str]) -> list[tuple[int, str, Column]]:
        """Place, name and cells of each wanted column, all for none; a KeyError names one that is not there."""
        if isinstance(wanted, str):
            raise KeyError(wanted)
        key = tuple(wanted)
        if key not in self._selections:
            frame = self._frame.loc[:, list(wanted)] if wanted else self._frame
            names = [str(name) for name in frame.columns]
            places = [self.place(name) or 0 for name in wanted] if wanted else range(len(names))
            cut = [column.first(_CAP) for column in columns_of(frame)]
            self._selections[key] = list(zip(places, names, cut, strict=True))
        return self._selections[key]


def _gold(path: Path) -> _Gold | str:
    known = path.stat()
    return _read_gold(path, known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=4)
def _read_gold(path: Path, changed: int, size: int) -> _Gold | str:  # noqa: ARG001 - a changed file is read again
    frame = _read(path, _CAP)
    return frame if isinstance(frame, str) else _Gold(frame)


def _against(found: Sequence[Column], path: Path, rule: TableRule) -> Verdict:
    gold = _gold(path)
    if isinstance(gold, str):
        return Verdict(0.0, f"the gold is {gold}")
    thresholds = _by_place(gold, rule.thresholds)
    golds = gold.columns(rule.columns)
    sides = _Sides(found if rule.any_order else [column.first(_CAP) for column in found], thresholds, rule)
    missed = [item for place, name, column in golds if (item := sides.missed(place, name, column))]
    value = (len(golds) - len(missed)) / (len(golds) or 1)
    names = ", ".join(item.part for item in missed)
    return Verdict(value, f"no column has the values of {names}" if missed else "", tuple(missed[:SHOWN]))


def _by_place(gold: _Gold, thresholds: Iterable[Sequence[Any]]) -> dict[int, Any]:
    """Thresholds by the place of their column in the gold file; unknown names are passed over."""
    found: dict[int, Any] = {}
    for key, value in thresholds:
        place = key if isinstance(key, int) else gold.place(key) if isinstance(key, str) else None
        if place is not None:
            found[place] = value
    return found


class _Sides:
    """An output's columns, to be searched for gold columns."""

    def __init__(self, found: Sequence[Column], thresholds: dict[int, Any], rule: TableRule) -> None:
        self._found, self._thresholds, self._rule = found, thresholds, rule
        # The thresholds are those of gold columns, but here an output column has that of its own place: as published.
        own = [self._tolerance(place) for place in range(len(found))]
        self._own = list(zip(found, own, strict=True))
        if rule.any_order:
            for column, tolerance in self._own:
                column.distinct(tolerance)  # an infinity anywhere in the output ends it all
            self._keys: frozenset[tuple[Any, ...]] = frozenset()
        else:
            self._keys = frozenset(tuple(column.forms(tolerance)) for column, tolerance in self._own)

    def missed(self, place: int, name: str, gold: Column) -> Evidence | None:
        """What to say of a gold column that no output column has, None if one does."""
        tolerance = self._tolerance(place)
        if (self._has_any_order if self._rule.any_order else self._has_in_order)(gold, tolerance):
            return None
        lacking = gold.distinct(tolerance).difference(*(column.distinct(tolerance) for column in self._found))
        reason = f"{len(lacking)} of its values are in no column" if lacking else "no column has them all, in order"
        return finding(name, reason, expected=shown(lacking))

    def _has_in_order(self, gold: Column, tolerance: Tolerance) -> bool:
        forms = tuple(gold.forms(tolerance))
        return forms in self._keys or any(gold.pairs_with(column, tolerance) for column in self._found)

    def _has_any_order(self, gold: Column, tolerance: Tolerance) -> bool:
        """An OverflowError where a column that is looked at before the right one has a number that the gold's tolerance
        is too small for, but not where a column has exactly the gold's forms: that is looked for first.
        """
        wanted = gold.distinct(tolerance)
        if self._sorted_alike(gold, tolerance):
            return True
        try:
            return any(wanted <= column.distinct(tolerance) for column in self._found)
        except OverflowError:
            ours = gold.sorted_forms(tolerance)
            if any(own == tolerance and column.sorted_forms(own) == ours for column, own in self._own):
                return True
            raise

    def _sorted_alike(self, gold: Column, tolerance: Tolerance) -> bool:
        """Whether a column with a tolerance of its own has the same sorted forms; with the same one, and equal forms,
        the search for the set of values succeeds anyway.
        """
        others = [(column, own) for column, own in self._own if own != tolerance and len(column) == len(gold)]
        if not others:
            return False
        ours = gold.sorted_forms(tolerance)
        return any(column.sorted_forms(own) == ours for column, own in others)

    def _tolerance(self, place: int) -> Tolerance:
        return Tolerance.of(place, self._thresholds, self._rule.release)
