"""Intervals of a mean of scores between 0 and 1, where tasks come in clusters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import sqrt

from benchwright.scoring.clusters import clustered
from benchwright.scoring.intervals import Interval, score_interval

__all__ = ["Interval", "bootstrap_interval", "score_interval"]


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
