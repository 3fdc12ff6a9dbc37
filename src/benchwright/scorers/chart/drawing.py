"""A description drawn again with matplotlib: the ink of every axes where its picture has it, and nothing around it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from benchwright.scorers.chart.bounds import too_much
from benchwright.scorers.chart.numbers import among, column, columns, listed, matrix, members, number
from benchwright.scorers.chart.panels import UnreadableChart

if TYPE_CHECKING:
    import numpy as np

_LARGEST_FIGURE: Final = 400.0
_MARKERS: Final = frozenset(".,ov^<>12348spP*hH+xXDd|_")
_LINES: Final = frozenset(("-", "--", "-.", ":"))
_SCALES: Final = frozenset(("linear", "log", "symlog"))
_MOST_SHAPES: Final = 500
_MOST_SHADES: Final = 256
_FAINTEST: Final = 20
"""Opacity (of 255) below which ink is hardly seen."""
_IN_VIEW: Final = frozenset(("line", "scatter", "errorbar", "stem"))
_MOST_OF_IT: Final = 0.5
_BAR_SHARE: Final = 0.8
"""Of a bin, what the bars of several histograms take together."""

Item = Mapping[str, Any]


def figure_size(description: Mapping[str, Any]) -> tuple[float, float]:
    """Width and height of the figure in inches."""
    size = column(members(description.get("figure")).get("size"))
    if len(size) != 2 or not all(0 < side <= _LARGEST_FIGURE for side in size.tolist()):
        raise UnreadableChart("the figure has no size")
    return float(size[0]), float(size[1])


def drawn(description: Mapping[str, Any], pixels: int) -> np.ndarray[Any, Any]:
    """The whole figure as an array of height x width x 3 bytes, its longer side `pixels` long."""
    import matplotlib as mpl
    import numpy as np
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = figure_size(description)
    if too_much(description):
        raise UnreadableChart("it holds more than is drawn again")
    with mpl.rc_context():
        mpl.rcdefaults()
        figure = Figure(figsize=(width, height), dpi=pixels / max(width, height))
        canvas = FigureCanvasAgg(figure)
        for axes in listed(description.get("axes")):
            if isinstance(axes, dict) and axes.get("role") != "colorbar" and axes.get("shown", True):
                _axes(figure, axes)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()


def _axes(figure: Any, axes: Item) -> None:
    if axes.get("projection", "rectilinear") not in {"rectilinear", "polar"}:
        raise UnreadableChart(f"axes of the projection {str(axes['projection'])[:40]!r} are not drawn again")
    projection = "polar" if axes.get("projection") == "polar" else None
    area = figure.add_axes(column(axes.get("position")).tolist(), projection=projection)
    area.set_axis_off()
    items = [item for item in listed(axes.get("series")) if isinstance(item, dict)]
    for item in items:
        _check_view(axes, item)
        reader = _DRAWERS.get(str(item.get("kind")))
        if reader is not None:
            reader(area, item)
    if projection is None:
        area.set_aspect("auto")
    else:
        _turned(area, members(axes.get("polar")))
    for name in ("x", "y"):
        axis = members(axes.get(name))
        if among(axis.get("scale"), _SCALES) and projection is None:
            getattr(area, f"set_{name}scale")(axis["scale"])
        limits = column(axis.get("limits"))
        if len(limits) == 2 and all(map(math.isfinite, limits.tolist())):
            getattr(area, f"set_{name}lim")(*limits.tolist())


def _check_view(axes: Item, item: Item) -> None:
    """A series of which most lies outside of the limits shows nothing of what it holds."""
    import numpy as np

    if not among(item.get("kind"), _IN_VIEW) or axes.get("projection") == "polar":
        return
    for name in ("x", "y"):
        values = column(listed(item.get(name)))
        limits = column(listed(members(axes.get(name)).get("limits")))
        if len(limits) == len(("low", "high")) and np.isfinite(limits).all() and np.isfinite(values).any():
            known = values[np.isfinite(values)]
            if ((known >= limits.min()) & (known <= limits.max())).mean() < _MOST_OF_IT:
                raise UnreadableChart("a series outside of the limits is not drawn again")


def _turned(area: Any, polar: Item) -> None:
    """Where the angles of polar axes begin, and which way they go."""
    if polar.get("offset") is not None:
        area.set_theta_offset(number(polar["offset"]))
        area.set_theta_direction(-1 if polar.get("direction") == -1 else 1)
    if polar.get("origin") is not None:
        area.set_rorigin(number(polar["origin"]))


def _style(item: Item) -> Item:
    return members(item.get("style"))


def _color(item: Item, default: str = "#1f77b4") -> Any:
    style = _style(item)
    given = style.get("color") or next(iter(listed(style.get("colors"))), default)
    if not isinstance(given, str) or not given.startswith("#"):
        return default
    if len(given) == len("#rrggbbaa") and 0 < int(given[7:], 16) < _FAINTEST:
        raise UnreadableChart("a series that is hardly seen is not drawn again")
    return given[:7] if given.endswith("00") else given  # its edges are seen all the same


def _line(area: Any, item: Item) -> None:
    style = _style(item)
    steps = style.get("steps")
    marker = style.get("marker")
    if style and not among(style.get("line"), _LINES) and not among(marker, _MARKERS):
        raise UnreadableChart("a series that cannot be seen is not drawn again")
    area.plot(
        column(item.get("x")),
        column(item.get("y")),
        color=_color(item),
        linewidth=_size(style.get("width"), 1.5),
        linestyle=style["line"] if among(style.get("line"), _LINES) else "none",
        marker=marker if isinstance(marker, str) and marker in _MARKERS else "",
        markersize=_size(style.get("marker_size"), 6.0),
        drawstyle=steps if isinstance(steps, str) and steps.startswith("steps") else "default",
    )


def _size(value: Any, default: float) -> float:
    found = number(value)
    return found if 0 <= found <= 100 else default


def _rule(area: Any, item: Item) -> None:
    width = _size(_style(item).get("width"), 1.5)
    for name, draw in (("x", area.axvline), ("y", area.axhline)):
        for place in listed(item.get(name))[:1]:
            draw(number(place), color=_color(item), linewidth=width)


def _boxes_of_bars(area: Any, item: Item, boxes: np.ndarray[Any, Any]) -> None:
    """Bars given by middle, value, base and width."""
    colors = [color for color in listed(_style(item).get("colors")) if isinstance(color, str)] or [_color(item)]
    middle, value, base, width = boxes.T
    if item.get("vertical", True) is True:
        area.bar(middle, value, width, base, color=colors)
    else:
        area.barh(middle, value, width, base, color=colors)
    for low, high in ((item.get("y_low"), item.get("y_high")),):
        if low is not None and high is not None:
            area.vlines(middle, column(low), column(high), color="black")


def _bars(area: Any, item: Item) -> None:
    _boxes_of_bars(area, item, columns(item.get("x"), item.get("y"), item.get("base"), item.get("width")))


def _bins(area: Any, item: Item) -> None:
    edges, counts = column(item.get("edges")), column(item.get("counts"))
    if item.get("type") == "step":
        upright = item.get("vertical", True) is True
        filled = item.get("filled") is True
        color = _color(item) if filled else _style(item).get("edge") or _color(item)
        base = column(item["base"]) if listed(item.get("base")) else 0.0 * counts
        options = {"orientation": "vertical" if upright else "horizontal", "color": color, "fill": filled}
        area.stairs(counts + base, edges, baseline=base, **options)
    else:
        beside = max(1, int(_size(item.get("beside"), 1.0)))
        _shared_bins(area, item, int(_size(item.get("place"), 0.0)), beside)


def _shared_bins(area: Any, item: Item, place: int, count: int) -> None:
    """The bars of one of several histograms, which stand side by side in their bins."""
    import numpy as np

    edges, counts = column(item.get("edges")), column(item.get("counts"))
    whole = np.diff(edges)
    width = whole if count == 1 else whole * _BAR_SHARE / count
    start = edges[:-1] if count == 1 else edges[:-1] + whole * (1 - _BAR_SHARE) / 2 + place * width
    base = column(item["base"]) if listed(item.get("base")) else np.zeros_like(counts)
    _boxes_of_bars(area, item, np.stack([start + width / 2, counts, base, width], axis=1))


def _points(area: Any, item: Item) -> None:
    import numpy as np

    if "z" in item:
        raise UnreadableChart("three dimensions are not drawn again")
    style = _style(item)
    points = columns(item.get("x"), item.get("y"))
    palette, which = listed(style.get("colors")), listed(style.get("which"))
    sizes = column(listed(style.get("sizes"))) if style.get("sizes") else np.array([36.0])
    colors: Any = _color(item)
    if len(which) == len(points) and all(isinstance(one, int) and 0 <= one < len(palette) for one in which):
        colors = [palette[one] for one in which]
    fitting = sizes if len(sizes) == len(points) else sizes[:1]
    area.scatter(points[:, 0], points[:, 1], s=np.clip(fitting, 0, 1e4), c=colors)


def _errors(area: Any, item: Item) -> None:
    if item.get("x") is not None and item.get("y") is not None:
        _line(area, item)
    for name, other, draw in (("y", "x", area.vlines), ("x", "y", area.hlines)):
        if item.get(f"{name}_low") is not None and item.get(other) is not None:
            draw(column(item[other]), column(item[f"{name}_low"]), column(item[f"{name}_high"]), color=_color(item))


def _stem(area: Any, item: Item) -> None:
    places = column(item.get("x"))
    area.vlines(places, 0, column(item.get("y")), color=_color(item))
    if places.size:
        area.hlines(0, places.min(), places.max(), color=_color(item))
    _line(area, item)


def _area(area: Any, item: Item) -> None:
    fill = area.fill_between if item.get("vertical", True) is True else area.fill_betweenx
    for part in listed(item.get("parts")):
        table = columns(*(members(part).get(name) for name in ("x", "low", "high")))
        fill(table[:, 0], table[:, 1], table[:, 2], color=_color(item))


def _pie(area: Any, item: Item) -> None:
    from matplotlib.patches import Wedge

    colors = listed(_style(item).get("colors"))
    start, radius = number(item.get("start")), number(item.get("radius"))
    width = radius - number(item.get("hole"))
    for place, share in enumerate(column(item.get("shares")).tolist()):
        color = colors[place] if place < len(colors) else _color(item)
        area.add_patch(Wedge((0, 0), radius, start, start + 360 * share, width=width, color=color))
        start += 360 * share


def _matrix(area: Any, item: Item) -> None:
    import numpy as np

    values = matrix(item.get("values"))
    options = _mapped(item)
    if "x_edges" in item:
        area.pcolormesh(column(item["x_edges"]), column(item.get("y_edges")), values, **options)
        return
    origin = "lower" if item.get("origin") == "lower" else "upper"
    extent = column(item.get("extent")).tolist()
    area.imshow(np.ma.masked_invalid(values), origin=origin, extent=extent, **options)


def _mapped(item: Item) -> dict[str, Any]:
    import matplotlib as mpl

    style = _style(item)
    name, limits = style.get("cmap"), listed(style.get("limits"))
    options: dict[str, Any] = {"cmap": name if name in mpl.colormaps else "viridis"}
    shades = [shade for shade in listed(style.get("shades")) if isinstance(shade, str)][:_MOST_SHADES]
    if shades:
        options["cmap"] = mpl.colors.LinearSegmentedColormap.from_list("shades", shades)
    if len(limits) == 2:
        options |= {"vmin": number(limits[0]), "vmax": number(limits[1])}
    return options


def _hexagons(area: Any, item: Item) -> None:
    where = columns(item.get("x"), item.get("y"))
    _shaded(area, item, [matrix(item.get("shape")) + place for place in where])


def _shaded(area: Any, item: Item, shapes: Sequence[Any]) -> None:
    """Shapes, each in the shade of its value."""
    from matplotlib.collections import PolyCollection

    options = _mapped(item)
    drawing = PolyCollection(shapes, cmap=options.pop("cmap"))
    drawing.set_array(column(item.get("values")))
    drawing.set_clim(**options)
    area.add_collection(drawing)


def _contours(area: Any, item: Item) -> None:
    places = [column(item[name]) if name in item else None for name in ("x", "y")]
    values = matrix(item.get("z"))
    if any(place is None or place.size not in {*values.shape, values.size} for place in places):
        given: Sequence[Any] = (values,)
    else:
        given = [
            place.reshape(values.shape) if place.size == values.size else place for place in places if place is not None
        ]
        given = [*given, values]
    draw = area.contourf if item.get("filled") is True else area.contour
    draw(*given, levels=sorted(set(column(item.get("levels")).tolist())), **_mapped(item))


def _box_plot(area: Any, item: Item) -> None:
    names = ("q1", "med", "q3", "whislo", "whishi", "at", "width")
    upright = item.get("vertical", True) is True
    for box in map(members, listed(item.get("boxes"))):
        q1, median, q3, low, high, at, width = (number(box.get(name)) for name in names)
        color = _color(item) if item.get("filled") is True else None
        draw = area.bar if upright else area.barh
        fill = {"color": color} if color else {"facecolor": "none"}
        draw(at, q3 - q1, width, q1, edgecolor="black", **fill)
        along, across = (area.vlines, area.hlines) if upright else (area.hlines, area.vlines)
        along([at, at], [low, q3], [q1, high], color="black")
        across([low, median, high], at - width / 4, at + width / 4, color="black")
        across([median], at - width / 2, at + width / 2, color="black")
        fliers = column(listed(box.get("fliers")))
        sides = ([at] * len(fliers), fliers) if upright else (fliers, [at] * len(fliers))
        area.plot(*sides, linestyle="none", marker="o", fillstyle="none", color="black")


def _violins(area: Any, item: Item) -> None:
    upright = item.get("vertical", True) is True
    fill = area.fill_betweenx if upright else area.fill_between
    for shape in map(members, listed(item.get("shapes"))):
        table = columns(shape.get("coords"), shape.get("vals"))
        half = table[:, 1] / max(float(table[:, 1].max()), 1e-300) * _size(shape.get("width"), 0.5) / 2
        fill(table[:, 0], number(shape.get("at")) - half, number(shape.get("at")) + half, color=_color(item))


def _segments(area: Any, item: Item) -> None:
    if item.get("segments") is None:
        _line(area, item)
        return
    along = {"x": area.get_xaxis_transform(), "y": area.get_yaxis_transform()}.get(str(item.get("along")))
    options: dict[str, Any] = {} if along is None else {"transform": along}
    for segment in listed(item.get("segments"))[:2000]:
        if listed(segment):
            width = _size(_style(item).get("width"), 1.5)
            area.plot(*matrix(segment).T, color=_color(item), linewidth=width, **options)


def _shape(area: Any, item: Item) -> None:
    """One shape by its corners, or several."""
    from matplotlib.patches import Polygon

    corners = listed(item.get("corners"))
    several = bool(listed(corners[0]) and isinstance(corners[0][0], list)) if corners else False
    if several and "values" in item:
        _shaded(area, item, [matrix(piece) for piece in corners[:_MOST_SHAPES]])
        return
    for piece in corners[:_MOST_SHAPES] if several else [corners]:
        area.add_patch(Polygon(matrix(piece), color=_color(item)))


def _span(area: Any, item: Item) -> None:
    """A band across the axes."""
    across, up = matrix(item.get("corners")).T
    draw, sides = (area.axvspan, across) if item.get("vertical", True) is True else (area.axhspan, up)
    draw(float(sides.min()), float(sides.max()), color=_color(item))


def _vectors(area: Any, item: Item) -> None:
    area.quiver(*(column(item.get(name)) for name in ("x", "y", "u", "v")))


def _not_drawn(_: Any, item: Item) -> None:
    raise UnreadableChart(f"a {item['kind']} is not drawn again")


_DRAWERS: Final[Mapping[str, Callable[[Any, Item], None]]] = {
    "line": _line,
    "rule": _rule,
    "bar": _bars,
    "histogram": _bins,
    "scatter": _points,
    "errorbar": _errors,
    "stem": _stem,
    "area": _area,
    "pie": _pie,
    "heatmap": _matrix,
    "hexbin": _hexagons,
    "contour": _contours,
    "box": _box_plot,
    "violin": _violins,
    "segments": _segments,
    "patch": _shape,
    "span": _span,
    "vectors": _vectors,
    **dict.fromkeys(("surface", "wireframe", "bar3d", "picture", "unreadable"), _not_drawn),
}
