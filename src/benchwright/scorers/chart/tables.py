"""Whether two tables of numbers show the same: every row of one stands for one row of the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from rapidfuzz import fuzz

from benchwright.scorers.chart.texts import folded, same_digits
from benchwright.scorers.compare.senses import other_sense

if TYPE_CHECKING:
    import numpy as np

_RELATIVE: Final = 0.01
"""What a value may be off: a hundredth of itself, and of the span of its column."""
_PLACE: Final = 1e-4
"""What a place may be off, as a share of the span of its column."""
_NOISE: Final = 1e-6
_ALIKE: Final = 60.0
"""From which similarity on (of 100) two names that no other fits may be one."""
_MANY: Final = 2000
"""Rows from which on a pairing in free order allows for noise only, or every row would fit hundreds of others."""
_MOST_CANDIDATES: Final = 500_000


def tolerances(gold: np.ndarray[Any, Any], places: int, *, from_zero: bool) -> np.ndarray[Any, Any]:
    """How far each cell of a gold table may be off. The first `places` columns are places, the others sizes."""
    import numpy as np

    allowed = np.zeros_like(gold)
    for number in range(gold.shape[1]):
        cells = gold[:, number]
        seen = cells[np.isfinite(cells)]
        if not seen.size:
            continue
        low, high = float(seen.min()), float(seen.max())
        if from_zero and number >= places:
            low, high = min(low, 0.0), max(high, 0.0)
        size, span = np.abs(np.nan_to_num(cells, posinf=0, neginf=0)), high - low
        if number < places:
            allowed[:, number] = _PLACE * span + _NOISE * 1e-3 * size
        else:
            allowed[:, number] = np.minimum(_RELATIVE * size, _RELATIVE * span if span else np.inf) + _NOISE * span
    return allowed


def close(
    gold: np.ndarray[Any, Any], found: np.ndarray[Any, Any], allowed: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Cell by cell: equal within what is allowed. NaN equals only NaN, an infinity only itself."""
    import numpy as np

    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(gold - found) <= allowed * (1 + 1e-9)
    return np.asarray(near | (gold == found) | (np.isnan(gold) & np.isnan(found)))


def same_rows(
    gold: np.ndarray[Any, Any], found: np.ndarray[Any, Any], allowed: np.ndarray[Any, Any], *, ordered: bool
) -> bool:
    """Whether the rows of two tables are the same: in this order, or one for one in any order."""
    import numpy as np

    if gold.shape != found.shape:
        return False
    if bool(close(gold, found, allowed).all()):
        return True
    if ordered or not len(gold):
        return False
    first, second = np.lexsort(gold.T[::-1]), np.lexsort(found.T[::-1])
    if bool(close(gold[first], found[second], allowed[first]).all()):
        return True
    return _paired(gold, found, allowed)


def _paired(gold: np.ndarray[Any, Any], found: np.ndarray[Any, Any], allowed: np.ndarray[Any, Any]) -> bool:
    """Whether a one-to-one pairing of close rows exists; equal rows are taken out first."""
    import numpy as np

    left, right = _unequal(gold, found), _unequal(found, gold)
    if len(left) != len(right):
        return False
    gold, found, allowed = gold[left], found[right], allowed[left]
    if len(gold) > _MANY:
        with np.errstate(invalid="ignore"):
            spans = np.ptp(np.where(np.isfinite(gold), gold, 0.0), axis=0)
        allowed = np.minimum(allowed, _NOISE * spans)
    if not _columns_agree(gold, found, allowed):
        return False
    pairs = _near(gold, found, allowed)
    if pairs is None:
        return False
    fits = close(gold[pairs[:, 0]], found[pairs[:, 1]], allowed[pairs[:, 0]]).all(axis=1)
    return _matched(pairs[fits], len(gold))


def _columns_agree(gold: np.ndarray[Any, Any], found: np.ndarray[Any, Any], allowed: np.ndarray[Any, Any]) -> bool:
    """Whether each column by itself can hold the same values: a cheap look before the pairing."""
    import numpy as np

    return bool(close(np.sort(gold, axis=0), np.sort(found, axis=0), allowed.max(axis=0)).all())


def _near(gold: np.ndarray[Any, Any], found: np.ndarray[Any, Any], allowed: np.ndarray[Any, Any]) -> Any:
    """Pairs of rows that stand close to each other in every column; None where they are too many to look at."""
    import numpy as np
    from scipy.spatial import cKDTree

    scale = np.where(allowed.max(axis=0) > 0, allowed.max(axis=0), 1.0) * (1 + 1e-9)
    trees = [cKDTree(_finite(side / scale)) for side in (gold, found)]
    if trees[0].count_neighbors(trees[1], 1.0, p=np.inf) > _MOST_CANDIDATES:
        return None
    near = trees[0].query_ball_tree(trees[1], 1.0, p=np.inf)
    return np.array([(row, other) for row, others in enumerate(near) for other in others], dtype=int).reshape(-1, 2)


def _matched(pairs: np.ndarray[Any, Any], count: int) -> bool:
    """Whether every row of `count` has a partner of its own among these pairs."""
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count)).tocsr()
    return bool((maximum_bipartite_matching(graph, perm_type="column") >= 0).all())


def _unequal(rows: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> list[int]:
    """The rows for which the other side has no equal one left."""
    left = Counter(row.tobytes() for row in others)
    kept: list[int] = []
    for place, row in enumerate(rows):
        key = row.tobytes()
        if left[key]:
            left[key] -= 1
        else:
            kept.append(place)
    return kept


def _finite(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Rows in which what is not finite stands far away from all that is, each kind in a place of its own."""
    import numpy as np

    held = np.where(np.isfinite(rows), np.clip(rows, -1e15, 1e15), rows)
    return np.asarray(np.nan_to_num(held, nan=3e15, posinf=2e15, neginf=-2e15))


def by_name(gold: Sequence[str], found: Sequence[str]) -> list[int] | None:
    """For each gold name the place of its partner: the same name, else what is left over in order if it is alike.

    None where a name has no partner. Names with other numbers in them, or opposed words, are not alike.
    """
    if len(gold) != len(found):
        return None
    free: dict[str, list[int]] = {}
    for place, name in enumerate(found):
        free.setdefault(folded(name), []).append(place)
    pairs: list[int | None] = [places.pop(0) if (places := free.get(folded(name))) else None for name in gold]
    rest = sorted(place for places in free.values() for place in places)
    for number, pair in enumerate(pairs):
        if pair is None:
            place = rest.pop(0)
            if not _alike(folded(gold[number]), folded(found[place])):
                return None
            pairs[number] = place
    return [place for place in pairs if place is not None]


def _alike(gold: str, found: str) -> bool:
    return same_digits(gold, found) and fuzz.ratio(gold, found) >= _ALIKE and not other_sense(gold, found)


def in_place(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The cells of a matrix, each with its row and column before it."""
    import numpy as np

    rows, across = np.indices(values.shape)
    return np.stack([rows.ravel().astype(float), across.ravel().astype(float), values.ravel()], axis=1)
