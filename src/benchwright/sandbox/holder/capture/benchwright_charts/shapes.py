"""Series that are drawn as collections or as pictures: points, areas, meshes, hexagons, segments, arrows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .colors import is_seen, mapped
from .values import Budget, number, text

_MOST_COLORS = 32
_MOST_PATHS = 2000
_MOST_SHAPES = 500


def read(axes: Any, claimed: Any, budget: Budget) -> Iterator[dict[str, Any]]:
    """Every collection that is part of no other series."""
    for collection in axes.collections:
        if collection in claimed or not is_seen(collection):
            continue
        item = _one(collection, budget)
        if item is not None:
            yield {"label": _label(collection), **item}


def _label(artist: Any) -> str:
    label = text(artist.get_label() or "")
    return "" if label.startswith("_") else label


def _one(collection: Any, budget: Budget) -> dict[str, Any] | None:
    from matplotlib import collections as kinds
    from matplotlib.quiver import Barbs, Quiver

    if hasattr(collection, "_offsets3d"):
        points = dict(zip("xyz", map(budget.values, collection._offsets3d), strict=True))  # noqa: SLF001 - there is no public way
        return {"kind": "scatter", **points, "style": _point_style(collection)}
    if isinstance(collection, (Quiver, Barbs)):
        where = collection.get_offsets()
        sides = ("U", "V") if isinstance(collection, Quiver) else ("u", "v")
        lengths = {name.lower(): budget.values(getattr(collection, name)) for name in sides}
        return {"kind": "vectors", "x": budget.values(where[:, 0]), "y": budget.values(where[:, 1]), **lengths}
    readers = (
        (kinds.QuadMesh, _mesh),
        (kinds.LineCollection, _segments),
        (kinds.PathCollection, _points),
        (kinds.PolyCollection, _polygons),
        (kinds.PatchCollection, _polygons),
    )
    read_one = next((reader for kind, reader in readers if isinstance(collection, kind)), None)
    if read_one is None:  # told, so that nobody takes a picture of it for one of something else
        return {"kind": "unreadable", "type": text(type(collection).__name__)} if len(collection.get_paths()) else None
    return read_one(collection, budget)


def _segments(collection: Any, budget: Budget) -> dict[str, Any]:
    segments = [budget.values(segment) for segment in collection.get_segments()[:_MOST_PATHS]]
    branch = tuple(collection.get_transform().contains_branch_seperately(collection.axes.transData))
    along = {(True, False): "x", (False, True): "y"}.get(branch)  # the other direction counts in shares of the axes
    blended = {} if along is None else {"along": along}
    return {"kind": "segments", "segments": segments, **blended, "style": _style(collection)}


def _points(collection: Any, budget: Budget) -> dict[str, Any]:
    where = collection.get_offsets()
    item = {"kind": "scatter", "x": budget.values(where[:, 0]), "y": budget.values(where[:, 1])}
    shades = collection.get_array()
    if shades is not None and len(shades) == len(where):
        item["values"] = budget.values(shades)
    return {**item, "style": _point_style(collection)}


def _point_style(collection: Any) -> dict[str, Any]:
    import numpy as np

    style = _style(collection)
    sizes = np.asarray(collection.get_sizes(), dtype=float)
    if sizes.size:
        style["sizes"] = [number(size) for size in (sizes[:1] if np.ptp(sizes) == 0 else sizes[:5000])]
    return style


def _style(collection: Any) -> dict[str, Any]:
    """Colours: one, or a palette with the number of each item's colour; or a colour map with its limits."""
    import numpy as np
    from matplotlib.colors import to_hex

    style: dict[str, Any] = {}
    widths = np.asarray(collection.get_linewidth(), dtype=float).reshape(-1)
    if widths.size:
        style["width"] = number(widths[0])
    if collection.get_array() is not None:
        return {**style, **mapped(collection)}
    faces = np.asarray(collection.get_facecolor())
    colors = faces if len(faces) else np.asarray(collection.get_edgecolor())
    if len(colors):
        palette, which = np.unique(colors, axis=0, return_inverse=True)
        if len(palette) <= _MOST_COLORS:
            style["colors"] = [to_hex(color, keep_alpha=color[3] < 1) for color in palette]
            if len(palette) > 1:
                style["which"] = which.reshape(-1)[:50_000].tolist()
    if not len(faces):
        style["hollow"] = True
    return style


def _mesh(mesh: Any, budget: Budget) -> dict[str, Any]:
    corners = mesh.get_coordinates() if hasattr(mesh, "get_coordinates") else mesh._coordinates  # noqa: SLF001
    shape = (corners.shape[0] - 1, corners.shape[1] - 1)
    array = mesh.get_array()
    if array is None or array.size not in {shape[0] * shape[1], corners.shape[0] * corners.shape[1]}:
        return {"kind": "heatmap", "failed": "the mesh has no values"}
    values = array.reshape(shape) if array.size == shape[0] * shape[1] else array.reshape(corners.shape[:2])
    edges = {"x_edges": budget.values(corners[0, :, 0]), "y_edges": budget.values(corners[:, 0, 1])}
    return {"kind": "heatmap", "values": budget.values(values), **edges, "style": _style(mesh)}


def _polygons(collection: Any, budget: Budget) -> dict[str, Any] | None:
    if hasattr(collection, "_coordinates"):  # pcolor
        return _mesh(collection, budget)
    paths = collection.get_paths()
    where = collection.get_offsets()
    if collection.get_array() is not None and len(where) > 1:
        points = {"x": budget.values(where[:, 0]), "y": budget.values(where[:, 1])}
        shape = budget.values(paths[0].vertices) if paths else []
        return {
            "kind": "hexbin",
            **points,
            "values": budget.values(collection.get_array()),
            "shape": shape,
            "style": _style(collection),
        }
    pieces = [path.vertices for path in paths[:_MOST_PATHS] if len(path.vertices) > 2]
    if not pieces:
        return None
    bands = [band for band in map(_band, pieces) if band is not None]
    if len(bands) == len(pieces):
        vertical = bands[0][3]
        parts = [
            {"x": budget.values(x), "low": budget.values(low), "high": budget.values(high)} for x, low, high, _ in bands
        ]
        return {"kind": "area", "vertical": vertical, "parts": parts, "style": _style(collection)}
    shown = pieces[:_MOST_SHAPES]
    item = {"kind": "patch", "corners": [budget.values(piece) for piece in shown], "style": _style(collection)}
    shades = collection.get_array()
    if shades is not None and shades.size == len(paths) == len(pieces):
        item["values"] = budget.values(shades.ravel()[:_MOST_SHAPES])
    return item


def _band(corners: Any) -> tuple[Any, Any, Any, bool] | None:
    """A filled area between two curves over the same places, drawn along one and back along the other."""
    import numpy as np

    corners = corners[:-1] if len(corners) % 2 and np.array_equal(corners[0], corners[-1]) else corners
    half = len(corners) // 2
    if len(corners) % 2 or half < 3:
        return None
    there, back = corners[1:half], corners[half + 1 :][::-1]
    for column, vertical in ((0, True), (1, False)):
        if np.allclose(there[:, column], back[:, column], equal_nan=True):
            other = 1 - column
            low, high = np.minimum(there[:, other], back[:, other]), np.maximum(there[:, other], back[:, other])
            return there[:, column], low, high, vertical
    return None


def pictures(axes: Any, claimed: Any, budget: Budget) -> Iterator[dict[str, Any]]:
    """Matrices that are shown as pictures; photographs only by their size."""
    for image in axes.images:
        array = image.get_array()
        if image in claimed or array is None or not is_seen(image):
            continue
        extent = [number(side) for side in image.get_extent()]
        if array.ndim == 2:
            origin = text(getattr(image, "origin", "upper"))
            values = {"values": budget.values(array), "extent": extent, "origin": origin}
            yield {
                "kind": "heatmap",
                "label": "",
                **values,
                "style": mapped(image),
            }
        else:
            yield {"kind": "picture", "label": "", "shape": list(array.shape), "extent": extent}
