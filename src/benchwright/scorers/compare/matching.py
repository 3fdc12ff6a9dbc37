"""The most one-to-one pairs out of some candidates, within a budget of steps."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]

_STEPS = 1_000_000
"""Candidates that are looked at in all to give a row a partner whose own can be given another."""
_STEPS_EACH = 3000


def most_pairs(left: Rows, right: Rows, heights: tuple[int, int]) -> tuple[Rows, Rows]:
    """Pairs (left, right) out of candidates, each of the `heights` rows of either side once.

    They are as many as there can be, unless the budget ends first: what can be paired at once is, then rows without a
    partner take that of another row which finds another one (augmenting paths, breadth first).
    """
    import numpy as np

    order = np.argsort(left, kind="stable")
    left, right = left[order], right[order]
    partner, owner = np.full(heights[0], -1), np.full(heights[1], -1)
    _pair_at_once(left, right, partner, owner)
    if left.size:
        _augment(left, right, partner, owner)
    paired = np.flatnonzero(partner >= 0)
    return paired, partner[paired]


def _pair_at_once(left: Rows, right: Rows, partner: Rows, owner: Rows) -> None:
    """Give every left row its first candidate that is free, and the earlier row what two want; again and again."""
    import numpy as np

    while left.size:
        first = np.flatnonzero(np.diff(left, prepend=-1))
        wanted = right[first[::-1]]
        owner[wanted] = left[first[::-1]]  # of several the last one written stays: the earliest row
        won = owner[right[first]] == left[first]
        partner[left[first][won]] = right[first][won]
        free = (partner[left] < 0) & (owner[right] < 0)
        left, right = left[free], right[free]


def _augment(left: Rows, right: Rows, partner: Rows, owner: Rows) -> None:
    import numpy as np

    waiting, wanted = np.zeros(len(partner), dtype=bool), np.zeros(len(owner), dtype=bool)
    waiting[left], wanted[right] = True, True
    alone = np.flatnonzero(waiting & (partner < 0))
    free = int((wanted & (owner < 0)).sum())
    if not alone.size or not free:
        return
    starts = np.searchsorted(left, np.arange(len(partner) + 1))
    partners, owners = partner.tolist(), owner.tolist()
    steps, dead = _STEPS, set[int]()
    for row in alone.tolist():
        if steps <= 0 or not free:
            break
        came, end = _path(row, right, starts, owners, dead)
        steps -= len(came)
        if end < 0 and len(came) < _STEPS_EACH:
            dead |= came.keys()  # nothing free can be reached from there, now or later
        free -= end >= 0
        while end >= 0:
            one = came[end]
            partners[one], owners[end], end = end, one, partners[one]
    partner[:] = partners


def _path(row: int, right: Rows, starts: Rows, owners: list[int], dead: set[int]) -> tuple[dict[int, int], int]:
    """From which row each candidate was reached, and the free one where the search ended; -1: none was found."""
    came: dict[int, int] = {}
    todo = deque([row])
    while todo and len(came) < _STEPS_EACH:
        one = todo.popleft()
        for candidate in right[starts[one] : starts[one + 1]].tolist():
            if candidate in came or candidate in dead:
                continue
            came[candidate] = one
            if owners[candidate] < 0:
                return came, candidate
            todo.append(owners[candidate])
    return came, -1
