"""Intervals of a mean of scores between 0 and 1, where tasks come in clusters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

from benchwright.analysis.statistics.clusters import Clustered, clustered
from benchwright.scoring.aggregate import wilson


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


def bootstrap_interval(
    values: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    times: int = 10_000,
    seed: int = 0,
) -> Interval:
    """The bootstrap's interval over whole clusters, its percentiles widened for their number (Hesterberg 2015).

    For statistics of any range. It is too narrow near 0 and 1 and with few clusters: `score_interval` is not.
    """
    import numpy as np

    data = clustered(values, clusters)
    if data.count < 2:
        return Interval(data.mean, float("-inf"), float("inf"), data.total, data.count, 1.0, level)
    tail = _widened_tail(data.count, level)
    low, high = np.quantile(data.resampled(times, seed), [tail, 1 - tail])
    return Interval(data.mean, float(low), float(high), data.total, data.count, float(data.count), level)


def _widened_tail(count: int, level: float) -> float:
    """The tail that percentiles of `count` clusters must leave out to be as wide as Student's interval."""
    from scipy import stats

    return float(stats.norm.cdf(sqrt(count / (count - 1)) * stats.t.ppf((1 - level) / 2, count - 1)))
