"""Two agents on the same tasks: is one better, and by how much."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, TypeVar

from benchwright.analysis.statistics.clusters import clustered
from benchwright.analysis.statistics.intervals import Interval

if TYPE_CHECKING:
    from benchwright.analysis.statistics.clusters import Array

Key = TypeVar("Key", bound=Hashable)
_EXACT = 16
"""Up to so many clusters every choice of signs is looked at (65,536)."""


@dataclass(frozen=True, slots=True)
class Discordant:
    """Tasks that only the first got right, that only the second did, and McNemar's exact p (two-sided)."""

    first: int
    second: int
    p: float


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> Discordant:
    """The exact test over tasks that flipped (McNemar 1947; binomial, two-sided). Tasks must be independent."""
    from scipy import stats

    pairs = list(zip(first, second, strict=True))
    won, lost = sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)
    p = float(stats.binomtest(won, won + lost, 0.5).pvalue) if won + lost else 1.0
    return Discordant(won, lost, p)


def difference_interval(
    differences: Sequence[float], clusters: Sequence[Hashable] | None = None, level: float = 0.95
) -> Interval:
    """The mean of paired differences, each of one task, with Student's interval over clusters (within -1 to 1).

    The variance is the robust one of `Clustered`. `bootstrap_interval` of the same differences needs more clusters.
    """
    from scipy import stats

    data = clustered(differences, clusters)
    if data.count < 2:
        return Interval(data.mean, -1.0, 1.0, data.total, data.count, 1.0, level)
    reach = float(stats.t.ppf((1 + level) / 2, data.count - 1)) * sqrt(data.variance)
    low, high = max(-1.0, data.mean - reach), min(1.0, data.mean + reach)
    return Interval(data.mean, low, high, data.total, data.count, float(data.count), level)


def sign_flip(
    differences: Sequence[float], clusters: Sequence[Hashable] | None = None, times: int = 9_999, seed: int = 0
) -> float:
    """The two-sided p of "neither is better": how often whole clusters with signs drawn at random differ as much.

    Exact in size where differences are symmetric under that hypothesis, however alike the tasks of a cluster are
    (Fisher 1935). Up to 16 clusters every choice of signs counts; else `times` draws, with one added to both counts.
    """
    import numpy as np

    sums = clustered(differences, clusters).sums
    sums = sums[sums != 0]
    if not len(sums):
        return 1.0
    found = abs(float(sums.sum())) * (1 - 1e-12)
    if len(sums) <= _EXACT:
        return float(np.mean(np.abs(_every_sign(len(sums)) @ sums) >= found))
    signs = np.random.default_rng(seed).integers(0, 2, size=(times, len(sums))) * 2.0 - 1.0
    return float((1 + np.sum(np.abs(signs @ sums) >= found)) / (1 + times))


def _every_sign(count: int) -> Array:
    import numpy as np

    bits = (np.arange(2**count)[:, None] >> np.arange(count)) & 1
    signs: Array = np.where(bits, 1.0, -1.0)
    return signs


def holm(p: Mapping[Key, float]) -> dict[Key, float]:
    """p-values of many comparisons, raised so that one false alarm among all stays as rare as said (Holm 1979)."""
    ordered = sorted(p, key=lambda key: p[key])
    adjusted, highest = {}, 0.0
    for place, key in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - place) * p[key]))
        adjusted[key] = highest
    return {key: adjusted[key] for key in p}
