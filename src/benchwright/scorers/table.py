"""The table scorer: 1 if every named column and row of the gold is there with the right cells, and no other row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from benchwright.errors import SuiteError
from benchwright.score import Evidence, Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.alignment import align, equal_rows
from benchwright.scorers.compare.cells import CellRule, cell_fault, decimals, is_number, sort_key
from benchwright.scorers.compare.tables import Table, UnreadableTable, read_table
from benchwright.scorers.compare.text import fold, normalise
from benchwright.trajectory import Submission

RowKey = tuple[tuple[int, float, str], ...]
_SHOWN = 20
"""Wrong cells that are shown; all are counted."""


@dataclass(frozen=True, slots=True)
class TableRule:
    """The options of a check.

    `columns`: gold columns that count (default: all). `key`: columns that identify a row. `order`: "any" (default),
    "given", or "sorted": as given, but rows with equal `sorted_by` cells may change places. `absolute`, `relative`:
    tolerances of numbers. `credit`: "all" (default) gives 1 or 0; "cells" gives the share of right cells.
    """

    columns: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    order: Literal["any", "given", "sorted"] = "any"
    sorted_by: tuple[str, ...] = ()
    absolute: Decimal = Decimal(0)
    relative: Decimal = Decimal("1e-9")
    credit: Literal["all", "cells"] = "all"

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> TableRule:
        """The rule of some options; a SuiteError names one that does not exist or has no such value."""
        unknown = sorted(set(options) - set(cls.__dataclass_fields__))
        if unknown:
            raise SuiteError(
                f"the table scorer has no option {unknown[0]!r}", expected=", ".join(cls.__dataclass_fields__)
            )
        for name, allowed in (("order", ("any", "given", "sorted")), ("credit", ("all", "cells"))):
            if options.get(name, allowed[0]) not in allowed:
                raise SuiteError(
                    f"option {name!r} of the table scorer", found=repr(options[name]), expected=str(allowed)
                )
        lists = {name: tuple(options[name]) for name in ("columns", "key", "sorted_by") if name in options}
        numbers = {name: Decimal(str(options[name])) for name in ("absolute", "relative") if name in options}
        return cls(**{**options, **lists, **numbers})


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What comparing two tables showed; `right` of `cells` are right, where surplus rows count as wrong cells."""

    right: int = 0
    cells: int = 1
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = field(default=())


class TableScorer:
    """Compares the output file of a check with its gold files; with several golds the best one counts."""

    name = "table"
    version = 1

    def score(self, submission: Submission, expected: Expected) -> Score:
        """1 only if all is right; the share of right cells is in the details, or the value if `credit` is "cells"."""
        check = expected.check
        rule = TableRule.read(check.options)
        golds = _golds(expected)
        if isinstance(golds, str):
            return Unscored(reason=golds, details={"gold": "unreadable"})
        path = submission.files.get(check.output)
        if path is None:
            return Scored(value=0.0, reason=f"no file {check.output}")
        return max(
            (_score(path, gold, rule) for gold in golds),
            key=lambda score: (score.value, score.details.get("cell_share", 0.0)),
        )


def _golds(expected: Expected) -> list[Table] | str:
    """The gold tables, or why there are none."""
    tables: list[Table] = []
    for name in expected.check.golds or expected.gold.files:
        try:
            tables.append(read_table(expected.files / Path(name).name))
        except UnreadableTable as error:
            return f"the gold table {name} cannot be used: {error}"
    return tables or "no gold table"


def _score(path: Path, gold: Table, rule: TableRule) -> Scored:
    try:
        found = read_table(path, gold.names)
    except UnreadableTable as error:
        return Scored(value=0.0, reason=f"not a readable table: {error}")
    result = _compare(gold, found, rule)
    share = result.right / result.cells
    return Scored(
        value=share if rule.credit == "cells" else float(share == 1.0),
        reason=result.reason or "right",
        evidence=result.evidence,
        details={
            "cell_share": share,
            "rows": len(found.rows),
            "gold_rows": len(gold.rows),
            "notes": [*found.notes, *result.notes],
        },
    )


def _compare(gold: Table, found: Table, rule: TableRule) -> _Comparison:
    columns = _columns(gold, rule)
    places = [_find(gold.names[column], found.names) for column in columns]
    cells = max(1, len(columns) * max(len(gold.rows), len(found.rows)))
    missing = [gold.names[column] for column, place in zip(columns, places, strict=True) if place is None]
    if len(missing) == len(columns):
        return _Comparison(0, cells, f"no column {', '.join(missing)}; found {', '.join(found.names)[:200]}")
    kept = [(column, place) for column, place in zip(columns, places, strict=True) if place is not None]
    sides = _Sides(gold, found, kept, rule)
    wrong = [fault for pair in sides.pairs() for fault in sides.faults(*pair)]
    paired = min(len(gold.rows), len(found.rows))
    right = paired * len(kept) - len(wrong)
    surplus = len(found.names) - len(kept)
    return _Comparison(
        right=right,
        cells=cells,
        reason=_reason(missing, len(gold.rows), len(found.rows), wrong),
        evidence=tuple(wrong[:_SHOWN]),
        notes=(f"{surplus} more columns, not compared",) if surplus > 0 else (),
    )


def _reason(missing: Sequence[str], gold_rows: int, found_rows: int, wrong: Sequence[Evidence]) -> str:
    parts = [f"no column {', '.join(missing)}"] if missing else []
    if gold_rows != found_rows:
        parts.append(f"{gold_rows} rows expected, {found_rows} found")
    if wrong:
        parts.append(f"{len(wrong)} wrong cells, the first at {wrong[0].part}: {wrong[0].reason}")
    return "; ".join(parts)


def _columns(gold: Table, rule: TableRule) -> list[int]:
    wanted = rule.columns or gold.names
    places = [_find(name, gold.names) for name in wanted]
    lost = [name for name, place in zip(wanted, places, strict=True) if place is None]
    if lost:
        raise SuiteError(
            "the check names a column that the gold does not have", found=lost[0], expected=str(gold.names)
        )
    return [place for place in places if place is not None]


def _find(name: str, names: Sequence[str]) -> int | None:
    """The column of that name: spelled the same, else the one that differs in case, spaces and punctuation only."""
    if name in names:
        return names.index(name)
    folded = [place for place, other in enumerate(names) if _bare(other) == _bare(name)]
    return folded[0] if len(folded) == 1 else None


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", fold(normalise(name))) or name.strip()


class _Sides:
    """Gold and found table over the columns that both have, and how their rows pair up."""

    def __init__(self, gold: Table, found: Table, columns: Sequence[tuple[int, int]], rule: TableRule) -> None:
        self.names = [gold.names[column] for column, _ in columns]
        self.gold = [tuple(row[column] for column, _ in columns) for row in gold.rows]
        self.found = [tuple(row[place] for _, place in columns) for row in found.rows]
        self.rule = rule
        self.rules = [
            CellRule(max((decimals(row[place]) for row in self.gold), default=0), rule.absolute, rule.relative)
            for place in range(len(columns))
        ]
        self.cache: dict[tuple[int, str, str], str] = {}

    def fault(self, place: int, gold: str, found: str) -> str:
        """Why a cell of one column is wrong; empty if it is right."""
        if gold == found:
            return ""
        key = (place, gold, found)
        if key not in self.cache:
            self.cache[key] = cell_fault(gold, found, self.rules[place])
        return self.cache[key]

    def right_cells(self, left: int, right: int) -> int:
        """How many cells of two rows agree."""
        cells = zip(self.gold[left], self.found[right], strict=True)
        return sum(not self.fault(place, *pair) for place, pair in enumerate(cells))

    def faults(self, left: int, right: int) -> list[Evidence]:
        """The wrong cells of two rows."""
        return [
            Evidence(
                part=f"row {left + 1}, {self.names[place]}",
                verdict="wrong",
                expected=gold[:200],
                found=found[:200],
                reason=reason,
            )
            for place, (gold, found) in enumerate(zip(self.gold[left], self.found[right], strict=True))
            if (reason := self.fault(place, gold, found))
        ]

    def pairs(self) -> list[tuple[int, int]]:
        """Which found row stands for which gold row."""
        if self.rule.order == "given":
            return [(row, row) for row in range(min(len(self.gold), len(self.found)))]
        if self.rule.order == "sorted":
            return self._within_ties()
        return self._free()

    def _free(self) -> list[tuple[int, int]]:
        pairs, golds, founds = equal_rows(self.gold, self.found)
        keys = self._keys([self.gold[row] for row in golds]), self._keys([self.found[row] for row in founds])
        rest = align(*keys, lambda left, right: self.right_cells(golds[left], founds[right]))
        return pairs + [(golds[left], founds[right]) for left, right in rest]

    def _keys(self, rows: Sequence[tuple[str, ...]]) -> list[tuple[RowKey, RowKey]]:
        """All cells, then the key columns or, without any, the columns that hold no numbers in the gold."""
        named = [place for place, name in enumerate(self.names) if name in self.rule.key]
        texts = named or [
            place for place in range(len(self.names)) if not any(is_number(row[place]) for row in self.gold[:1000])
        ]
        full = [tuple(map(sort_key, row)) for row in rows]
        return [(row, tuple(row[place] for place in texts)) for row in full]

    def _within_ties(self) -> list[tuple[int, int]]:
        """Rows by place, where rows of the gold with equal sort cells form a block that may be permuted."""
        sort = [place for place, name in enumerate(self.names) if name in self.rule.sorted_by]
        pairs: list[tuple[int, int]] = []
        start = 0
        for row in range(1, len(self.gold) + 1):
            block = [self.gold[row][place] for place in sort] if row < len(self.gold) else None
            if block is None or block != [self.gold[start][place] for place in sort]:
                pairs += self._block(start, min(row, len(self.found)))
                start = row
        return pairs

    def _block(self, start: int, end: int) -> list[tuple[int, int]]:
        if end <= start:
            return []
        gold, found = self._keys(self.gold[start:end]), self._keys(self.found[start:end])
        inner = align(gold, found, lambda left, right: self.right_cells(start + left, start + right))
        return [(start + left, start + right) for left, right in inner]
