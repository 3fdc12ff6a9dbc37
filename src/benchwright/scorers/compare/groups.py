"""Pairs of rows inside groups whose members cannot be told apart by a key: as many right pairs as can be found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.scorers.compare.column_pair import ColumnPair

    Rows = NDArray[np.int64]
    Keys = NDArray[np.uint64]
    Counts = Callable[[Rows, Rows], NDArray[np.int64]]

_NEIGHBOURS = 16
_MOST_NEIGHBOURLY = 200_000
"""Rows that are matched by their neighbours; more are paired in their sorted order."""


def mixed(codes: Sequence[Keys]) -> Keys:
    """One key of several: equal where all are equal."""
    import numpy as np

    key = np.zeros(len(codes[0]), dtype=np.uint64)
    for code in codes:
        key = (key ^ code.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    return key


def pair_equal(gold: Keys, found: Keys) -> tuple[Rows, Rows]:
    """Places of equal keys: the first of one with the first of the other, the second with the second, and so on."""
    import numpy as np

    (gold_sorted, gold_order), (found_sorted, found_order) = (
        in_order(side, max(len(gold), len(found))) for side in (gold, found)
    )
    turn = _turns(gold_sorted)
    place = np.searchsorted(found_sorted, gold_sorted) + turn
    there = place < len(found)
    there[there] = found_sorted[place[there]] == gold_sorted[there]
    rows, others = gold_order[there], found_order[place[there]]
    same = gold[rows] == found[others]
    return rows[same], others[same]


def in_order(keys: Keys, room: int) -> tuple[Keys, Rows]:
    """Keys in their order, shortened to leave room for places up to `room`, and their places; equal keys keep theirs.

    Sorting numbers that end in their places is many times faster than sorting places. Of a million shortened keys a few
    may look alike: who pairs by them has to compare the keys themselves.
    """
    import numpy as np

    bits = np.uint64(room.bit_length())
    places = np.arange(len(keys), dtype=np.uint64)
    ordered = np.sort((keys >> bits) << bits | places)
    shortened = ordered >> bits
    return shortened, (ordered - (shortened << bits)).astype(np.int64)


def _turns(ordered: Keys) -> Rows:
    """For each of some sorted keys how many equal ones stand before it."""
    import numpy as np

    places = np.arange(len(ordered))
    new = np.ones(len(ordered), dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    turns: Rows = places - np.maximum.accumulate(np.where(new, places, 0))
    return turns


def members(gold: Keys, found: Keys) -> list[tuple[Rows, Rows]]:
    """The places of every key that both sides have."""
    import numpy as np

    gold_order, found_order = np.argsort(gold, kind="stable"), np.argsort(found, kind="stable")
    keys = np.intersect1d(gold, found)
    bounds = [
        (np.searchsorted(side[order], keys), np.searchsorted(side[order], keys, side="right"))
        for side, order in ((gold, gold_order), (found, found_order))
    ]
    groups = [
        (np.sort(gold_order[a:b]), np.sort(found_order[c:d]))
        for a, b, c, d in zip(*(bound.tolist() for side in bounds for bound in side), strict=True)
    ]
    return sorted(groups, key=lambda group: int(group[0][0]))


def assign(gold: Rows, found: Rows, counts: Counts) -> tuple[Rows, Rows]:
    """The one-to-one pairs of some rows that make the sum of `counts` as large as it can be."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    gains = counts(np.repeat(gold, len(found)), np.tile(found, len(gold))).reshape(len(gold), len(found))
    rows, places = linear_sum_assignment(gains, maximize=True)
    useful = gains[rows, places] > 0
    return gold[rows[useful]], found[places[useful]]


def match_many(gold: Rows, found: Rows, columns: Sequence[ColumnPair]) -> tuple[Rows, Rows]:
    """Candidates for pairs of many rows that differ in numbers only, each row once."""
    import numpy as np

    varying = [column for column in columns if _varies(column, gold, found)]
    if not varying:
        return _in_turn(gold, found)
    if len(varying) == 1:
        return along_a_line(gold, found, varying[0])
    if max(len(gold), len(found)) <= _MOST_NEIGHBOURLY:
        return _among_neighbours(gold, found, varying)
    spread = [np.unique(column.gold.number[gold]).size for column in varying]
    best = varying[int(np.argmax(spread))]
    return _in_turn(
        gold[np.argsort(best.gold.number[gold], kind="stable")],
        found[np.argsort(best.found.number[found], kind="stable")],
    )


def _varies(column: ColumnPair, gold: Rows, found: Rows) -> bool:
    import numpy as np

    numbers = np.concatenate([column.gold.number[gold], column.found.number[found]])
    return bool(np.isfinite(numbers).all() and numbers.min() < numbers.max())


def _in_turn(gold: Rows, found: Rows) -> tuple[Rows, Rows]:
    shorter = min(len(gold), len(found))
    return gold[:shorter], found[:shorter]


def along_a_line(gold: Rows, found: Rows, column: ColumnPair) -> tuple[Rows, Rows]:
    """Numbers of one column: the smallest that fits each, which gives the most pairs there can be."""
    import numpy as np

    gold = gold[np.argsort(column.gold.number[gold], kind="stable")]
    found = found[np.argsort(column.found.number[found], kind="stable")]
    wanted = column.gold.number[gold]
    reach = column.reach(wanted) * (1 + 1e-9)
    lows, highs, there = (wanted - reach).tolist(), (wanted + reach).tolist(), column.found.number[found].tolist()
    left: list[int] = []
    right: list[int] = []
    place = row = 0
    while row < len(lows) and place < len(there):
        if there[place] < lows[row]:
            place += 1
        elif there[place] > highs[row]:
            row += 1
        else:
            left.append(row)
            right.append(place)
            row, place = row + 1, place + 1
    return gold[left], found[right]


def _among_neighbours(gold: Rows, found: Rows, columns: Sequence[ColumnPair]) -> tuple[Rows, Rows]:
    """Numbers of several columns: the most pairs there can be among the nearest rows, counted in tolerances."""
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching
    from scipy.spatial import KDTree

    spots = [
        np.column_stack([_in_tolerances(column, side) for column, side in zip(columns, sides, strict=True)])
        for sides in (
            [column.gold.number[gold] for column in columns],
            [column.found.number[found] for column in columns],
        )
    ]
    # Equal rows are one spot: a tree of equal spots would look at all of them for each.
    distinct, place = np.unique(spots[1], axis=0, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(len(distinct)))
    ends = np.append(starts[1:], len(order))
    count = min(_NEIGHBOURS, len(distinct))
    distance, near = KDTree(distinct).query(spots[0], k=[*range(1, count + 1)], p=np.inf, distance_upper_bound=3.0)
    rows, ranks = np.nonzero(np.isfinite(distance))
    spot = near[rows, ranks]
    edges_left, edges_right = [], []
    for turn in range(_NEIGHBOURS):
        # The gold rows at a spot take its found rows in turn, each from another start.
        size = ends[spot] - starts[spot]
        inside = turn < size
        edges_left.append(rows[inside])
        edges_right.append(order[starts[spot[inside]] + (rows[inside] + turn) % size[inside]])
    left, right = np.concatenate(edges_left), np.concatenate(edges_right)
    agree = np.logical_and.reduce([column.near(gold[left], found[right]) for column in columns])
    left, right = left[agree], right[agree]
    graph = csr_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(len(gold), len(found)))
    partner = maximum_bipartite_matching(graph, perm_type="column")
    matched = np.flatnonzero(partner >= 0)
    return gold[matched], found[partner[matched]]


def _in_tolerances(column: ColumnPair, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers on a scale on which the tolerance is about one."""
    import numpy as np

    floor, relative = float(column.reach(np.zeros(1))[0]), float(column.rule.tolerance.relative)
    size = np.abs(numbers)
    bend = floor / relative
    with np.errstate(divide="ignore"):
        beyond = bend / floor + np.log(np.maximum(size, bend) / bend) / relative
    return np.sign(numbers) * np.where(size <= bend, size / floor, beyond)
