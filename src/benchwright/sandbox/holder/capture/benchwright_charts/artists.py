"""The series of one axes: what its artists show, with labels, values and enough of their style to draw them again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import notes, shapes
from .colors import color_of, is_seen, mapped
from .values import Budget, number, text

MINOR = ("rule", "span", "patch", "segments")
"""Kinds that decorate a chart and say nothing about what kind of chart it is."""
_MOST_SERIES = 500


class Claimed:
    """Artists that are part of a series already."""

    def __init__(self) -> None:
        self.ids: set[int] = set()

    def add(self, *found: Any) -> None:
        """These are."""
        self.ids.update(id(artist) for artist in found)

    def __contains__(self, artist: Any) -> bool:
        return id(artist) in self.ids


def series(axes: Any, budget: Budget) -> list[dict[str, Any]]:
    """Every series of an axes, in the order: noted calls, containers, patches, lines, collections, pictures."""
    found: list[dict[str, Any]] = []
    claimed = Claimed()
    for read in (_noted, _containers, _patches, _lines, shapes.read, shapes.pictures):
        try:
            for item in read(axes, claimed, budget):
                found.append(item)
                if len(found) >= _MOST_SERIES:
                    return found
        except Exception as error:  # noqa: BLE001 - the rest is described all the same
            found.append({"kind": "unreadable", "failed": text(f"{read.__name__}: {type(error).__name__}: {error}")})
    return found


def label_of(artist: Any) -> str:
    """The label that a legend would show; empty where it has none."""
    label = text(artist.get_label() or "")
    return "" if label.startswith("_") else label


def axis_type(axes: Any, axis: Any) -> str:
    """What an axis counts in: "category", "date" (days since 1970), "period" (of pandas) or "number"."""
    if hasattr(getattr(axis, "units", None), "_mapping"):
        return "category"
    converter = axis.get_converter() if hasattr(axis, "get_converter") else getattr(axis, "converter", None)
    name = type(converter).__name__
    if "Period" in name or (axis is axes.xaxis and getattr(axes, "freq", None) is not None):
        return "period"
    return "date" if "Date" in name or "Datetime" in name else "number"


def is_fixed(axis: Any) -> bool:
    """Whether the labels of an axis were set one by one, so that they name what stands there."""
    from matplotlib.ticker import FixedLocator

    return hasattr(getattr(axis, "units", None), "_mapping") or isinstance(axis.get_major_locator(), FixedLocator)


# --- noted calls


def _noted(axes: Any, claimed: Claimed, budget: Budget) -> Iterator[dict[str, Any]]:
    for note in axes.__dict__.get(notes.ATTRIBUTE, ()):
        if not note.alive(axes):
            continue
        claimed.add(*note.artists)
        if any(map(is_seen, note.artists)):
            item = {
                "kind": note.kind,
                "label": "",
                **{name: _plain(value, budget) for name, value in note.values.items()},
            }
            if str(item["label"]).startswith("_"):
                item["label"] = ""
            yield {**item, "style": _guess_style(note.artists[0])}


def _plain(value: Any, budget: Budget) -> Any:
    if getattr(value, "shape", ()):
        return budget.values(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item, budget) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item, budget) for name, item in value.items()}
    if isinstance(value, (bool, type(None))):
        return value
    return text(value) if isinstance(value, str) else number(value)


def _guess_style(artist: Any) -> dict[str, Any]:
    style: dict[str, Any] = {}
    for name, read in (("color", "get_facecolor"), ("color", "get_color"), ("width", "get_linewidth")):
        reader = getattr(artist, read, None)
        value = None if reader is None else reader()
        if value is None or name in style:
            continue
        try:
            style[name] = color_of(value) if name == "color" else number(value)
        except ValueError:
            continue
    if hasattr(artist, "get_cmap") and getattr(artist, "get_array", lambda: None)() is not None:
        style |= mapped(artist)
    return style


# --- containers


def _containers(axes: Any, claimed: Claimed, budget: Budget) -> Iterator[dict[str, Any]]:
    from matplotlib.container import BarContainer, ErrorbarContainer, StemContainer

    for container in axes.containers:
        if isinstance(container, BarContainer):
            patches = [patch for patch in container.patches if patch not in claimed and patch.axes is axes]
            claimed.add(*patches)
            seen = [patch for patch in patches if is_seen(patch)]
            if seen:
                yield _bars(container, seen, claimed, budget)
    for container in axes.containers:
        if isinstance(container, ErrorbarContainer) and container not in claimed:
            item = _errors(container, claimed, budget)
            if any(map(is_seen, container.get_children())):
                yield item
        elif isinstance(container, StemContainer):
            claimed.add(container.markerline, container.baseline)
            claimed.add(
                *(container.stemlines if isinstance(container.stemlines, (list, tuple)) else [container.stemlines])
            )
            if not any(map(is_seen, container.get_children())):
                continue
            line = container.markerline
            values = {"x": budget.values(line.get_xdata(orig=False)), "y": budget.values(line.get_ydata(orig=False))}
            yield {"kind": "stem", "label": label_of(container), **values, "style": line_style(line)}


def _bars(container: Any, patches: list[Any], claimed: Claimed, budget: Budget) -> dict[str, Any]:
    horizontal = getattr(container, "orientation", None) == "horizontal"
    boxes = [(patch.get_x(), patch.get_y(), patch.get_width(), patch.get_height()) for patch in patches]
    if horizontal:
        boxes = [(y, x, height, width) for x, y, width, height in boxes]
    upright = [_upright(*box) for box in boxes]
    item = {
        "kind": "bar",
        "label": label_of(container),
        "vertical": not horizontal,
        "x": budget.values([box[0] for box in upright]),
        "y": budget.values([box[1] for box in upright]),
        "base": budget.values([box[2] for box in upright]),
        "width": budget.values([box[3] for box in upright]),
        "style": {"colors": [color_of(patch.get_facecolor()) for patch in patches[:_MOST_SERIES]]},
    }
    if getattr(container, "errorbar", None) is not None:
        claimed.add(container.errorbar)
        item |= _spans(container.errorbar, claimed, budget)
    return item


def _upright(at: float, base: float, width: float, height: float) -> tuple[float, float, float, float]:
    """Middle, value, base and width of a bar; one that hangs from 0 may be stored as standing on its lower end."""
    if base < 0 and height > 0 and abs(base + height) <= 1e-12 * abs(base):
        base, height = 0.0, base
    return at + width / 2, height, base, width


def _errors(container: Any, claimed: Claimed, budget: Budget) -> dict[str, Any]:
    line = container[0]
    item = {"kind": "errorbar", "label": label_of(container), **_spans(container, claimed, budget)}
    if line is not None:
        claimed.add(line)
        values = {"x": budget.values(line.get_xdata(orig=False)), "y": budget.values(line.get_ydata(orig=False))}
        item |= {**values, "style": line_style(line)}
    return item


def _spans(container: Any, claimed: Claimed, budget: Budget) -> dict[str, Any]:
    """From where to where the error bars reach, along x and y."""
    import numpy as np

    _, caps, bars = container.lines
    claimed.add(*caps, *bars)
    spans: dict[str, Any] = {}
    names = [name for name, there in (("x", container.has_xerr), ("y", container.has_yerr)) if there]
    for name, collection in zip(names, bars, strict=False):
        ends = np.array([segment[[0, -1]] for segment in collection.get_segments() if len(segment)])
        if ends.size:
            column = 0 if name == "x" else 1
            spans[f"{name}_low"] = budget.values(ends[:, :, column].min(axis=1))
            spans[f"{name}_high"] = budget.values(ends[:, :, column].max(axis=1))
    return spans


# --- patches


def _patches(axes: Any, claimed: Claimed, budget: Budget) -> Iterator[dict[str, Any]]:
    from matplotlib.patches import StepPatch, Wedge

    rest = [patch for patch in axes.patches if patch not in claimed and is_seen(patch)]
    wedges = [patch for patch in rest if isinstance(patch, Wedge)]
    if wedges:
        yield _pie(axes, wedges, budget)
    for patch in rest:
        if isinstance(patch, StepPatch):
            yield {"label": label_of(patch), **_stairs(patch, budget)}
        elif not isinstance(patch, Wedge):
            yield from _shape(axes, patch, budget)


def _pie(axes: Any, wedges: list[Any], budget: Budget) -> dict[str, Any]:
    return {
        "kind": "pie",
        "label": "",
        "shares": budget.values([(wedge.theta2 - wedge.theta1) / 360 for wedge in wedges]),
        "start": number(wedges[0].theta1),
        "labels": _wedge_labels(axes, wedges),
        "radius": number(wedges[0].r),
        "hole": number(wedges[0].r - wedges[0].width) if wedges[0].width else 0.0,
        "style": {"colors": [color_of(wedge.get_facecolor()) for wedge in wedges]},
    }


def _stairs(patch: Any, budget: Budget) -> dict[str, Any]:
    counts, edges, _ = patch.get_data()
    return {
        "kind": "histogram",
        "edges": budget.values(edges),
        "counts": budget.values(counts),
        "vertical": patch.orientation == "vertical",
        "type": "step",
        "filled": bool(patch.get_fill()),
        "style": _patch_style(patch),
    }


def _patch_style(patch: Any) -> dict[str, Any]:
    return {"color": color_of(patch.get_facecolor()), "edge": color_of(patch.get_edgecolor())}


def _shape(axes: Any, patch: Any, budget: Budget) -> Iterator[dict[str, Any]]:
    """A shape by its corners: in the units of the axes, or in fractions of it along an axis that it spans."""
    ends = getattr(patch, "_posA_posB", None)  # of an arrow, whose head depends on the size of the picture
    corners = patch.get_patch_transform().transform(patch.get_path().vertices) if ends is None else ends
    if len(corners):
        blended = _blended(axes, patch)
        item = {"kind": "span" if blended else "patch", "label": label_of(patch), "corners": budget.values(corners)}
        if blended:
            item["vertical"] = bool(patch.get_transform().contains_branch_seperately(axes.transData)[0])
        yield {**item, "style": _patch_style(patch)}


def _blended(axes: Any, artist: Any) -> bool:
    """Whether a patch or line spans the axes in one direction, wherever the axis reaches."""
    branch = artist.get_transform().contains_branch_seperately(axes.transData)
    return tuple(branch) in {(True, False), (False, True)}


def _wedge_labels(axes: Any, wedges: list[Any]) -> list[str]:
    """The labels of wedges, or else as many texts that the axes holds outside of them."""
    labels = [label_of(wedge) for wedge in wedges]
    if any(labels):
        return labels
    written = [
        text(item.get_text()) for item in axes.texts if item.get_text() and not item.get_text().strip().endswith("%")
    ]
    return written if len(written) == len(wedges) else labels


# --- lines


def _lines(axes: Any, claimed: Claimed, budget: Budget) -> Iterator[dict[str, Any]]:
    barred = any(hasattr(container, "patches") for container in axes.containers)
    for line in axes.lines:
        if line in claimed or not is_seen(line):
            continue
        item: dict[str, Any] = {"kind": "line", "label": label_of(line), "style": line_style(line)}
        if hasattr(line, "get_data_3d"):
            yield {
                **item,
                **{name: budget.values(values) for name, values in zip("xyz", line.get_data_3d(), strict=True)},
            }
            continue
        across, up = line.get_xdata(orig=False), line.get_ydata(orig=False)
        if _blended(axes, line):
            upright = bool(line.get_transform().contains_branch_seperately(axes.transData)[0])
            place = budget.values((across if upright else up)[:1])
            yield {**item, "kind": "rule", ("x" if upright else "y"): place}
        elif len(across):
            days = _days(axes, across)
            item |= {"x": budget.values(across), "y": budget.values(up)}
            straight = not item["label"] and len(across) <= 3 and 1 in {len(set(across)), len(set(up))}
            if straight and (barred or _crosses(axes, line)):
                item["kind"] = "segments"  # error bars, as seaborn draws them on bars and points
            yield {**item, **{name: budget.values(values) for name, values in days.items()}}


def _crosses(axes: Any, bar: Any) -> bool:
    """Whether an upright or lying stroke goes through a point of a line that goes on."""
    import numpy as np

    sides = [np.asarray(side, dtype=float) for side in (bar.get_xdata(orig=False), bar.get_ydata(orig=False))]
    for line in axes.lines:
        across, up = (
            np.asarray(side, dtype=float) for side in (line.get_xdata(orig=False), line.get_ydata(orig=False))
        )
        if line is bar or len(set(across)) < 2 or len(set(up)) < 2:
            continue
        inside = [(side.min() <= way) & (way <= side.max()) for side, way in zip(sides, (across, up), strict=True)]
        if (inside[0] & inside[1]).any():
            return True
    return False


def _days(axes: Any, ordinals: Any) -> dict[str, Any]:
    """Where the x axis counts pandas' periods: their starts, and their last days, as days since 1970."""
    import sys

    frequency, pandas = getattr(axes, "freq", None), sys.modules.get("pandas")
    if frequency is None or pandas is None:
        return {}
    periods = [pandas.Period(ordinal=int(value), freq=frequency) for value in ordinals[:20_000]]
    if len(periods) != len(ordinals):
        return {}
    starts = [period.start_time.timestamp() / 86400 for period in periods]
    ends = [period.end_time.timestamp() // 86400 for period in periods]
    return {
        "x_days": starts,
        **({"x_ends": ends} if any(end >= start + 1 for end, start in zip(ends, starts, strict=True)) else {}),
    }


def line_style(line: Any) -> dict[str, Any]:
    """What a line looks like."""
    return {
        "color": color_of(line.get_color()),
        "width": number(line.get_linewidth()),
        "line": text(line.get_linestyle()),
        "marker": text(line.get_marker()),
        "marker_size": number(line.get_markersize()),
        "alpha": None if line.get_alpha() is None else number(line.get_alpha()),
        "steps": text(line.get_drawstyle()),
    }
