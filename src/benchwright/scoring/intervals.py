"""The interval of a mean of scores between 0 and 1, where tasks come in clusters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

from benchwright.scoring.clusters import Clustered, clustered

_Z95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


def wilson(mean: float, n: float, quantile: float = _Z95) -> tuple[float, float] | None:
    """The score interval of a share (Wilson 1927), at 95 % unless another quantile is given; None of nothing.

    For values between 0 and 1, as table scores are, it is wider than needed: no spread exceeds p(1 - p).
    """
    if n == 0:
        return None
    square = quantile**2 / n
    spread = quantile * sqrt(mean * (1 - mean) / n + square / (4 * n))
    centre, scale = mean + square / 2, 1 + square
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its interval; `n` values in `clusters` clusters, worth `effective` independent values."""

    mean: float
    low: float
    high: float
    n: int
    clusters: int
    effective: float
    level: float = 0.95


def score_interval(
    values: Sequence[float], clusters: Sequence[Hashable] | None = None, level: float = 0.95
) -> Interval:
    """Wilson's interval with as many values as the clusters are worth, and Student's quantile of their number.

    The design effect is the robust variance over that of independent values (Kish 1965), never taken below 1; where
    all values are equal it cannot be seen, and a cluster counts as one value. `benchmarks/interval_coverage.py` has
    its coverage beside the bootstrap's. Without clusters it is Wilson's (1927) own, for 0/1 values.
    """
    from scipy import stats

    data = clustered(values, clusters)
    if clusters is None:
        return _wilson(data, float(data.total), float(stats.norm.ppf((1 + level) / 2)), level)
    if data.count < 2:
        return Interval(data.mean, 0.0, 1.0, data.total, data.count, 1.0, level)
    quantile = float(stats.t.ppf((1 + level) / 2, data.count - 1))
    return _wilson(data, _effective(data), quantile, level)


def _effective(data: Clustered) -> float:
    """How many independent values tell as much as these."""
    independent = data.mean * (1 - data.mean) / data.total
    if independent <= 0 or data.variance <= 0:
        return float(data.count)
    return data.total / max(1.0, data.variance / independent)


def _wilson(data: Clustered, n: float, quantile: float, level: float) -> Interval:
    low, high = wilson(min(1.0, max(0.0, data.mean)), n, quantile) or (0.0, 1.0)
    return Interval(data.mean, low, high, data.total, data.count, n, level)
