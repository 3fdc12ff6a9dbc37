"""Charts as AgenticDataBench's own scorer reads them: `<stem>.json` with the texts, `<stem>.npy` with the data."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from . import figures, notes
from .colors import color_of


class Plotprocess:
    """The name under which the published prompts call it."""

    @staticmethod
    def plot_process(fig: Any = None, output_file_name: str = "result.png", *_: Any, **__: Any) -> None:
        """Write both companions of a picture. What cannot be read of a figure is left out; nothing is raised."""
        from .hooks import quietly

        quietly(lambda: _write(fig, os.fspath(output_file_name)))


def _write(figure: Any, name: str) -> None:
    import numpy as np

    if figure is None or not hasattr(figure, "axes"):
        import matplotlib.pyplot as plt

        figure = plt.gcf()
    stem = os.path.splitext(name)[0]
    texts: dict[str, Any] = {}
    data: dict[str, Any] = {}
    for place, axes in enumerate(_plain_axes(figure)):
        kind = published_type(axes)
        if kind:
            texts[f"subplot_{place}"] = _texts(axes, kind)
            values = _data(axes, kind)
            if values is not None and values.size:
                data[f"subplot_{place}"] = values
    texts |= {"figsize": [float(side) for side in figure.get_size_inches()], "total_subplots": len(_plain_axes(figure))}
    with open(f"{stem}.json", "w", encoding="utf-8", errors="replace") as stream:
        json.dump(texts, stream, ensure_ascii=False)
    np.save(f"{stem}.npy", np.array(data, dtype=object), allow_pickle=True)


def _plain_axes(figure: Any) -> list[Any]:
    """All axes but colour bars and insets."""
    every = list(figure.axes)
    return [axes for axes in every if figures.role(axes, every) == "plot"]


def published_type(axes: Any) -> str:
    """The published name of what an axes shows, by the first rule that holds; empty where none does."""
    return next((kind for kind, holds in _rules(axes) if holds), "")


def _rules(axes: Any) -> Iterator[tuple[str, bool]]:
    from matplotlib import collections as kinds
    from matplotlib.patches import Polygon, Wedge

    contours = [note for note in axes.__dict__.get(notes.ATTRIBUTE, ()) if note.kind == "contour" and note.alive(axes)]
    drawn = {id(artist) for note in contours for artist in note.artists}
    rest = [collection for collection in axes.collections if id(collection) not in drawn]
    lines = [line for line in axes.lines if len(line.get_xdata(orig=False)) > 1]

    def some(kind: type) -> bool:
        return any(isinstance(item, kind) for item in rest)

    yield "pie", any(isinstance(patch, Wedge) for patch in axes.patches)
    yield "bar", bool(_rectangles(axes))
    yield "scatter", some(kinds.PathCollection)
    yield "heatmap", some(kinds.QuadMesh)
    yield "kde", bool(contours)
    yield "kde", some(kinds.LineCollection) and not some(kinds.PolyCollection)
    shapes = [item for item in rest if item.get_paths()]
    yield "kde", bool(shapes) and not lines and not _symmetric(shapes)
    yield "violin", bool(shapes) and all(len(line.get_xdata(orig=False)) <= 5 for line in axes.lines)
    yield "line", bool(lines)
    yield "bar", any(isinstance(patch, Polygon) for patch in axes.patches)
    yield "heatmap", bool(axes.images)


def _rectangles(axes: Any) -> list[Any]:
    from matplotlib.patches import Rectangle

    found = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    return [patch for patch in found if patch.get_width() != patch.get_height()]


def _symmetric(shapes: list[Any]) -> bool:
    """Whether every shape looks the same on both sides of its middle."""
    import numpy as np

    for shape in shapes:
        across = shape.get_paths()[0].vertices[:, 0]
        offsets = np.sort(across - (across.min() + across.max()) / 2)
        if not np.allclose(offsets, -offsets[::-1], atol=1e-6 * max(1.0, float(np.ptp(across)))):
            return False
    return True


def _texts(axes: Any, kind: str) -> dict[str, Any]:
    legend = axes.get_legend()
    title = legend.get_title() if legend is not None else None
    return {
        "type": kind,
        "color": _colors(axes, kind),
        "graph_title": axes.get_title(),
        "legend_title": title.get_text() if title is not None else "",
        "labels": [item.get_text() for item in legend.get_texts()] if legend is not None else [],
        "x_label": axes.get_xlabel(),
        "y_label": axes.get_ylabel(),
        "xtick_labels": [label.get_text() for label in axes.get_xticklabels()],
        "ytick_labels": [label.get_text() for label in axes.get_yticklabels()],
    }


def _colors(axes: Any, kind: str) -> list[str]:
    mapped = [item for item in (*axes.collections, *axes.images) if item.get_array() is not None]
    if kind == "heatmap":
        return [item.get_cmap().name for item in mapped[:1]]
    if kind in {"pie", "bar"}:
        found = [patch.get_facecolor() for patch in axes.patches]
    elif kind == "line":
        found = [line.get_color() for line in axes.lines]
    else:
        found = [color for item in axes.collections for color in item.get_facecolor()]
    return list(dict.fromkeys(color_of(color)[:7] for color in found[:5000]))


def _data(axes: Any, kind: str) -> Any:
    import numpy as np

    if kind == "pie":
        return np.array([[(patch.theta2 - patch.theta1) / 360 for patch in axes.patches if hasattr(patch, "theta2")]])
    if kind == "bar":
        return _padded(_bar_groups(_rectangles(axes)))
    if kind == "line":
        ys: list[Any] = [
            np.ma.filled(np.ma.asarray(line.get_ydata(orig=False), dtype=float), np.nan) for line in axes.lines
        ]
        return _padded([values for values in ys if len(values) > 1])
    return _collection_data(axes, kind)


def _collection_data(axes: Any, kind: str) -> Any:
    import numpy as np
    from matplotlib import collections as kinds

    if kind == "scatter":
        found = [item.get_offsets() for item in axes.collections if isinstance(item, kinds.PathCollection)]
        return np.ma.filled(np.ma.vstack(found), np.nan)
    if kind == "heatmap":
        meshes = [item for item in axes.collections if isinstance(item, kinds.QuadMesh)]
        arrays = [_cells(mesh) for mesh in meshes] or [image.get_array() for image in axes.images]
        same = [array for array in arrays if array.shape == arrays[0].shape]
        return np.ma.filled(np.ma.stack([np.ma.asarray(array, dtype=float) for array in same]), np.nan)
    paths = [path.vertices for item in axes.collections for path in item.get_paths() if len(path.vertices)]
    if not paths or (
        kind == "kde" and not any(note.kind == "contour" for note in axes.__dict__.get(notes.ATTRIBUTE, ()))
    ):
        return None
    return np.concatenate([path[:, 1] for path in paths]) if kind == "violin" else np.concatenate(paths)


def _cells(mesh: Any) -> Any:
    corners = mesh.get_coordinates() if hasattr(mesh, "get_coordinates") else mesh._coordinates  # noqa: SLF001
    return mesh.get_array().reshape(corners.shape[0] - 1, corners.shape[1] - 1)


def _bar_groups(bars: list[Any]) -> list[list[float]]:
    """The values of bars, a new group wherever they go back along their axis."""
    import numpy as np

    widths, heights = [bar.get_width() for bar in bars], [bar.get_height() for bar in bars]
    lying = len(bars) > 0 and float(np.nanvar(widths)) > float(np.nanvar(heights))
    groups: list[list[float]] = []
    last = float("inf")
    for bar, width, height in zip(bars, widths, heights, strict=True):
        place = bar.get_y() if lying else bar.get_x()
        if place < last:
            groups.append([])
        groups[-1].append(width if lying else height)
        last = place
    return groups


def _padded(rows: list[Any]) -> Any:
    """Rows of one length, filled up with zeros."""
    import numpy as np

    longest = max(map(len, rows), default=0)
    table = np.zeros((len(rows), longest))
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return table
