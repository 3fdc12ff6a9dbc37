"""What a compared table is worth, and the evidence: wrong cells, missing and surplus rows, missing columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchwright.score import Evidence
from benchwright.scorers.compare.tables import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.scorers.compare.column_pair import ColumnPair

    Rows = NDArray[np.int64]
    Flags = NDArray[np.bool_]

SHOWN = 20
"""Wrong cells that are shown; all are counted."""
_SHOWN_ROWS = 5
_SHOWN_TEXT = 200
_TOLD_COLUMNS = 100
_NEARLY_ALL = 0.98
"""A column of which invented rows have so much right may be right throughout by chance."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """Paired rows, and for each scored column which of the pairs are right."""

    gold: Rows
    found: Rows
    right: Sequence[Flags]

    @property
    def cells(self) -> int:
        """How many cells are right."""
        return sum(int(flags.sum()) for flags in self.right)


@dataclass(frozen=True, slots=True)
class Standing:
    """What a pairing has right, of all rows of the longer table: the share of each column's cells, the credit of each
    column, and the share of rows of which every cell is right.
    """

    cells: Sequence[float]
    credits: Sequence[float]
    rows: float

    @classmethod
    def of(
        cls, pairs: Sequence[ColumnPair], pairing: Pairing, rows: int, again: Sequence[int] | None = None
    ) -> Standing:
        """Of a pairing between tables of which the longer has so many rows; `again` as of `_guessed_again`."""
        import numpy as np

        paired = len(pairing.gold)
        shares = [float(flags.mean()) if paired else float(not rows) for flags in pairing.right]
        agreement = paired / rows if rows else 1.0
        whole = float(np.logical_and.reduce(pairing.right).sum()) / rows if rows else 1.0
        held = [paired / (paired + more) if more else 1.0 for more in again or [0] * len(pairs)]
        return cls(
            [share * agreement for share in shares],
            [_credit(pair, share * part) * agreement for pair, share, part in zip(pairs, shares, held, strict=True)],
            whole,
        )


@dataclass(frozen=True, slots=True)
class Chance:
    """What a table has right that anyone could have invented, and for each column whether its cells can be invented."""

    standing: Standing
    inventable: Sequence[bool]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A comparison that is to be judged: the columns that both tables have, and names of those that one lacks.

    `chance`: what an invented table has right, and in which columns; None where it makes
    no difference. `left_out`: names of those that both have and that are taken for wrong.
    """

    gold: Table
    found: Table
    pairs: Sequence[ColumnPair]
    missing: Sequence[str]
    pairing: Pairing
    chance: Chance | None = None
    left_out: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class TableVerdict:
    """What comparing two tables showed: the value by each kind of credit, and why."""

    values: Mapping[str, float] = field(default_factory=lambda: {"all": 0.0, "cells": 0.0, "columns": 0.0})
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    outcome: Outcome | None = field(default=None, compare=False, repr=False)
    """What stood for what, cell by cell, for who wants to show it; None where no column did."""


def judged(outcome: Outcome) -> TableVerdict:
    """The verdict on a comparison.

    "cells": right cells, of all scored columns times the rows of the longer table. "columns": the mean credit of the
    scored columns, times the row agreement (paired rows, of the rows of the longer table). A column earns 1 where
    every paired row is right; else what it has above the share that the most frequent gold value would get, so that a
    constant earns nothing. What anyone could invent (`Outcome.chance`) is no merit under either, so that only the rest
    of the way to 1 counts. "all": 1 if all is right, else 0.
    """
    rows = max(outcome.gold.height, outcome.found.height)
    columns = len(outcome.pairs) + len(outcome.missing) + len(outcome.left_out)
    standing = Standing.of(outcome.pairs, outcome.pairing, rows, _guessed_again(outcome))
    share = outcome.pairing.cells / (rows * columns) if rows else len(outcome.pairs) / columns
    cells, earned = share, min(1.0, sum(standing.credits) / columns)
    if chance := outcome.chance:
        guessed = [max(each) for each in zip(chance.standing.cells, _repeated(outcome, chance), strict=True)]
        cells = min(cells, _merit(standing.cells, guessed, standing.rows, chance, columns))
        earned = min(earned, _merit(standing.credits, chance.standing.credits, standing.rows, chance, columns))
    paired = len(outcome.pairing.gold)
    agreement = paired / rows if rows else 1.0
    return TableVerdict(
        values={"all": float(share == 1.0), "cells": cells, "columns": earned},
        reason=_reason(outcome),
        evidence=(*no_columns(outcome.missing), *_left_out(outcome), *_wrong_cells(outcome), *_odd_rows(outcome)),
        details={
            "cell_share": share,
            "row_agreement": agreement,
            "paired_rows": paired,
            "columns": _told(outcome, [right / agreement if agreement else 0.0 for right in standing.cells]),
            **({"by_chance": _told(outcome, chance.standing.cells)} if chance else {}),
        },
        outcome=outcome,
    )


def _guessed_again(outcome: Outcome) -> list[int]:
    """For each column how many rows without a partner, on both sides, hold a value that is right in another row.

    They are wrong cells of that column: else one guess for all rows would be right in each row that it is looked at in.
    """
    import numpy as np

    alone, height = outcome.gold.height - len(outcome.pairing.gold), outcome.found.height
    if not alone or height == len(outcome.pairing.found):
        return [0] * len(outcome.pairs)
    rest = np.delete(np.arange(height), outcome.pairing.found)
    again: list[int] = []
    for pair, flags in zip(outcome.pairs, outcome.pairing.right, strict=True):
        right = outcome.pairing.found[flags]
        pair.found.read(right)
        pair.found.read(rest)
        again.append(min(alone, int(np.isin(pair.found.code[rest], pair.found.code[right]).sum())))
    return again


def _merit(shares: Sequence[float], guessed: Sequence[float], whole_rows: float, chance: Chance, columns: int) -> float:
    """What is not chance: of all columns together, of those that are right throughout or hold what nobody could guess,
    or of the rows that are right.

    Which columns invented rows agree in is an accident of how they are paired, so that columns are taken together.
    """
    together = _above(sum(shares) / columns, sum(guessed) / columns)
    known = sum(
        share
        for share, luck, inventable in zip(shares, guessed, chance.inventable, strict=True)
        if not inventable or (share == 1.0 and luck < _NEARLY_ALL)
    )
    luck = chance.standing.rows  # where nearly all rows are right by chance, one row more or less is chance, too
    rows = (_above(whole_rows, luck) if luck < _NEARLY_ALL else float(whole_rows >= 1.0)) * len(shares)
    return max(together, known / columns, rows / columns)


def _repeated(outcome: Outcome, chance: Chance) -> list[float]:
    """What the most frequent gold value of each inventable column has right, where it occurs more than once."""
    shares = [
        pair.gold.commonest if inventable else 0.0
        for pair, inventable in zip(outcome.pairs, chance.inventable, strict=True)
    ]
    return [share if share * outcome.gold.height > 1.5 else 0.0 for share in shares]


def _above(value: float, chance: float) -> float:
    """What of a value is not chance, as a share of all that is not."""
    return max(0.0, (value - chance) / (1.0 - chance)) if chance < 1.0 else float(value >= 1.0)


def _told(outcome: Outcome, shares: Sequence[float]) -> dict[str, float]:
    return {pair.name: part for pair, part in list(zip(outcome.pairs, shares, strict=True))[:_TOLD_COLUMNS]}


def _credit(pair: ColumnPair, share: float) -> float:
    if share in (0.0, 1.0):
        return share
    common = pair.gold.commonest
    return max(0.0, (share - common) / (1.0 - common)) if common < 1.0 else 0.0


def no_columns(missing: Sequence[str]) -> tuple[Evidence, ...]:
    """The evidence that columns are missing."""
    return tuple(
        Evidence(part=name[:_SHOWN_TEXT], verdict="wrong", reason="no such column") for name in missing[:SHOWN]
    )


def _left_out(outcome: Outcome) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(part=name[:_SHOWN_TEXT], verdict="wrong", reason="a wrong column: more is right without it")
        for name in outcome.left_out[:SHOWN]
    )


def _first_wrong(outcome: Outcome, most: int) -> list[tuple[int, int]]:
    """The first wrong cells, row by row: (pair of rows, column)."""
    import numpy as np

    found = [
        (int(row), column)
        for column, flags in enumerate(outcome.pairing.right)
        if not flags.all()
        for row in np.flatnonzero(~flags)[:most]
    ]
    return sorted(found)[:most]


def _wrong_cells(outcome: Outcome) -> tuple[Evidence, ...]:
    return tuple(_wrong_cell(outcome, row, column) for row, column in _first_wrong(outcome, SHOWN))


def _wrong_cell(outcome: Outcome, row: int, column: int) -> Evidence:
    pair = outcome.pairs[column]
    place = int(outcome.pairing.gold[row])
    gold, found = pair.gold.text[place], pair.found.text[int(outcome.pairing.found[row])]
    return Evidence(
        part=f"row {place + 1}, {pair.name}",
        verdict="wrong",
        expected=gold[:_SHOWN_TEXT],
        found=found[:_SHOWN_TEXT],
        reason=pair.fault(gold, found) or "not looked at: too many cells of unusual form",
    )


def _odd_rows(outcome: Outcome) -> list[Evidence]:
    """The first rows of either table that have no partner."""
    sides = (
        (outcome.gold.height, outcome.pairing.gold, [pair.gold for pair in outcome.pairs], "no such row"),
        (outcome.found.height, outcome.pairing.found, [pair.found for pair in outcome.pairs], "a row too many"),
    )
    shown: list[Evidence] = []
    for side, (height, paired, columns, reason) in enumerate(sides):
        for row in _unpaired(height, paired):
            text = " | ".join(column.text[row] for column in columns[:SHOWN])[:_SHOWN_TEXT]
            shown.append(
                Evidence(
                    part=f"{'row' if side else 'gold row'} {row + 1}",
                    verdict="wrong",
                    expected="" if side else text,
                    found=text if side else "",
                    reason=reason,
                )
            )
    return shown


def _unpaired(height: int, paired: Rows) -> list[int]:
    import numpy as np

    left = np.ones(height, dtype=bool)
    left[paired] = False
    rows: list[int] = np.flatnonzero(left)[:_SHOWN_ROWS].tolist()
    return rows


def _reason(outcome: Outcome) -> str:
    parts = [f"no column {', '.join(outcome.missing)[:500]}"] if outcome.missing else []
    if outcome.left_out:
        parts.append(f"wrong as a column: {', '.join(outcome.left_out)[:500]}")
    heights = outcome.gold.height, outcome.found.height
    if heights[0] != heights[1]:
        parts.append(f"{heights[0]} rows expected, {heights[1]} found")
    if alone := min(heights) - len(outcome.pairing.gold):
        parts.append(f"{alone} rows that stand for none of the gold, or out of order")
    wrong = len(outcome.pairs) * len(outcome.pairing.gold) - outcome.pairing.cells
    if wrong:
        first = _wrong_cell(outcome, *_first_wrong(outcome, 1)[0])
        parts.append(f"{wrong} wrong cells, the first at {first.part}: {first.reason}")
    return "; ".join(parts)
