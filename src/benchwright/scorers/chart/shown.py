"""What of a described series can be seen: nothing of one without ink, and of any only what lies in view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from benchwright.scorers.chart.naming import misleads
from benchwright.scorers.chart.numbers import among, column, listed, matrix, members, number
from benchwright.scorers.chart.panels import UnreadableChart

if TYPE_CHECKING:
    import numpy as np

Item = Mapping[str, Any]

_NONE: Final = frozenset(("None", "none", " ", ""))
"""Matplotlib's words for no line and no marker."""
_AS_GROUND: Final = 12
"""How far (of 255) each part of a colour may be from the ground's to be told from it by nobody."""
_RIM: Final = 1e-6
_ALL: Final = 1_000_000_000
"""How much of a series is out of view whose values cannot be read."""
_LEAST: Final = 0.1
"""The shortest side of an axes in which anything is seen, in inches."""


def axes_seen(axes: Item, figure: Item) -> bool:
    """Whether an axes is switched on, large enough to show anything, and lies on its figure."""
    if axes.get("shown", True) is not True:
        return False
    place, size = axes.get("position"), figure.get("size")
    if not isinstance(place, list) or not isinstance(size, list) or (len(place), len(size)) != (4, 2):
        return True
    left, bottom, wide, high = column(place).tolist()
    large: bool = min(wide * number(size[0]), high * number(size[1])) >= _LEAST
    return large and bool(0 <= left + wide / 2 <= 1 and 0 <= bottom + high / 2 <= 1)


def has_ink(item: Item, axes: Item) -> bool:
    """Whether a series has anything to be seen: bars of some width, points of some size, and of a line that has values
    a stroke that is no colour of the ground, or markers.
    """
    style = members(item.get("style"))
    if among(item.get("kind"), {"bar", "scatter"}):
        sizes = item.get("width") if item["kind"] == "bar" else style.get("sizes")
        return not listed(sizes) or any(size != 0 for size in listed(sizes))
    if item.get("kind") != "line":
        return True
    if style.get("alpha") == 0 or all(value is None for value in listed(item.get("y")) or [0]):
        return False
    marked = not among(style.get("marker", "None"), _NONE) and style.get("marker_size") != 0
    return marked or (is_joined(item) and not _as_ground(style, axes))


def is_joined(item: Item) -> bool:
    """Whether the points of a line are joined; where they are not, they are points."""
    style = members(item.get("style"))
    return not among(style.get("line", "-"), _NONE) and style.get("width", 1.0) != 0


def _as_ground(style: Item, axes: Item) -> bool:
    ground = axes.get("color", "#ffffff") if axes.get("frame", True) is True else "#ffffff"
    sides = [_parts(color) for color in (style.get("color"), ground)]
    if sides[0] is None or sides[1] is None:
        return False
    return all(abs(one - other) <= _AS_GROUND for one, other in zip(sides[0], sides[1], strict=True))


def _parts(color: Any) -> tuple[int, ...] | None:
    """Red, green and blue of "#rrggbb"; None of anything else."""
    try:
        return tuple(int(str(color)[place : place + 2], 16) for place in (1, 3, 5))
    except ValueError:
        return None


def unseen(item: Item, axes: Item) -> int:
    """How many of the things that a series shows lie outside of the limits of its axes."""
    reader = _OUTSIDE.get(str(item.get("kind")))
    value = members(axes.get("y" if item.get("vertical", True) is True else "x"))
    if _is_misread(value):
        return _ALL
    if reader is None or "z" in item or axes.get("projection", "rectilinear") != "rectilinear":
        return 0
    try:
        return int(reader(item, members(axes.get("x")), members(axes.get("y"))))
    except ValueError as error:
        raise UnreadableChart("the columns of a series have several lengths") from error


def _is_misread(axis: Item) -> bool:
    """Whether the numbers beside a linear axis are none of what stands there."""
    ticks, labels = listed(axis.get("ticks")), listed(axis.get("labels"))
    if axis.get("fixed") is not True or axis.get("type") != "number" or axis.get("scale", "linear") != "linear":
        return False
    if len(ticks) != len(labels) or not all(isinstance(label, str) for label in labels):
        return False
    away = outside(ticks, axis)
    seen = [(number(tick), label) for tick, label, gone in zip(ticks, labels, away, strict=True) if not gone]
    return misleads([tick for tick, _ in seen], [label for _, label in seen])


def outside(values: Any, axis: Item) -> np.ndarray[Any, Any]:
    """Which values lie outside of the limits of an axis, as many truth values; what is missing does not."""
    import numpy as np

    found = column(values)
    limits = column(listed(axis.get("limits")))
    if len(limits) != len(("low", "high")) or not np.isfinite(limits).all():
        return np.zeros(len(found), dtype=bool)
    if axis.get("scale") == "log" and limits.min() > 0:
        with np.errstate(divide="ignore", invalid="ignore"):
            found, limits = np.log10(np.where(found < 0, 0.0, found)), np.log10(limits)
    slack = _RIM * (limits.max() - limits.min())
    return np.asarray((found < limits.min() - slack) | (found > limits.max() + slack))


def _points(item: Item, x: Item, y: Item) -> int:
    if not isinstance(item.get("x"), list) or not isinstance(item.get("y"), list):
        return 0
    across, up = outside(item["x"], x), outside(item["y"], y)
    return int((across | up).sum()) if len(across) == len(up) else 0


def _bars(item: Item, x: Item, y: Item) -> int:
    """Bars whose end is cut off; where they begin may lie below the axis."""
    along, value = (x, y) if item.get("vertical", True) is True else (y, x)
    heights = column(item.get("y"))
    bases = column(item["base"]) if listed(item.get("base")) else 0 * heights
    ends, away = outside((heights + bases).tolist(), value), outside(item.get("x"), along)
    return int(((ends | away) & (heights != 0)).sum())


def _bins(item: Item, x: Item, y: Item) -> int:
    along, value = (x, y) if item.get("vertical", True) is True else (y, x)
    edges, counts = column(item.get("edges")), column(item.get("counts"))
    bases = column(item["base"]) if listed(item.get("base")) else 0 * counts
    away = outside(((edges[1:] + edges[:-1]) / 2).tolist(), along)
    return int(((outside((counts + bases).tolist(), value) | away) & (counts != 0)).sum())


def _areas(item: Item, x: Item, y: Item) -> int:
    along, value = (x, y) if item.get("vertical", True) is True else (y, x)
    count = 0
    for part in map(members, listed(item.get("parts"))):
        low, high = (outside(part.get(name), value) for name in ("low", "high"))
        count += int((outside(part.get("x"), along) | (low & high)).sum())
    return count


def _cells(item: Item, x: Item, y: Item) -> int:
    height, width = matrix(item.get("values")).shape
    if "x_edges" in item:
        across, up = (_middles(column(item.get(f"{name}_edges")).tolist()) for name in "xy")
    elif isinstance(item.get("extent"), list):
        left, right, bottom, top = column(item["extent"]).tolist()
        across = _middles([left + (right - left) * place / width for place in range(width + 1)])
        up = _middles([bottom + (top - bottom) * place / height for place in range(height + 1)])
    else:
        return 0
    inside = int((~outside(across, x)).sum()) * int((~outside(up, y)).sum())
    return int(height * width - inside)


def _middles(edges: list[float]) -> list[float]:
    return [(one + other) / 2 for one, other in pairwise(edges)]


def in_view(item: Item, axes: Item) -> Item:
    """A series of boxes or violins without those that lie outside of the limits: each is a series of its own."""
    name = {"box": "boxes", "violin": "shapes"}.get(str(item.get("kind")))
    if name is None or axes.get("projection", "rectilinear") != "rectilinear":
        return item
    x, y = members(axes.get("x")), members(axes.get("y"))
    along, value = (x, y) if item.get("vertical", True) is True else (y, x)
    kept = [
        one
        for one in listed(item.get(name))
        if not isinstance(one, dict) or not (_away(one, ("at",), along) or _away(one, ("med", "median"), value))
    ]
    return {**item, name: kept}


def _away(one: Item, names: tuple[str, ...], axis: Item) -> bool:
    values = [number(one[name]) for name in names if name in one]
    return bool(outside(values, axis).any())


_OUTSIDE: Final[Mapping[str, Callable[[Item, Item, Item], int]]] = {
    **dict.fromkeys(("line", "scatter", "errorbar", "stem", "hexbin"), _points),
    "bar": _bars,
    "histogram": _bins,
    "area": _areas,
    "heatmap": _cells,
}
