"""The best choice there is, by integer programming (HiGHS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchwright.errors import InputError
from benchwright.selection.cover import Cover

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True)
class Best:
    """The chosen items' places in their order, and whether no better choice exists (else the search ran out of time).

    `bound` is what no choice can beat: fewest items without a budget, largest value with one.
    """

    chosen: tuple[int, ...]
    proven: bool
    bound: float


def exact(cover: Cover, seconds: float = 60.0) -> Best:
    """Without a budget the fewest items that meet every need of any weight; with one the items worth most.

    One variable an item (taken or not) and one an element (how often it counts, up to its need).
    """
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp

    n, needs = len(cover.items), np.array([*cover.needs.values()], dtype=float)
    if not n:
        return Best((), True, 0.0)
    budget = cover.bounds.items
    cost = np.concatenate([np.zeros(n), [-cover.weight(element) for element in cover.needs]])
    least = np.zeros(len(needs))
    if budget is None:
        worth = np.array([cover.weight(element) > 0 for element in cover.needs])
        cost, least = np.concatenate([np.ones(n), np.zeros(len(needs))]), needs * worth
    constraints = [LinearConstraint(_incidence(cover), lb=0)]
    matrix, low, high = _limits(cover)
    constraints.append(LinearConstraint(matrix, lb=low, ub=high))
    found = milp(
        cost,
        integrality=np.concatenate([np.ones(n), np.zeros(len(needs))]),
        bounds=Bounds(np.concatenate([np.zeros(n), least]), np.concatenate([np.ones(n), needs])),
        constraints=constraints,
        options={"time_limit": seconds, "mip_rel_gap": 0.0},  # by default one ten-thousandth counts as best
    )
    if found.x is None:
        raise InputError(
            "no choice of tasks was found", found=str(found.message), hint="loosen quotas or give more time"
        )
    chosen = tuple(int(place) for place in np.flatnonzero(found.x[:n] > 0.5))
    bound = found.mip_dual_bound if found.mip_dual_bound is not None else found.fun
    return Best(chosen, found.status == 0, float(bound) if budget is None else -float(bound))


def _incidence(cover: Cover) -> csr_array[Any, Any]:
    """Rows say: an element counts at most as often as items that have it are taken."""
    import numpy as np
    from scipy.sparse import csr_array, eye_array, hstack

    places = {element: row for row, element in enumerate(cover.needs)}
    pairs = [(places[element], column) for column, item in enumerate(cover.items) for element in sorted(item.covers)]
    rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
    shape = (len(places), len(cover.items))
    taken = csr_array((np.ones(len(pairs)), (np.array(rows, int), np.array(columns, int))), shape=shape)
    return csr_array(hstack([taken, -eye_array(len(places))]))


def _limits(cover: Cover) -> tuple[Any, Any, Any]:
    """Rows for the number of items, in all and by group."""
    import numpy as np

    bounds, n = cover.bounds, len(cover.items)
    groups = sorted({*bounds.at_least, *bounds.at_most})
    matrix = np.zeros((1 + len(groups), n + len(cover.needs)))
    matrix[0, :n] = 1
    for row, group in enumerate(groups, 1):
        matrix[row, :n] = [item.group == group for item in cover.items]
    low = [0, *(bounds.at_least.get(group, 0) for group in groups)]
    high = [n if bounds.items is None else bounds.items, *(bounds.at_most.get(group, n) for group in groups)]
    return matrix, np.array(low, float), np.array(high, float)
