"""What a table is worth without columns that are wrong: a wrong column counts as a missing one does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from benchwright.scorers.compare.alignment import key_columns
from benchwright.scorers.compare.table_credit import Outcome, TableVerdict

Kept = Sequence[tuple[int, int]]
_MORE = 1e-9
_ROUNDS = 3
_LUCK = 0.1
"""The best of several choices of columns is up to so much by luck, where all of them were invented."""
_CELLS, _MOST = 400_000, 24
"""Cells that are compared again in all, and columns that are left out one at a time: first those that may be keys and
so may have set all rows wrong.
"""


def without_wrong(
    verdict: TableVerdict, kept: Kept, credit: str, compare: Callable[[Kept, Kept], TableVerdict]
) -> TableVerdict:
    """The verdict, or the best without some columns, where that is worth more.

    `compare(kept, left_out)` gives the verdict where columns of `kept` stand for each other and those of `left_out`
    count as wrong. No table is tried that cannot be worth more. What has no part in that credit stays as it was.
    """
    whole, out = verdict, list[tuple[int, int]]()
    for _ in range(_ROUNDS):
        if verdict.outcome is None or credit == "all":
            break
        columns = len(kept) + len(out) + len(verdict.outcome.missing)
        if (len(kept) - 1) / columns <= verdict.values[credit] + _MORE:
            break
        best, chosen = verdict, list[tuple[int, int]]()
        for dropped in _candidates(verdict.outcome):
            if (len(kept) - len(dropped)) / columns <= best.values[credit] + _MORE:
                continue
            places = [kept[place] for place in dropped]
            other = compare([each for each in kept if each not in places], [*out, *places])
            if other.values[credit] > max(_LUCK, best.values[credit] + _MORE):
                best, chosen = other, places
        if not chosen:
            break
        verdict = best
        kept, out = [each for each in kept if each not in chosen], [*out, *chosen]
    if verdict is whole:
        return whole
    values = {**whole.values, credit: verdict.values[credit]}
    return replace(verdict, values=values, details={**verdict.details, "cell_share": whole.details["cell_share"]})


def _candidates(outcome: Outcome) -> list[tuple[int, ...]]:
    """Columns to leave out, by their places: all that have no more right than chance, and each by itself."""
    guessed = outcome.chance.standing.cells if outcome.chance else [0.0] * len(outcome.pairs)
    rows = max(1, outcome.gold.height, outcome.found.height)
    right = [int(flags.sum()) / rows for flags in outcome.pairing.right]
    poor = tuple(place for place, (share, luck) in enumerate(zip(right, guessed, strict=True)) if share <= luck)
    keys = {id(pair) for pair in key_columns(outcome.pairs)}
    each = sorted(range(len(outcome.pairs)), key=lambda place: id(outcome.pairs[place]) not in keys)
    most = min(_MOST, _CELLS // (rows * len(outcome.pairs)))
    found = dict.fromkeys([poor, *((place,) for place in each[:most])])
    return [places for places in found if 0 < len(places) < len(outcome.pairs)]
