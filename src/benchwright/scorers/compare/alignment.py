"""Which row of one table stands for which row of another, where their order does not matter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

Key = tuple[tuple[int, float, str], ...]
Pairs = list[tuple[int, int]]
_ASSIGN_UP_TO = 300
"""Beyond so many rows that are hard to tell apart they are paired in their sorted order, which is nearly as good."""


def equal_rows(gold: Sequence[tuple[str, ...]], found: Sequence[tuple[str, ...]]) -> tuple[Pairs, list[int], list[int]]:
    """Pairs of rows that are equal as they are written, and the rows of either side that are left."""
    waiting: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place in range(len(found) - 1, -1, -1):
        waiting[found[place]].append(place)
    pairs: Pairs = []
    left: list[int] = []
    for place, row in enumerate(gold):
        if waiting[row]:
            pairs.append((place, waiting[row].pop()))
        else:
            left.append(place)
    return pairs, left, sorted(place for places in waiting.values() for place in places)


def align(
    gold_keys: Sequence[Sequence[Key]],
    found_keys: Sequence[Sequence[Key]],
    right_cells: Callable[[int, int], int],
) -> Pairs:
    """Pairs (gold row, found row), each row at most once, that make as many cells right as can be found.

    Each row comes with keys from the finest to the coarsest: rows are paired where the finest agree, what is left
    where the next agree, and what is left then by assignment on `right_cells`.
    """
    pairs: Pairs = []
    gold_left = sorted(range(len(gold_keys)), key=lambda row: gold_keys[row][0])
    found_left = sorted(range(len(found_keys)), key=lambda row: found_keys[row][0])
    levels = len(gold_keys[0]) if gold_keys else 0
    for level in range(levels + 1):
        groups = _groups(gold_left, found_left, gold_keys, found_keys, level if level < levels else None)
        for golds, founds in groups:
            pairs += _pair(golds, founds, right_cells, exact=level == 0)
        used_gold, used_found = {left for left, _ in pairs}, {right for _, right in pairs}
        gold_left = [row for row in gold_left if row not in used_gold]
        found_left = [row for row in found_left if row not in used_found]
    return sorted(pairs)


def _groups(
    gold_left: Sequence[int],
    found_left: Sequence[int],
    gold_keys: Sequence[Sequence[Key]],
    found_keys: Sequence[Sequence[Key]],
    level: int | None,
) -> list[tuple[list[int], list[int]]]:
    """Rows that agree on the key of a level; all of them where the level is None."""
    if level is None:
        return [(list(gold_left), list(found_left))]
    by_key: dict[Key, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for row in gold_left:
        by_key[gold_keys[row][level]][0].append(row)
    for row in found_left:
        by_key[found_keys[row][level]][1].append(row)
    return [(golds, founds) for golds, founds in by_key.values() if golds and founds]


def _pair(golds: list[int], founds: list[int], right_cells: Callable[[int, int], int], *, exact: bool) -> Pairs:
    if not golds or not founds:
        return []
    if exact or (len(golds) == 1 and len(founds) == 1) or max(len(golds), len(founds)) > _ASSIGN_UP_TO:
        return list(zip(golds, founds, strict=False))
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    gains = np.array([[right_cells(left, right) for right in founds] for left in golds])
    rows, columns = linear_sum_assignment(gains, maximize=True)
    return [(golds[row], founds[column]) for row, column in zip(rows, columns, strict=True)]
