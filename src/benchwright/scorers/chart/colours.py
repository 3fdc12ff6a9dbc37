"""Whether a picture has its colours where its description has them: which series is which, and which slice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from benchwright.scorers.chart.numbers import among, listed, members

if TYPE_CHECKING:
    import numpy as np

_SAME: Final = 60.0
"""How far colours may be apart (of 441) to be one."""
_APART: Final = 120.0
"""How far the colours of series must be apart to tell them."""
_AROUND: Final = 3
"""Pixels around a place in which its colour may stand."""
_LEAST_SLICE: Final = 0.05
_LEAST_PIXELS: Final = 40
_MOST_PIXELS: Final = 3000
_MOST_COLORS: Final = 12
_OPAQUE: Final = 7
"""Letters of a colour that nothing shines through."""

Item = Mapping[str, Any]


def slices_agree(
    items: Sequence[Item], one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], where: np.ndarray[Any, Any]
) -> float:
    """How far slices lie in the same place, the worst that is large enough: of the pixels that have its colour in
    either picture, the share that have it in both.
    """
    worst = 1.0
    for shade in _shades([color for item in items for color in _given(item)]):
        sides = [(_distance(side, shade) <= _SAME) & where for side in (one, other)]
        if max(side.sum() for side in sides) >= _LEAST_SLICE * where.sum():
            worst = min(worst, float((sides[0] & sides[1]).sum() / (sides[0] | sides[1]).sum()))
    return worst


def series_agree(
    items: Sequence[Item], one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], where: np.ndarray[Any, Any]
) -> float | None:
    """How far series of different colours lie where they are drawn again, the worst of them: the share of its pixels
    with one of its colour in the other picture close by. None where colours tell no series apart.
    """
    import numpy as np

    shades = _shades(list(_of_series(items)))
    if not 1 < len(shades) <= _MOST_COLORS or any(
        np.linalg.norm(shade - each) < _APART for place, shade in enumerate(shades) for each in shades[:place]
    ):
        return None
    found = [share for shade in shades if (share := _share(shade, one, other, where)) is not None]
    return min(found) if len(found) > 1 else None


def _of_series(items: Sequence[Item]) -> Iterator[str]:
    """The colours of series that each have one, and are not seen through."""
    for item in items:
        colors, style = list(dict.fromkeys(_given(item))), members(item.get("style"))
        plain = len(colors) == 1 and len(colors[0]) == _OPAQUE and among(style.get("alpha"), {None, 1.0})
        if plain and not among(item.get("kind"), {"rule", "span"}) and "cmap" not in style:
            yield colors[0]


def _share(
    shade: np.ndarray[Any, Any], one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], where: np.ndarray[Any, Any]
) -> float | None:
    import numpy as np
    from scipy.ndimage import maximum_filter

    rows, across = np.nonzero((_distance(one, shade) <= _SAME / 2) & where)
    if len(rows) < _LEAST_PIXELS:
        return None
    every = max(1, len(rows) // _MOST_PIXELS)
    near = maximum_filter(_distance(other, shade) <= _SAME, size=2 * _AROUND + 1)
    return float(near[rows[::every], across[::every]].mean())


def _given(item: Item) -> list[str]:
    style = members(item.get("style"))
    return [color for color in [style.get("color"), *listed(style.get("colors"))] if isinstance(color, str)]


def _shades(colors: Sequence[str]) -> list[np.ndarray[Any, Any]]:
    """Different colours as arrays of red, green and blue."""
    import numpy as np
    from matplotlib.colors import to_rgb

    return [255.0 * np.array(shade) for shade in dict.fromkeys(to_rgb(color) for color in colors)]


def _distance(pixels: np.ndarray[Any, Any], shade: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    import numpy as np

    return np.asarray(np.sqrt(((pixels - shade) ** 2).sum(axis=2)))
