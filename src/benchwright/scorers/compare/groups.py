"""Keys of rows: rows of equal keys in pairs and in groups, and the best pairs inside a small group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    Keys = NDArray[np.uint64]
    Counts = Callable[[Rows, Rows], NDArray[np.int64]]


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
