"""Whether two arrays of chart data are the same under the published rule: sorted along the first axis, and close."""

from __future__ import annotations

from typing import Any

_CLOSE = 0.01
_MANY = 100
_BINS = 10


def difference(found: Any, wanted: Any, *, shares: bool = False) -> str:
    """How two arrays differ, or their values' shares of each one's sum; empty if they do not.

    NaN equals NaN, and so shares of sums that are NaN are all equal. AttributeError for what is no array.
    """
    import numpy as np

    if found.shape != wanted.shape:
        return f"another shape: {found.shape}, the gold's is {wanted.shape}"
    ours, golds = (np.sort(side / np.sum(side) if shares else side, axis=0) for side in (found, wanted))
    return "" if np.allclose(ours, golds, atol=_CLOSE, equal_nan=True) else _explained(ours.flatten(), golds.flatten())


def _explained(ours: Any, golds: Any) -> str:
    """Computing a histogram or a difference raises for some data, and then so does this: as published."""
    import numpy as np

    finite, golds_finite = ours[np.isfinite(ours)], golds[np.isfinite(golds)]
    if not len(finite) or not len(golds_finite):
        return f"of {len(ours)} values {len(finite)} are finite, of the gold's {len(golds_finite)}"
    if finite.size > _MANY and golds_finite.size > _MANY:
        for side in (finite, golds_finite):
            np.histogram(side, bins=_BINS, density=True)
        count = f"of {len(ours)} values some differ"
    else:
        count = f"{int((np.abs(ours - golds) > _CLOSE).sum())} of {len(ours)} values differ"
    return f"{count}: from {_span(finite)}, the gold's from {_span(golds_finite)}"


def _span(values: Any) -> str:
    import numpy as np

    return f"{np.min(values):.6g} to {np.max(values):.6g}, mean {np.mean(values):.6g}, sd {np.std(values):.6g}"
