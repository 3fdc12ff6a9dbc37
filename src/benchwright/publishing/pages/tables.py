"""Tables beside their golds: rows paired as the scorer pairs them, and those in which something is wrong first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchwright.errors import SuiteError
from benchwright.publishing.pages.exhibits import CellShown, CellState, RowShown, TableShown
from benchwright.publishing.pages.words import line
from benchwright.scorers.compare.table_comparison import compare_tables
from benchwright.scorers.table import rules_of

if TYPE_CHECKING:
    from benchwright.scorers.compare.table_credit import Outcome
    from benchwright.scorers.compare.tables import Table

_COLUMNS = 24
_ALONE = 50
"""Rows of a table without a gold."""
_WRONG, _ODD, _RIGHT = 40, 12, 8
"""Rows with wrong cells, rows that one side lacks, and right rows that are shown."""
_CELL = 160


def table_shown(found: Table) -> TableShown:
    """The first rows of a table that there is no gold for, or that is the gold."""
    width = min(len(found.names), _COLUMNS)
    columns = [column.head(_ALONE).to_list() for column in found.columns[:width]]
    rows = [
        RowShown(number=number, state="plain", cells=tuple(CellShown(found=line(cell, _CELL)) for cell in cells))
        for number, cells in enumerate(zip(*columns, strict=True), start=1)
    ]
    return TableShown(
        columns=tuple(line(name) for name in found.names[:width]),
        states=("plain",) * width,
        rows=tuple(rows),
        height=found.height,
        width=len(found.names),
    )


def tables_shown(golds: Mapping[str, Table], found: Table, options: Mapping[str, Any]) -> TableShown:
    """A table beside that of its golds which it is most like, by the rule that it is scored by.

    Where no column is the gold's, its rows alone.
    """
    try:
        rules = rules_of(options, tuple(golds))
        verdicts = [compare_tables(gold, found, rules[name]) for name, gold in golds.items()]
    except SuiteError:  # an unfit check leaves no verdict; the table is shown all the same
        verdicts = []
    best = max(verdicts, key=lambda verdict: verdict.values["cells"], default=None)
    if best is None or best.outcome is None:
        alone, height = table_shown(found), next(iter(golds.values())).height
        return alone.model_copy(update={"states": ("surplus",) * len(alone.states), "gold_height": height})
    return _Pairs.of(best.outcome).shown()


@dataclass(frozen=True, slots=True)
class _Pairs:
    """A comparison as plain Python: pairs of rows, and of each the places of wrong columns."""

    outcome: Outcome
    pairs: Sequence[tuple[int, int]]
    wrong: Mapping[int, frozenset[int]]
    counted: int

    @classmethod
    def of(cls, outcome: Outcome) -> _Pairs:
        import numpy as np

        pairing = outcome.pairing
        wrong: dict[int, set[int]] = {}
        counted = 0
        for column, flags in enumerate(pairing.right):
            places = np.flatnonzero(~flags)
            counted += len(places)
            for place in places[: _WRONG * _COLUMNS].tolist():
                wrong.setdefault(place, set()).add(column)
        pairs = list(zip(pairing.gold.tolist(), pairing.found.tolist(), strict=True))
        return cls(outcome, pairs, {place: frozenset(columns) for place, columns in wrong.items()}, counted)

    @property
    def names(self) -> list[str]:
        return [pair.name for pair in self.outcome.pairs][:_COLUMNS]

    def shown(self) -> TableShown:
        gold, found = self.outcome.gold, self.outcome.found
        lost_rows = _alone(gold.height, [row for row, _ in self.pairs])
        more_rows = _alone(found.height, [row for _, row in self.pairs])
        missing = list(self.outcome.missing)[: _COLUMNS - len(self.names)]
        surplus = self._surplus()[: _COLUMNS - len(self.names) - len(missing)]
        chosen = sorted(self.wrong)[:_WRONG]
        right = [place for place in range(min(len(self.pairs), len(self.wrong) + _RIGHT)) if place not in self.wrong]
        paired = sorted({*chosen, *right[:_RIGHT]}, key=lambda place: self.pairs[place])
        rows = [
            *(self._pair(place, missing, surplus) for place in paired),
            *(self._lost(row, missing, surplus) for row in lost_rows[:_ODD]),
            *(self._more(row, missing, surplus) for row in more_rows[:_ODD]),
        ]
        counts: dict[CellState, int] = {"plain": len(self.names), "missing": len(missing), "surplus": len(surplus)}
        states = tuple(state for state, count in counts.items() for _ in range(count))
        return TableShown(
            columns=tuple(line(name) for name in (*self.names, *missing, *surplus)),
            states=states,
            rows=tuple(rows),
            height=found.height,
            width=len(found.names),
            gold_height=gold.height,
            wrong_cells=self.counted,
            missing_rows=len(lost_rows),
            surplus_rows=len(more_rows),
        )

    def _surplus(self) -> list[str]:
        """Columns of the found table that stand for none of the gold, by the identity of their cells."""
        used = {id(pair.found.text) for pair in self.outcome.pairs}
        return [
            name
            for name, column in zip(self.outcome.found.names, self.outcome.found.columns, strict=True)
            if id(column) not in used
        ]

    def _pair(self, place: int, missing: Sequence[str], surplus: Sequence[str]) -> RowShown:
        gold_row, found_row = self.pairs[place]
        wrong = self.wrong.get(place, frozenset())
        cells = [
            CellShown(
                found=line(pair.found.text[found_row], _CELL),
                gold=line(pair.gold.text[gold_row], _CELL) if column in wrong else "",
                state="wrong" if column in wrong else "right",
            )
            for column, pair in enumerate(self.outcome.pairs[:_COLUMNS])
        ]
        cells += [CellShown(gold=_at(self.outcome.gold, name, gold_row), state="missing") for name in missing]
        cells += [CellShown(found=_at(self.outcome.found, name, found_row)) for name in surplus]
        return RowShown(number=gold_row + 1, state="wrong" if wrong else "right", cells=tuple(cells))

    def _lost(self, row: int, missing: Sequence[str], surplus: Sequence[str]) -> RowShown:
        texts = [pair.gold.text[row] for pair in self.outcome.pairs[:_COLUMNS]]
        texts += [_at(self.outcome.gold, name, row) for name in missing]
        cells = [CellShown(gold=line(text, _CELL), state="missing") for text in texts]
        cells += [CellShown() for _ in surplus]
        return RowShown(number=row + 1, state="missing", cells=tuple(cells))

    def _more(self, row: int, missing: Sequence[str], surplus: Sequence[str]) -> RowShown:
        cells = [
            CellShown(found=line(pair.found.text[row], _CELL), state="surplus")
            for pair in self.outcome.pairs[:_COLUMNS]
        ]
        cells += [CellShown() for _ in missing]
        cells += [CellShown(found=_at(self.outcome.found, name, row), state="surplus") for name in surplus]
        return RowShown(number=row + 1, state="surplus", cells=tuple(cells))


def _at(table: Table, name: str, row: int) -> str:
    return line(table.columns[table.names.index(name)][row], _CELL)


def _alone(height: int, paired: Sequence[int]) -> list[int]:
    import numpy as np

    left = np.ones(height, dtype=bool)
    left[list(paired)] = False
    rows: list[int] = np.flatnonzero(left).tolist()
    return rows
