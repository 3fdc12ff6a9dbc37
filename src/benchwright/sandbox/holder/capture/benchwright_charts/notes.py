"""What was handed to plotting functions whose artists no longer tell it: boxes, violins, bins, levels, surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ATTRIBUTE = "_benchwright_notes"
_MOST_COPIED = 1_000_000
_MOST_NOTES = 1000
_MOST_CORNERS = 20_000


@dataclass
class Note:
    """One call: the kind of series, its values by name, and the artists that it made."""

    kind: str
    values: dict[str, Any]
    artists: list[Any]

    def alive(self, axes: Any) -> bool:
        """Whether what it made is still drawn."""
        return any(getattr(artist, "axes", None) is axes for artist in self.artists)


def remember(axes: Any, name: str, arguments: tuple[Any, ...], options: dict[str, Any], result: Any) -> None:
    """Keep what one call was given. A call inside another leaves one note: the inner one."""
    notes: list[Note] = axes.__dict__.setdefault(ATTRIBUTE, [])
    for note in _READERS[name](arguments, options, result):
        known = {id(artist) for other in notes for artist in other.artists}
        if note.artists and len(notes) < _MOST_NOTES and not known & {id(artist) for artist in note.artists}:
            notes.append(note)


def _copy(values: Any) -> Any:
    """An array of numbers that later changes do not touch, while it is of bearable size."""
    import numpy as np

    found: Any = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)
    return found.copy() if found.size <= _MOST_COPIED else found


def _argument(arguments: tuple[Any, ...], options: dict[str, Any], place: int, name: str) -> Any:
    return arguments[place] if len(arguments) > place else options.get(name)


def _parts(result: Any) -> list[Any]:
    """Every artist of a dict of artists or lists of artists."""
    return [artist for value in result.values() for artist in (value if isinstance(value, list) else [value])]


def _boxes(arguments: tuple[Any, ...], options: dict[str, Any], result: Any) -> list[Note]:
    stats = _argument(arguments, options, 0, "bxpstats")
    medians = result["medians"]
    vertical = all(len(set(line.get_ydata())) == 1 for line in medians[:1])
    along = [line.get_xdata() if vertical else line.get_ydata() for line in medians]
    boxes = [
        {
            **{name: one.get(name) for name in ("q1", "med", "q3", "whislo", "whishi", "mean")},
            "fliers": _copy(one.get("fliers", ())) if options.get("showfliers", True) else _copy(()),
            "label": str(one.get("label", "")),
            "at": float(sum(place) / len(place)),
            "width": float(max(place) - min(place)),
        }
        for one, place in zip(stats, along, strict=False)
    ]
    filled = any(hasattr(box, "get_facecolor") for box in result["boxes"])
    parts = [*result["boxes"], *_parts(result)]
    return [Note("box", {"boxes": boxes, "vertical": vertical, "filled": filled}, parts)]


def _violins(arguments: tuple[Any, ...], options: dict[str, Any], result: Any) -> list[Note]:
    stats = _argument(arguments, options, 0, "vpstats")
    positions = _argument(arguments, options, 1, "positions")
    positions = range(1, len(stats) + 1) if positions is None else positions
    widths = _argument(arguments, options, 3, "widths")
    several: Any = widths if hasattr(widths, "__len__") else [0.5 if widths is None else widths] * len(stats)
    shapes = [
        {
            "width": float(width),
            **{name: one.get(name) for name in ("mean", "median", "min", "max")},
            **{name: _copy(one[name]) for name in ("coords", "vals")},
            "at": float(place),
        }
        for one, place, width in zip(stats, positions, several, strict=False)
    ]
    vertical = options.get("orientation", "vertical") == "vertical" and options.get("vert") in {None, True}
    return [Note("violin", {"shapes": shapes, "vertical": vertical}, _parts(result))]


def _bins(_: tuple[Any, ...], options: dict[str, Any], result: Any) -> list[Note]:
    counts, edges, patches = result
    several = getattr(counts, "ndim", 1) == 2 or isinstance(counts, list)
    groups = list(zip(counts, patches, strict=False)) if several else [(counts, patches)]
    vertical = options.get("orientation", "vertical") == "vertical"
    stacked = bool(options.get("stacked")) or str(options.get("histtype")) == "barstacked"
    notes, base = [], _base(options.get("bottom"), edges)
    for place, (tops, group) in enumerate(groups):
        heights = tops - base if stacked else tops
        artists = list(group)
        labels = [owner.get_label() for owner in (group, *artists[:1]) if hasattr(owner, "get_label")]
        label = next((str(one) for one in labels if one and not str(one).startswith("_")), "")
        shared = (
            {"place": place, "beside": len(groups)}
            if str(options.get("histtype", "bar")) == "bar" and not stacked
            else {}
        )
        shared |= {"base": _copy(base)} if base.any() else {}
        values = {"edges": _copy(edges), "counts": _copy(heights), "label": label, "vertical": vertical, **shared}
        notes.append(Note("histogram", {**values, "type": str(options.get("histtype", "bar"))}, artists))
        base = tops if stacked else base
    return notes


def _base(bottom: Any, edges: Any) -> Any:
    """What the bars of a histogram stand on."""
    import numpy as np

    return np.broadcast_to(np.asarray(0.0 if bottom is None else bottom, dtype=float), len(edges) - 1)


def _contour(values: dict[str, Any], result: Any, *, filled: bool) -> Note:
    artists = [result] if hasattr(result, "get_paths") else list(result.collections)
    paths = [_copy(piece) for level in result.allsegs for piece in level if len(piece)]
    if sum(map(len, paths)) > _MOST_CORNERS:
        paths = []
    return Note("contour", {**values, "levels": _copy(result.levels), "filled": filled, "paths": paths}, artists)


def _levels(filled: bool) -> Any:
    def read(arguments: tuple[Any, ...], _: dict[str, Any], result: Any) -> list[Note]:
        given = [_copy(value) for value in arguments[: 3 if len(arguments) >= 3 else 1]]
        values = dict(zip("xyz" if len(given) == 3 else "z", given, strict=True))
        return [_contour(values, result, filled=filled)]

    return read


def _triangles(filled: bool) -> Any:
    def read(arguments: tuple[Any, ...], _: dict[str, Any], result: Any) -> list[Note]:
        first = arguments[0]
        points = (first.x, first.y, arguments[1]) if hasattr(first, "triangles") else arguments[:3]
        values = dict(zip("xyz", map(_copy, points), strict=True))
        return [_contour(values, result, filled=filled)]

    return read


def _solid(kind: str, names: str) -> Any:
    def read(arguments: tuple[Any, ...], options: dict[str, Any], result: Any) -> list[Note]:
        given = [_argument(arguments, options, place, name) for place, name in enumerate(names.split())]
        values = {name: _copy(value) for name, value in zip(names.split(), given, strict=True) if value is not None}
        return [Note(kind, values, [result])]

    return read


_READERS = {
    "bxp": _boxes,
    "violin": _violins,
    "hist": _bins,
    "contour": _levels(filled=False),
    "contourf": _levels(filled=True),
    "tricontour": _triangles(filled=False),
    "tricontourf": _triangles(filled=True),
    "plot_surface": _solid("surface", "X Y Z"),
    "plot_wireframe": _solid("wireframe", "X Y Z"),
    "plot_trisurf": _solid("surface", "X Y Z"),
    "bar3d": _solid("bar3d", "x y z dx dy dz"),
}
