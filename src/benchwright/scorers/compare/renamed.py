"""Columns under other names, known by the values that they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchwright.scorers.compare.groups import pair_equal
from benchwright.scorers.compare.neighbours import along_a_line

if TYPE_CHECKING:
    from benchwright.scorers.compare.column_pair import ColumnPair

_MOST_PAIRS = 400
_MOST_CELLS = 20_000_000
_ALIKE = 0.8
"""The share of the values that a column must have to be known by them."""
_TELLING = 10
"""Different values that a column must have to be known among many: of fewer, one of many guesses may be right."""


def columns_by_value(pairs: Sequence[ColumnPair], lost: int, free: int, *, many: bool) -> list[tuple[int, int]]:
    """Which of the `free` columns holds the values of which of the `lost` ones, one-to-one, the most alike first.

    `pairs` has one pair of columns for every two, the free ones of the first lost column first. Order is not looked at.
    `many`: there are so many free columns that some may be guesses.
    """
    if lost * free > _MOST_PAIRS or sum(len(pair.gold) + len(pair.found) for pair in pairs) > _MOST_CELLS:
        return []
    told = [not many or _values(pairs[row * free]) >= _TELLING for row in range(lost)]
    alike = sorted((-_overlap(pair), divmod(number, free)) for number, pair in enumerate(pairs) if told[number // free])
    chosen: dict[int, int] = {}
    for overlap, (row, place) in alike:
        if -overlap >= _ALIKE and row not in chosen and place not in chosen.values():
            chosen[row] = place
    return sorted(chosen.items())


def _values(pair: ColumnPair) -> int:
    """How many different values a gold column has."""
    import numpy as np

    pair.gold.read(np.arange(len(pair.gold)))
    return len(np.unique(pair.gold.code))


def _overlap(pair: ColumnPair) -> float:
    """The share of the longer column that has a partner of the same value in the other."""
    import numpy as np

    rows = [np.arange(len(pair.gold)), np.arange(len(pair.found))]
    if not all(side.size for side in rows):
        return 0.0
    pair.gold.read(rows[0])
    pair.found.read(rows[1])
    numbers = [np.isfinite(pair.gold.number), np.isfinite(pair.found.number)]
    line, _ = along_a_line(rows[0][numbers[0]], rows[1][numbers[1]], pair)
    other, _ = pair_equal(pair.gold.code[~numbers[0]], pair.found.code[~numbers[1]])
    return (len(line) + len(other)) / max(len(pair.gold), len(pair.found))
