"""Clusters that are small enough for a prompt: halved along their widest direction until they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TURNS = 20
_ROWS_AN_OWNER = 4
"""A prompt bears no solution of a thousand steps either: this many rows for each owner that a group may have."""


def fits(group: Sequence[int], owners: Sequence[str], cap: int) -> bool:
    """Whether a group has at most `cap` owners, and no more rows than a prompt bears."""
    return len(group) <= cap * _ROWS_AN_OWNER and len({owners[place] for place in group}) <= cap


def capped(
    vectors: NDArray[np.float32], members: Sequence[int], owners: Sequence[str], cap: int
) -> list[tuple[int, ...]]:
    """A cluster as groups that fit."""
    done: list[tuple[int, ...]] = []
    waiting = [tuple(sorted(members))]
    while waiting:
        group = waiting.pop()
        if fits(group, owners, cap):
            done.append(group)
        else:
            waiting += _halves(vectors, group)
    return sorted(done)


def _halves(vectors: NDArray[np.float32], group: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Two parts by 2-means, begun on both sides of the widest direction; without a difference, by order."""
    import numpy as np

    rows = vectors[list(group)].astype(np.float64)
    right = _along_widest(rows) > 0
    for _ in range(_TURNS):
        if right.all() or not right.any():
            break
        low, high = rows[~right].mean(axis=0), rows[right].mean(axis=0)
        again = ((rows - high) ** 2).sum(axis=1) < ((rows - low) ** 2).sum(axis=1)
        if (again == right).all():
            break
        right = again
    if right.all() or not right.any():
        right = np.arange(len(group)) >= len(group) // 2
    return [tuple(place for place, here in zip(group, right, strict=True) if here == side) for side in (False, True)]


def _along_widest(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where each row stands along the direction of most variance, by power iteration from the farthest row."""
    import numpy as np

    centred = rows - rows.mean(axis=0)
    direction = centred[int((centred**2).sum(axis=1).argmax())]
    for _ in range(_TURNS):
        length = float(np.linalg.norm(direction))
        if not length:
            break
        direction = centred.T @ (centred @ (direction / length))
    return np.asarray(centred @ direction)
