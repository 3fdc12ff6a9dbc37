"""Pairs of rows that agree within tolerances, for any number of rows: as many as there can be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from benchwright.scorers.compare.groups import in_order, mixed, pair_equal
from benchwright.scorers.compare.matching import most_pairs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.scorers.compare.column_pair import ColumnPair

    Rows = NDArray[np.int64]
    Keys = NDArray[np.uint64]
    Floats = NDArray[np.float64]

_MOST_EDGES = 4_000_000
"""Candidates for pairs that are held at once, or six for each gold row where that is more."""
_MOST_EACH, _MOST_NEAR, _MOST_CROWDED = 16, 4, 12
"""Candidates of one gold row that share a cell with it; very dense rows have fewer of the nearest, and of others."""
_CHUNK = 1 << 20
"""Candidates whose cells are compared at once."""
_MOST_AXES = 4
"""Columns that a grid is laid over: a row near the edges of its cell looks into up to two to their number."""
_WIDTHS = (32.0, 4.0)
"""How wide the cells of a grid are, in tolerances: fewer of wide ones are looked into, narrow ones hold fewer rows."""
_FEW = 4.0
"""Candidates of a gold row, on average, with which a grid is fine enough."""
_MOST_CROWDED_AXES = 3
"""Columns of a grid over very dense rows, which is laid twice along each."""
_NEAR = (2.0**-8, 2.0**-4)
"""Shares of the tolerance within which partners of very dense rows are looked for first."""
_TOO_LARGE = 0.5
"""A relative tolerance beyond which numbers are told apart by other columns."""
_SAMPLE = 4096
_STEP, _ROUND = 1.1, 1.3
"""By how much sizes differ between which the tolerance is taken to grow evenly, and the room that is left for that."""


@dataclass(frozen=True, slots=True, eq=False)
class _Axis:
    """A column as places on a scale on which the tolerance is one; NaN where a cell is no number. `margin`: how far
    apart on it two numbers within the tolerance can be.
    """

    gold: Floats
    found: Floats
    margin: float


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """Cells `width` wide over some axes, for rows with equal keys."""

    axes: tuple[_Axis, ...]
    width: float

    def cells(self, number: int, side: str) -> NDArray[np.int64]:
        """The cells of all rows along one axis; rows without a number share one that has no neighbours."""
        import numpy as np

        places = getattr(self.axes[number], side) / self.width
        with np.errstate(invalid="ignore"):
            cells: NDArray[np.int64] = np.where(np.isfinite(places), np.floor(places), -(2.0**62)).astype(np.int64)
        return cells

    def steps(self, number: int) -> NDArray[np.int64]:
        """For each gold row the neighbour that its tolerance reaches into along one axis: -1, 1, or 0 for none."""
        import numpy as np

        axis = self.axes[number]
        places = axis.gold / self.width
        inside = (places - np.floor(places)) * self.width
        with np.errstate(invalid="ignore"):
            below, above = inside < axis.margin, inside > self.width - axis.margin
        steps: NDArray[np.int64] = above.astype(np.int64) - below.astype(np.int64)
        return steps


def match_within(rows: tuple[Rows, Rows], keys: tuple[Keys, Keys], columns: Sequence[ColumnPair]) -> tuple[Rows, Rows]:
    """Pairs of rows (gold, found) with equal keys whose cells may all agree, each row once.

    They are as many as there can be, unless rows have so many candidates that not all of them can be looked at: then
    as many as some of them give.
    """
    places = _known_to_both(keys)
    rows, keys = (rows[0][places[0]], rows[1][places[1]]), (keys[0][places[0]], keys[1][places[1]])
    columns = _varying(columns, rows, keys)
    if len(columns) == 1 and _all_numbers(columns[0], rows):
        return along_a_line(*rows, columns[0], keys)
    if columns:
        axes = [axis for column in columns if (axis := _axis(column, rows)) is not None]
        edges, whole = _reached(keys, axes)
        gold, found = _paired(edges if whole else _crowded(keys, axes), rows, columns)
    else:
        gold, found = pair_equal(*keys)
    return rows[0][gold], rows[1][found]


def _known_to_both(keys: tuple[Keys, Keys]) -> tuple[Rows, Rows]:
    """The places of keys that stand on both sides."""
    import numpy as np

    room = max(map(len, keys))
    (gold, gold_order), (found, found_order) = (in_order(side, room) for side in keys)
    return np.sort(gold_order[_are_in(found, gold)]), np.sort(found_order[_are_in(gold, found)])


def _are_in(there: Keys, keys: Keys) -> NDArray[np.bool_]:
    """Which of some ordered keys stand among others, ordered too."""
    import numpy as np

    if not len(there):
        return np.zeros(len(keys), dtype=bool)
    found: NDArray[np.bool_] = there[np.minimum(np.searchsorted(there, keys), len(there) - 1)] == keys
    return found


def _varying(columns: Sequence[ColumnPair], rows: tuple[Rows, Rows], keys: tuple[Keys, Keys]) -> list[ColumnPair]:
    """The columns whose cells differ anywhere among rows of one key."""
    import numpy as np

    key, order = in_order(np.concatenate(keys), sum(map(len, keys)))
    same = np.flatnonzero(key[1:] == key[:-1])
    before, after = order[same], order[same + 1]
    codes = ((column, np.concatenate([column.gold.code[rows[0]], column.found.code[rows[1]]])) for column in columns)
    return [column for column, code in codes if (code[before] != code[after]).any()]


def _all_numbers(column: ColumnPair, rows: tuple[Rows, Rows]) -> bool:
    import numpy as np

    return bool(np.isfinite(column.gold.number[rows[0]]).all() and np.isfinite(column.found.number[rows[1]]).all())


def along_a_line(
    gold: Rows, found: Rows, column: ColumnPair, keys: tuple[Keys, Keys] | None = None
) -> tuple[Rows, Rows]:
    """Numbers of one column: the smallest that fits each, which gives the most pairs there can be; within keys."""
    import numpy as np

    keys = keys or (np.zeros(len(gold), dtype=np.uint64), np.zeros(len(found), dtype=np.uint64))
    order = [
        np.lexsort((numbers, key))
        for numbers, key in zip((column.gold.number[gold], column.found.number[found]), keys, strict=True)
    ]
    gold, found = gold[order[0]], found[order[1]]
    wanted = column.gold.number[gold]
    reach = column.reach(wanted) * (1 + 1e-9)
    lows, highs, there = (wanted - reach).tolist(), (wanted + reach).tolist(), column.found.number[found].tolist()
    group, other = keys[0][order[0]].tolist(), keys[1][order[1]].tolist()
    left: list[int] = []
    right: list[int] = []
    place = row = 0
    while row < len(lows) and place < len(there):
        if (other[place], there[place]) < (group[row], lows[row]):
            place += 1
        elif (other[place], there[place]) > (group[row], highs[row]):
            row += 1
        else:
            left.append(row)
            right.append(place)
            row, place = row + 1, place + 1
    return gold[left], found[right]


def _axis(column: ColumnPair, rows: tuple[Rows, Rows]) -> _Axis | None:
    """A column's numbers on a scale on which the tolerance is one; None where its tolerance is as large as the numbers.

    The scale is the integral of one over the tolerance, which may grow with the number.
    """
    import numpy as np

    relative = float(column.rule.tolerance.relative)
    if relative >= _TOO_LARGE:
        return None
    numbers = column.gold.number[rows[0]], column.found.number[rows[1]]
    sizes = np.abs(np.concatenate(numbers))
    sizes = sizes[np.isfinite(sizes)]
    if not sizes.size:
        return None
    floor = float(column.reach(np.array([0.0]))[0])
    top = max(float(sizes.max()), floor)
    count = int((np.log(top) - np.log(floor)) / np.log(_STEP)) + 2
    nodes = np.concatenate([[0.0], np.exp(np.log(floor) + np.log(_STEP) * np.arange(count + 1))])
    # Whole numbers may have a smaller tolerance than their neighbours: the larger one is meant.
    reach = np.maximum.accumulate(column.reach(nodes * (1 + 1e-9)))
    steps, growth = np.diff(nodes), np.diff(reach)
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.where(
            growth > 1e-9 * reach[:-1], steps * np.log(reach[1:] / reach[:-1]) / growth, steps / reach[1:]
        )
    scale = np.concatenate([[0.0], np.cumsum(lengths)])
    margin = _ROUND * max(1.0, -np.log1p(-relative) / relative)
    gold, found = (np.sign(side) * np.interp(np.abs(side), nodes, scale) for side in numbers)
    return _Axis(gold, found, float(margin))


def _reached(
    keys: tuple[Keys, Keys], axes: Sequence[_Axis], most: int = _MOST_EACH, *, partly: bool = False
) -> tuple[tuple[Rows, Rows], bool]:
    """Candidates for pairs (places of gold and of found rows): all that the tolerances reach, and whether that is all.

    Where it is not, for a gold row has more than `most` in a cell, it ends at once, unless some are wanted (`partly`).
    """
    import numpy as np

    grid = _chosen(keys, axes)
    found = _cell_keys(keys[1], [grid.cells(number, "found") for number in range(len(grid.axes))])
    edges: list[tuple[Rows, Rows]] = [(np.arange(0), np.arange(0))]
    whole, room = True, max(_MOST_EDGES, 6 * len(keys[0]))
    for rows, gold in _looked_into(keys, grid):
        (left, right), all_of_them = _sharing(gold, found, most)
        edges.append((rows[left], right))
        room -= len(left)
        whole = whole and all_of_them and room >= 0
        if room < 0 or (not whole and not partly):
            break
    return _joined(edges), whole


def _crowded(keys: tuple[Keys, Keys], axes: Sequence[_Axis]) -> tuple[Rows, Rows]:
    """Some candidates of each gold row out of very many: the nearest, then rows of one cell as wide as the tolerance.

    Those cells are laid twice along each axis, half a cell apart, so that what is too much in one goes into the next.
    """
    import numpy as np

    edges: list[tuple[Rows, Rows]] = [(np.arange(0), np.arange(0))]
    for share in _NEAR:
        finer = [_Axis(axis.gold / share, axis.found / share, axis.margin) for axis in axes]
        near, _ = _reached(keys, finer, _MOST_NEAR, partly=True)
        edges.append(near)
    chosen = _chosen(keys, axes).axes[:_MOST_CROWDED_AXES]
    for shift in product((0.0, 0.5), repeat=len(chosen)):
        moved = _Grid(
            tuple(_Axis(a.gold + by, a.found + by, a.margin) for a, by in zip(chosen, shift, strict=True)), 1.0
        )
        gold, found = (
            _cell_keys(side, [moved.cells(number, name) for number in range(len(chosen))])
            for side, name in zip(keys, ("gold", "found"), strict=True)
        )
        edges.append(_sharing(gold, found, max(1, _MOST_CROWDED >> len(chosen)))[0])
    return _joined(edges)


def _sharing(gold: Keys, found: Keys, most: int) -> tuple[tuple[Rows, Rows], bool]:
    """Places of equal keys, at most `most` for each gold row, and whether that is all."""
    import numpy as np

    room = max(len(gold), len(found))
    (gold_keys, gold_order), (found_keys, found_order) = in_order(gold, room), in_order(found, room)
    start, end = (np.searchsorted(found_keys, gold_keys, side=side) for side in ("left", "right"))
    there = np.flatnonzero(end > start)
    size = (end - start)[there]
    taken = np.minimum(size, most)
    first = np.repeat(np.cumsum(taken) - taken, taken)
    # Gold rows of one key begin at different places of it, so that together they look at more of it.
    turn = (np.arange(int(taken.sum())) - first + np.repeat(there, taken)) % np.repeat(size, taken)
    left = gold_order[np.repeat(there, taken)]
    right = found_order[np.repeat(start[there], taken) + turn]
    return (left, right), bool((size <= most).all())


def _joined(edges: Sequence[tuple[Rows, Rows]]) -> tuple[Rows, Rows]:
    import numpy as np

    return np.concatenate([pair[0] for pair in edges]), np.concatenate([pair[1] for pair in edges])


def _cell_keys(keys: Keys, cells: Sequence[NDArray[np.int64]]) -> Keys:
    import numpy as np

    return mixed([keys, *(cell.view(np.uint64) for cell in cells)]) if cells else keys


def _looked_into(keys: tuple[Keys, Keys], grid: _Grid) -> Iterator[tuple[Rows, Keys]]:
    """The gold rows and the keys of the cells that they look into: their own, and those that their tolerances reach."""
    import numpy as np

    numbers = range(len(grid.axes))
    cells, steps = [grid.cells(number, "gold") for number in numbers], [grid.steps(number) for number in numbers]
    for across in product((False, True), repeat=len(grid.axes)):
        rows = np.arange(len(keys[0]))
        for number in numbers:
            if across[number]:
                rows = rows[steps[number][rows] != 0]
        if rows.size:
            moved = [cells[n][rows] + (steps[n][rows] if across[n] else 0) for n in numbers]
            yield rows, _cell_keys(keys[0][rows], moved)


def _chosen(keys: tuple[Keys, Keys], axes: Sequence[_Axis]) -> _Grid:
    """The grid over the axes that tell most rows apart, no more of them than are needed."""
    import numpy as np

    sample = np.linspace(0, len(keys[1]) - 1, min(_SAMPLE, len(keys[1]))).astype(np.int64)
    grid = _Grid((), _WIDTHS[0])
    for width in _WIDTHS:
        left, codes = list(axes), [keys[1][sample]]
        share = _collisions(codes[0])
        grid = _Grid((), width)
        while left and len(grid.axes) < _MOST_AXES and share * len(keys[1]) > _FEW / 8:
            tried = [
                (_collisions(mixed([*codes, _Grid((axis,), width).cells(0, "found")[sample].view(np.uint64)])), number)
                for number, axis in enumerate(left)
            ]
            least, number = min(tried)
            if least >= share:
                break
            axis, share = left.pop(number), least
            grid = _Grid((*grid.axes, axis), width)
            codes.append(_Grid((axis,), width).cells(0, "found")[sample].view(np.uint64))
        if share * len(keys[1]) <= _FEW:
            break
    return grid


def _collisions(codes: Keys) -> float:
    """How often two of some rows share a cell."""
    import numpy as np

    _, counts = np.unique(codes, return_counts=True)
    return float((counts * (counts - 1)).sum() / max(1, len(codes) * (len(codes) - 1)))


def _paired(edges: tuple[Rows, Rows], rows: tuple[Rows, Rows], columns: Sequence[ColumnPair]) -> tuple[Rows, Rows]:
    """The most pairs (places) out of the candidates whose cells may all agree."""
    agreeing: list[tuple[Rows, Rows]] = [(edges[0][:0], edges[1][:0])]
    for start in range(0, len(edges[0]), _CHUNK):
        left, right = (side[start : start + _CHUNK] for side in edges)
        for column in columns:
            near = column.near(rows[0][left], rows[1][right])
            left, right = left[near], right[near]
        agreeing.append((left, right))
    left, right = _joined(agreeing)
    return most_pairs(left, right, (len(rows[0]), len(rows[1])))
