"""Values of a chart as plain numbers that JSON can hold, long ones as a summary."""

from __future__ import annotations

import hashlib
from typing import Any

MOST_POINTS = 200_000
"""Numbers of one figure that are written out; what is past them is summarised."""
_SHOWN = 100
_QUANTILES = 21
_PARTS = 64


class Budget:
    """How many numbers of a figure may still be written out."""

    def __init__(self, points: int = MOST_POINTS) -> None:
        self.left = points

    def values(self, array: Any) -> Any:
        """Nested lists of numbers: NaN (and what is masked) is None, an infinity the text "inf" or "-inf".

        An array that does not fit any more is a dict: `count`, `shape`, `sha256` of its numbers as 64-bit floats in C
        order, `quantiles`, `mean`, the means of 64 parts of it in their order, and the first hundred.
        """
        import numpy as np

        found: Any = np.ma.filled(np.ma.asarray(array, dtype=float), np.nan)
        if found.size > self.left:
            return _summary(found)
        self.left -= found.size
        return _plain(found)


def _plain(array: Any) -> Any:
    import numpy as np

    listed = array.tolist()
    return listed if bool(np.isfinite(array).all()) else _marked(listed)


def _marked(value: Any) -> Any:
    if isinstance(value, list):
        return [_marked(item) for item in value]
    if value != value:  # noqa: PLR0124 - NaN
        return None
    return ("inf" if value > 0 else "-inf") if value in {float("inf"), float("-inf")} else value


def _summary(array: Any) -> dict[str, Any]:
    import numpy as np

    flat = np.ascontiguousarray(array, dtype="<f8").reshape(-1)
    finite = flat[np.isfinite(flat)]
    return {
        "count": int(flat.size),
        "shape": list(array.shape),
        "sha256": hashlib.sha256(flat.tobytes()).hexdigest(),
        "missing": int(np.isnan(flat).sum()),
        "quantiles": np.quantile(finite, np.linspace(0, 1, _QUANTILES)).tolist() if finite.size else [],
        "parts": [_mean(part) for part in np.array_split(flat, _PARTS)],
        "mean": float(finite.mean()) if finite.size else None,
        "first": _plain(flat[:_SHOWN]),
    }


def _mean(part: Any) -> Any:
    import numpy as np

    finite = part[np.isfinite(part)]
    return float(finite.mean()) if finite.size else None


def number(value: Any) -> Any:
    """One number, as `Budget.values` writes them; None where it is none."""
    try:
        return _marked(float(value))
    except (TypeError, ValueError):
        return None


def text(value: Any, most: int = 500) -> str:
    """A text of bounded length without lone surrogates."""
    return str(value)[:most].encode("utf-8", "replace").decode("utf-8")
