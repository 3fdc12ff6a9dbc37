"""A figure of matplotlib in words: its size, and every axes with titles, ticks, legend and series."""

from __future__ import annotations

from typing import Any

from . import artists
from .colors import color_of
from .values import Budget, number, text

_MOST_AXES = 200
_MOST_TICKS = 500
_MOST_TEXTS = 100
_MOST_BOXES = 60


def described(figure: Any, dpi: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The figure as plain values; a part that cannot be read says so in its place."""
    budget = Budget()
    every = _all_axes(figure)
    usual = figure.dpi
    figure._set_dpi(_drawn_dpi(figure), forward=False)  # noqa: SLF001 - texts lie where they were drawn last
    try:
        return {
            "figure": _figure(figure, dpi, usual, options),
            "axes": [_guarded(lambda axes=axes: _axes(axes, every, budget)) for axes in every],
        }
    finally:
        figure._set_dpi(usual, forward=False)  # noqa: SLF001


def _drawn_dpi(figure: Any) -> float:
    """How many dots an inch had when a figure was drawn last, which its own number does not tell: 72 in a PDF."""
    renderers = (getattr(axes.title, "_renderer", None) for axes in figure.axes)
    found = next((renderer for renderer in renderers if renderer is not None), None)
    return float(figure.dpi if found is None else found.points_to_pixels(72.0))


def _guarded(read: Any) -> Any:
    try:
        return read()
    except Exception as error:  # noqa: BLE001 - one part less is better than none
        return {"failed": text(f"{type(error).__name__}: {error}")}


def _all_axes(figure: Any) -> list[Any]:
    found = list(figure.axes)
    for axes in list(found):
        found += [inner for inner in getattr(axes, "child_axes", ()) if inner not in found and hasattr(inner, "lines")]
    return found[:_MOST_AXES]


def _figure(figure: Any, dpi: Any, usual: float, options: dict[str, Any]) -> dict[str, Any]:
    from matplotlib import rcParams
    from matplotlib.colors import to_hex

    dpi = rcParams["savefig.dpi"] if dpi is None else dpi
    dpi = usual if dpi == "figure" else dpi
    title = getattr(figure, "_suptitle", None)
    legends = [_legend(legend, figure) for legend in figure.legends]
    return {
        "size": [number(side) for side in figure.get_size_inches()],
        "dpi": number(dpi),
        "title": text(title.get_text()) if title is not None else "",
        "written": {} if title is None else _guarded(lambda: {"title": _written([title], figure)}),
        "color": to_hex(figure.get_facecolor()),
        "legends": legends,
        "crop": _crop(figure, options),
    }


def _crop(figure: Any, options: dict[str, Any]) -> list[Any] | None:
    """The part of the figure that the picture shows, in inches: left, bottom, width, height; None: all of it."""
    from matplotlib import rcParams

    box = options.get("bbox_inches") or rcParams["savefig.bbox"]
    if box is None:
        return None
    if box == "tight":
        pad = options.get("pad_inches")
        pad = rcParams["savefig.pad_inches"] if not isinstance(pad, (int, float)) else pad
        box = figure.get_tightbbox(figure.canvas.get_renderer(), bbox_extra_artists=options.get("bbox_extra_artists"))
        box = box.padded(pad)
    return [number(value) for value in (box.x0, box.y0, box.width, box.height)]


def _axes(axes: Any, every: list[Any], budget: Budget) -> dict[str, Any]:
    from matplotlib.colors import to_hex

    place = axes.get_position()
    series = artists.series(axes, budget)
    legend = axes.get_legend()
    return {
        "role": role(axes, every),
        "projection": text(getattr(axes, "name", "")),
        **({"polar": _guarded(lambda: _polar(axes))} if hasattr(axes, "get_theta_offset") else {}),
        "position": [number(value) for value in (place.x0, place.y0, place.width, place.height)],
        "twin_of": _twin(axes, every),
        "kinds": list(dict.fromkeys(item["kind"] for item in series if item["kind"] not in artists.MINOR)),
        "title": " ".join(filter(None, (text(axes.get_title(side)) for side in ("left", "center", "right")))),
        "x_label": text(axes.get_xlabel()),
        "y_label": text(axes.get_ylabel()),
        "written": _guarded(lambda: _titles(axes)),
        **({"z_label": text(axes.get_zlabel())} if hasattr(axes, "get_zlabel") else {}),
        "legend": None if legend is None else _legend(legend, axes),
        **{
            name: _guarded(lambda name=name: _axis(axes, name))
            for name in ("x", "y", "z")
            if hasattr(axes, f"{name}axis")
        },
        "color": to_hex(axes.get_facecolor()),
        "shown": bool(axes.get_visible()),
        "frame": bool(axes.axison and axes.get_visible()),
        "series": series,
        "texts": [_text(item, axes) for item in axes.texts[:_MOST_TEXTS] if item.get_text()],
    }


def _polar(axes: Any) -> dict[str, Any]:
    return {
        "offset": number(axes.get_theta_offset()),
        "direction": number(axes.get_theta_direction()),
        "origin": number(axes.get_rorigin()),
    }


def role(axes: Any, every: list[Any]) -> str:
    """What an axes is for: "plot", "colorbar" or "inset"."""
    if getattr(axes, "_colorbar", None) is not None or axes.get_label() == "<colorbar>":
        return "colorbar"
    return "inset" if any(axes in getattr(other, "child_axes", ()) for other in every) else "plot"


def _twin(axes: Any, every: list[Any]) -> int | None:
    """The number of the earlier axes that lies in the same place and shares an axis with this one."""
    for place, other in enumerate(every[: every.index(axes)]):
        shared = other.get_shared_x_axes().joined(axes, other) or other.get_shared_y_axes().joined(axes, other)
        if shared and other.get_position().bounds == axes.get_position().bounds:
            return place
    return None


def _legend(legend: Any, owner: Any) -> dict[str, Any]:
    title = legend.get_title()
    return {
        "title": text(title.get_text()) if title is not None else "",
        "labels": [text(item.get_text()) for item in legend.get_texts()],
        "colors": _guarded(lambda: _handles(legend)),
        **_guarded(lambda: _written(legend.get_texts()[:_MOST_BOXES], legend.figure)),
        "box": _guarded(lambda: _box(legend, owner)),
    }


def _handles(legend: Any) -> list[str]:
    """The colour of each entry of a legend; empty where it has none."""
    handles = legend.legend_handles if hasattr(legend, "legend_handles") else legend.legendHandles
    return [_handle(handle) for handle in handles]


def _handle(handle: Any) -> str:
    from matplotlib.colors import to_rgba

    for name in ("get_facecolor", "get_color", "get_edgecolor"):
        value: Any = getattr(handle, name, lambda: None)()
        if getattr(value, "ndim", 1) == 2:  # of a collection, which has several
            value = value[0] if len(value) else None
        if value is not None and to_rgba(value)[3] > 0:
            return color_of(value)
    return ""


def _box(artist: Any, owner: Any) -> list[Any]:
    """The place of an artist in fractions of its axes (or figure): left, bottom, width, height."""
    frame = owner.transAxes if hasattr(owner, "transAxes") else owner.transFigure
    box = artist.get_window_extent().transformed(frame.inverted())
    return [number(value) for value in (box.x0, box.y0, box.width, box.height)]


def _text(item: Any, axes: Any) -> dict[str, Any]:
    written = _guarded(lambda: _written([item], axes.figure))
    return {"text": text(item.get_text()), "box": _guarded(lambda: _box(item, axes)), **written}


def _titles(axes: Any) -> dict[str, Any]:
    """How the title of an axes and the names of its axes are written, and where; not a title in several parts."""
    parts = [part for part in (axes.title, axes._left_title, axes._right_title) if part.get_text()]  # noqa: SLF001
    found = {"title": parts[0]} if len(parts) == 1 else {}
    for name, axis in (("x_label", axes.xaxis), ("y_label", axes.yaxis)):
        if axes.axison and axis.get_visible():
            found[name] = axis.label
    seen = {name: label for name, label in found.items() if label.get_text() and label.get_visible()}
    return {name: _written([label], axes.figure) for name, label in seen.items()} if axes.get_visible() else {}


def _written(labels: list[Any], figure: Any, shown: Any = None) -> dict[str, Any]:
    """How labels are written, and where on the figure, in shares of it; None for one that is not in view."""
    if not labels:
        return {}
    frame = figure.transFigure.inverted()
    boxes: list[Any] = []
    for place, label in enumerate(labels):
        seen = label.get_text() and (shown is None or shown[place])
        box = label.get_window_extent().transformed(frame) if seen else None
        boxes.append(None if box is None else [number(side) for side in (box.x0, box.y0, box.width, box.height)])
    return {
        "label_size": number(labels[0].get_size()),
        "label_font": text(labels[0].get_fontname()),
        "label_turn": number(labels[0].get_rotation()),
        "label_weight": text(labels[0].get_weight()),
        "label_boxes": boxes,
    }


def _ticks_written(axes: Any, axis: Any, places: Any) -> dict[str, Any]:
    labels = axis.get_majorticklabels()[:_MOST_BOXES]
    lowest, highest = sorted(axis.get_view_interval())
    fits = len(places) >= len(labels) and axes.get_visible() and axes.axison and axis.get_visible()
    return _written(labels, axes.figure, [lowest <= place <= highest for place in places]) if fits else {}


def _tick_labels(axes: Any, name: str, places: Any) -> list[str]:
    """The labels of ticks; where only another axes shows those of an axis that both share, the same."""
    axis = getattr(axes, f"{name}axis")
    labels = axis.get_majorticklabels()
    if not labels and len(places):
        siblings = getattr(axes, f"get_shared_{name}_axes")().get_siblings(axes)
        if any(getattr(other, f"{name}axis").get_majorticklabels() for other in siblings):
            return [text(label, 200) for label in axis.get_major_formatter().format_ticks(places)]
    return [text(label.get_text(), 200) for label in labels]


def _axis(axes: Any, name: str) -> dict[str, Any]:
    axis = getattr(axes, f"{name}axis")
    places = axis.get_majorticklocs()
    labels = _tick_labels(axes, name, places)
    lowest, highest = axis.get_view_interval()
    return {
        "type": artists.axis_type(axes, axis),
        "scale": text(axis.get_scale()),
        "limits": [number(lowest), number(highest)],
        "inverted": bool(axis.get_inverted()),
        "ticks": [number(place) for place in places[:_MOST_TICKS]],
        "labels": labels[:_MOST_TICKS],
        "fixed": artists.is_fixed(axis),
        "shown": bool(axis.get_visible()),
        **_ticks_written(axes, axis, places),
        "grid": bool(axis.get_gridlines() and axis.get_gridlines()[0].get_visible()) and bool(axes.axison),
    }
