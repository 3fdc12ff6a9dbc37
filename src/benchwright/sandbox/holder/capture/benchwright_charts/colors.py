"""Colours of artists, and the maps that give them theirs."""

from __future__ import annotations

from typing import Any

from .values import number, text

_SHADES = 33


def color_of(value: Any) -> str:
    """A colour as #rrggbb, or #rrggbbaa where it is not opaque."""
    from matplotlib.colors import to_hex, to_rgba

    return str(to_hex(value, keep_alpha=to_rgba(value)[3] < 1))


def mapped(artist: Any) -> dict[str, Any]:
    """The colour map of an artist with its limits; a map that is no well-known one by some of its colours."""
    import matplotlib as mpl
    import numpy as np

    shades = artist.get_cmap()
    style = {"cmap": text(shades.name), "limits": [number(value) for value in artist.get_clim()]}
    if shades.name not in mpl.colormaps or shades != mpl.colormaps[shades.name]:
        style["shades"] = [color_of(shades(float(place)))[:7] for place in np.linspace(0, 1, _SHADES)]
    return style


def is_seen(artist: Any) -> bool:
    """Whether an artist is drawn at all: what is switched off, or wholly transparent, is in no picture."""
    import numpy as np

    alpha = artist.get_alpha()
    return bool(artist.get_visible()) and (alpha is None or bool(np.any(np.asarray(alpha, dtype=float) > 0)))
