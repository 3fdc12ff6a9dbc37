"""Where to look when two pictures of an axes are compared: where nothing stands that is not drawn again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from benchwright.scorers.chart.numbers import among, column, listed, matrix, members, number

if TYPE_CHECKING:
    import numpy as np

FRAME: Final = 3
"""Pixels of the frame of an axes."""
BESIDE: Final = 2
"""Pixels beside grid lines that belong to them where edges are looked at."""


def seen_of(axes: Mapping[str, Any], height: int, width: int, beside: int = 1) -> np.ndarray[Any, Any]:
    """Where to look: not at legends, texts, and grid lines with some pixels beside them, which are not drawn again."""
    import numpy as np

    seen = np.ones((height, width), dtype=bool)
    boxes = [members(item).get("box") for item in [axes.get("legend"), *listed(axes.get("texts"))]]
    for box in boxes:
        if isinstance(box, list) and len(box) == 4:
            left, bottom, wide, high = column(box).tolist()
            rows = slice(max(0, int((1 - bottom - high) * height) - 3), max(0, int((1 - bottom) * height) + 4))
            seen[rows, max(0, int(left * width) - 3) : max(0, int((left + wide) * width) + 4)] = False
    if axes.get("projection") == "polar":
        return np.asarray(seen & _inside(axes, height, width))
    for name, low, high in _bands(axes):
        length = width if name == "x" else height
        side = slice(round(low * length), round(high * length) + 1)
        if name == "x":
            seen[:, side] = False
        else:
            seen[max(0, height - side.stop) : max(0, height - side.start)] = False
    for name, length in (("x", width), ("y", height)):
        for place in _grid(members(axes.get(name)), length):
            where = slice(max(0, place - beside), place + beside + 1)
            if name == "x":
                seen[:, where] = False
            else:
                seen[max(0, height - 1 - place - beside) : height - place + beside] = False
    return seen


def _inside(axes: Mapping[str, Any], height: int, width: int) -> np.ndarray[Any, Any]:
    """Where to look in polar axes: within the circle, not at its circles and rays."""
    import numpy as np

    rows, columns = np.indices((height, width))
    up, across = (height - 1) / 2 - rows, columns - (width - 1) / 2
    whole = min(height, width) / 2 + FRAME
    radius, angle = np.hypot(up, across), np.arctan2(up, across)
    seen = radius < whole - FRAME
    polar, scale = members(axes.get("polar")), members(axes.get("y"))
    low, high = (*column(listed(scale.get("limits"))).tolist(), 0.0, 0.0)[:2]
    low = low if polar.get("origin") is None else number(polar["origin"])
    for tick in column(listed(scale.get("ticks"))).tolist() if high != low else ():
        seen &= np.abs(radius - whole * (tick - low) / (high - low)) > BESIDE
    turn = -1.0 if polar.get("direction") == -1 else 1.0
    for tick in column(listed(members(axes.get("x")).get("ticks"))).tolist():
        ray = turn * tick + (0.0 if polar.get("offset") is None else number(polar["offset"]))
        beside = np.abs(radius * np.sin(angle - ray)) <= BESIDE
        seen &= ~(beside & (np.cos(angle - ray) > 0))
    return np.asarray(seen)


def _bands(axes: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
    """Bands across axes that show something else besides, by the axis that they stand on, as shares of it."""
    items = [item for item in listed(axes.get("series")) if isinstance(item, dict)]
    if all(among(item.get("kind"), {"span", "rule"}) for item in items):
        return
    for item in items:
        if item.get("kind") == "span":
            name = "x" if item.get("vertical", True) is True else "y"
            axis = members(axes.get(name))
            limits = column(axis.get("limits")).tolist()
            places = matrix(item.get("corners"))[:, 0 if name == "x" else 1]
            if axis.get("scale") == "linear" and len(limits) == 2 and limits[0] != limits[1]:
                shares = ((places - limits[0]) / (limits[1] - limits[0])).clip(0.0, 1.0)
                yield name, float(shares.min()), float(shares.max())


def _grid(axis: Mapping[str, Any], length: int) -> list[int]:
    """Pixels at which grid lines of a linear axis stand."""
    limits = column(axis.get("limits")).tolist()
    if axis.get("grid") is not True or axis.get("scale") != "linear" or len(limits) != 2 or limits[0] == limits[1]:
        return []
    shares = [(tick - limits[0]) / (limits[1] - limits[0]) for tick in column(listed(axis.get("ticks"))).tolist()]
    return [round(share * length) for share in shares if 0 <= share <= 1]
