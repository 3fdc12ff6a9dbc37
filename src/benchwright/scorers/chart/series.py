"""From the series that our capture wrote to tables that can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from benchwright.scorers.chart.long_series import long_series
from benchwright.scorers.chart.naming import is_count, worded_places
from benchwright.scorers.chart.numbers import column, columns, listed, matrix, number
from benchwright.scorers.chart.panels import Series, UnreadableChart
from benchwright.scorers.chart.shown import is_joined
from benchwright.scorers.chart.tables import in_place
from benchwright.scorers.chart.texts import folded

_BOX: Final = ("q1", "med", "q3", "whislo", "whishi")
_MOST_TICKS: Final = 500
_NEAR: Final = 0.5
"""How far from a tick a bar may stand to be named by its label: half the distance of categories."""
_EXACT: Final = 1e-6


def series_of(item: Mapping[str, Any], x: Mapping[str, Any], y: Mapping[str, Any]) -> Iterator[Series]:
    """The tables of one written series, given the axes it stands on; an unknown kind has none."""
    long = long_series(item, _label(item))
    if long is not None:
        yield long
        return
    reader = _READERS.get(item["kind"])
    if reader is not None:
        yield from reader(item, x, y)


def _label(item: Mapping[str, Any]) -> str:
    label = item.get("label")
    return label if isinstance(label, str) else ""


def _standing(
    places: Sequence[float], axis: Mapping[str, Any], near: float = _NEAR
) -> tuple[tuple[str, ...], list[float]]:
    """What things that stand at these places are called, or else where they stand.

    Names that spell numbers or dates are these, as an axis of numbers or dates has them.
    """
    names = _names(places, axis, near=near)
    worded = worded_places(names)
    if not names or worded is None:
        return names, list(places)
    ticks = [number(tick) for tick in axis["ticks"][:_MOST_TICKS]]
    if axis.get("type") == "category" or is_count(ticks):
        return (), worded
    return (), [min(ticks, key=lambda tick: abs(tick - place)) for place in places]


def _names(
    places: Sequence[float], axis: Mapping[str, Any], *, twice: bool = False, near: float = _NEAR
) -> tuple[str, ...]:
    """The labels of an axis at these places, where labels were set one by one; empty where one has none.

    `twice`: whether several things may have one name. `near`: how far from its tick a thing may stand.
    """
    ticks, labels = axis.get("ticks"), axis.get("labels")
    if not axis.get("fixed") or not isinstance(ticks, list) or not isinstance(labels, list) or not ticks:
        return ()
    known = [(number(tick), str(label)) for tick, label in zip(ticks[:_MOST_TICKS], labels, strict=False)]
    nearest = [min(known, key=lambda pair: abs(pair[0] - place)) for place in places]
    if any(not abs(tick - place) <= near for (tick, _), place in zip(nearest, places, strict=True)):
        return ()
    names = tuple(label for _, label in nearest)
    return names if twice or len(set(names)) == len(names) else ()


def _bars(item: Mapping[str, Any], x: Mapping[str, Any], y: Mapping[str, Any]) -> Iterator[Series]:
    upright = item.get("vertical", True) is True
    names, places = _standing(column(item.get("x")).tolist(), x if upright else y)
    spans = [item[f"y_{end}"] for end in ("low", "high") if f"y_{end}" in item]
    bases = [item["base"]] if any(column(item.get("base", []))) else []
    if names:
        yield Series(
            "bar", _label(item), columns(item.get("y"), *bases, *spans), names, from_zero=True, spans=len(spans)
        )
    else:
        table = columns(places, item.get("y"), *bases, *spans)
        yield Series("bar", _label(item), table, places=1, from_zero=True, spans=len(spans))


def _bins(item: Mapping[str, Any], _x: Any, _y: Any) -> Iterator[Series]:
    edges, counts = column(item.get("edges")), column(item.get("counts"))
    if len(edges) != len(counts) + 1:
        raise UnreadableChart("a histogram has not one edge more than bins")
    table = columns(((edges[1:] + edges[:-1]) / 2).tolist(), counts.tolist())
    yield Series("bar", _label(item), table, places=1, from_zero=True)


def _points(*names: str, places: int = 1) -> Callable[..., Iterator[Series]]:
    def read(item: Mapping[str, Any], x: Mapping[str, Any], y: Mapping[str, Any]) -> Iterator[Series]:
        kind = item["kind"]
        given = {**item, "x": item.get("x_days", item.get("x"))}
        there = [name for name in names if name in given and given[name] is not None]
        spans = [name for name in ("x_low", "x_high", "y_low", "y_high") if name in item]
        table = columns(*(given[name] for name in (*there, *spans)))
        if kind == "scatter" and len(there) == len(("x", "y")) and (grouped := _grouped(item, table, x, y)) is not None:
            yield grouped
            return
        keys: tuple[str, ...] = ()
        if len(there) == len(("x", "y")) and _is_named(x):
            keys, table[:, 0] = _standing(table[:, 0].tolist(), x, _NEAR if x.get("type") == "category" else _EXACT)
        if keys:
            yield Series(kind, _label(item), table[:, 1:], keys, spans=len(spans))
        else:
            joined = kind == "line" and is_joined(item)
            found = Series(kind, _label(item), table, places=min(places, len(there)), path=joined, spans=len(spans))
            ends = column(listed(item.get("x_ends"))).tolist()
            yield replace(found, ends=tuple(ends)) if len(ends) == len(table) else found

    return read


def _is_named(axis: Mapping[str, Any]) -> bool:
    """Whether the things along an axis are called by its labels: categories, or things that are numbered."""
    if axis.get("type") == "category":
        return True
    ticks = listed(axis.get("ticks"))[:_MOST_TICKS]
    return axis.get("type") == "number" and axis.get("fixed") is True and is_count([number(tick) for tick in ticks])


def _grouped(item: Mapping[str, Any], table: Any, x: Mapping[str, Any], y: Mapping[str, Any]) -> Series | None:
    """Points that stand at names, wherever beside them: strips spread theirs by chance.

    Points of one name are sorted by their values. None where neither axis has names.
    """
    import numpy as np

    for place, axis in enumerate((x, y)):
        if axis.get("type") == "category" or _worded(axis):
            names = _names(table[:, place].tolist(), axis, twice=True)
            if names:
                values = np.delete(table, place, axis=1)
                order = np.lexsort((*values.T[::-1], np.array([folded(name) for name in names])))
                return Series(item["kind"], _label(item), values[order], tuple(names[row] for row in order))
    return None


def _worded(axis: Mapping[str, Any]) -> bool:
    """Whether an axis has labels that were set one by one, and are no numbers."""
    labels = [label for label in listed(axis.get("labels")) if isinstance(label, str) and label]
    return axis.get("fixed") is True and bool(labels) and not any(any(map(str.isdigit, label)) for label in labels)


def _pie(item: Mapping[str, Any], _x: Any, _y: Any) -> Iterator[Series]:
    shares, labels = item.get("shares"), item.get("labels")
    names = tuple(map(str, labels)) if isinstance(labels, list) and len(set(map(str, labels))) == len(labels) else ()
    table = columns(shares)
    yield Series("pie", _label(item), table, names if len(names) == len(table) else (), from_zero=True)


def _boxes(item: Mapping[str, Any], x: Mapping[str, Any], y: Mapping[str, Any]) -> Iterator[Series]:
    import numpy as np

    boxes = [box for box in listed(item.get("boxes")) if isinstance(box, dict)]
    axis = x if item.get("vertical", True) is True else y
    for box in boxes:
        name = _names([number(box.get("at"))], axis)
        fliers = np.sort(column(box.get("fliers", [])))
        values = np.concatenate([[number(box.get(part)) for part in _BOX], fliers])
        yield Series("box", " ".join(filter(None, (*name, _label(item)))), values[:, None])


def _violins(item: Mapping[str, Any], x: Mapping[str, Any], y: Mapping[str, Any]) -> Iterator[Series]:
    axis = x if item.get("vertical", True) is True else y
    for shape in listed(item.get("shapes")):
        if isinstance(shape, dict):
            name = _names([number(shape.get("at"))], axis)
            table = columns(shape.get("coords"), shape.get("vals"))
            label = " ".join(filter(None, (*name, _label(item))))
            yield Series("violin", label, table, places=1, from_zero=True)


def _areas(item: Mapping[str, Any], _x: Any, _y: Any) -> Iterator[Series]:
    for part in listed(item.get("parts")):
        if isinstance(part, dict):
            table = columns(part.get("x"), part.get("low"), part.get("high"))
            if not (table[:, 1].any() and table[:, 2].any()):  # it begins at zero
                table = columns(part.get("x"), (table[:, 1] + table[:, 2]).tolist())
            yield Series("area", _label(item), table, places=1, from_zero=True)


def _mesh(item: Mapping[str, Any], x: Mapping[str, Any], y: Mapping[str, Any]) -> Iterator[Series]:
    """A matrix by the names of its rows and columns, where both axes name them; else by place, as it is seen."""
    import numpy as np

    values = matrix(item.get("values"))
    height, width = values.shape
    start = 0.5 if "x_edges" in item else 0.0
    across = _names([start + place for place in range(width)], x)
    up = _names([start + place for place in range(height)], y)
    if across and up:
        names = tuple(f"{row} | {name}" for row in up for name in across)
        yield Series("heatmap", _label(item), values.reshape(-1, 1), names)
        return
    downwards = item.get("origin", "lower") != "upper" and "x_edges" not in item
    shown = np.flipud(values) if downwards else values
    yield Series("heatmap", _label(item), in_place(shown), places=2, ordered=True)


def _contours(item: Mapping[str, Any], _x: Any, _y: Any) -> Iterator[Series]:
    import numpy as np

    parts = [column(item[name]) for name in ("x", "y", "z", "levels") if item.get(name) is not None]
    yield Series("contour", _label(item), np.concatenate(parts)[:, None], ordered=True)


def _solids(*names: str) -> Callable[..., Iterator[Series]]:
    def read(item: Mapping[str, Any], _x: Any, _y: Any) -> Iterator[Series]:
        import numpy as np

        parts = [
            column(item[name]) if isinstance(item[name], list) else [number(item[name])]
            for name in names
            if name in item
        ]
        yield Series(item["kind"], _label(item), np.concatenate(parts)[:, None], ordered=True)

    return read


def _shapes(item: Mapping[str, Any], _x: Mapping[str, Any], _y: Mapping[str, Any]) -> Iterator[Series]:
    """Shapes by the box around each, and what it is coloured by."""
    import numpy as np

    corners = listed(item.get("corners"))
    several = bool(corners and listed(corners[0]) and isinstance(corners[0][0], list))
    pieces = [_corners(piece) for piece in (corners if several else [corners])]
    boxes = np.array([[*piece.min(axis=0), *piece.max(axis=0)] for piece in pieces])
    shades = [item["values"]] if "values" in item else []
    yield Series("patch", _label(item), columns(*boxes.T.tolist(), *shades), places=4)


def _lines(item: Mapping[str, Any], _x: Mapping[str, Any], _y: Mapping[str, Any]) -> Iterator[Series]:
    """Segments by their ends."""
    pieces = [_corners(each) for each in listed(item.get("segments")) if listed(each)]
    if pieces:
        ends = ([*piece[0], *piece[-1]] for piece in pieces)
        yield Series("segments", _label(item), columns(*map(list, zip(*ends, strict=True))), places=4)


def _corners(value: Any) -> Any:
    corners = matrix(value)
    if corners.shape[1] != 2:
        raise UnreadableChart("a shape is no list of points")
    return corners


_READERS: Final[Mapping[str, Callable[..., Iterator[Series]]]] = {
    "bar": _bars,
    "histogram": _bins,
    "line": _points("x", "y", "z"),
    "errorbar": _points("x", "y"),
    "stem": _points("x", "y"),
    "scatter": _points("x", "y", "z", "values", places=0),
    "hexbin": _points("x", "y", "values", places=2),
    "vectors": _points("x", "y", "u", "v", places=2),
    "area": _areas,
    "pie": _pie,
    "patch": _shapes,
    "segments": _lines,
    "box": _boxes,
    "violin": _violins,
    "heatmap": _mesh,
    "contour": _contours,
    "surface": _solids("X", "Y", "Z"),
    "wireframe": _solids("X", "Y", "Z"),
    "bar3d": _solids("x", "y", "z", "dx", "dy", "dz"),
}
