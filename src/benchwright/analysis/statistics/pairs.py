"""Two agents on the same tasks: is one better, and by how much."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, TypeVar

from benchwright.analysis.statistics.intervals import Interval, score_interval
from benchwright.scoring.clusters import Clustered, clustered

if TYPE_CHECKING:
    from benchwright.scoring.clusters import Array

Key = TypeVar("Key", bound=Hashable)
_EXACT = 16
"""Up to so many clusters every choice of signs is looked at (65,536)."""
_APART = 1e-6
"""How far an interval's end stays from 0 where the test refuses 0, and to how much ends are found."""


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


@dataclass(frozen=True, slots=True)
class Flips:
    """Clusters of paired differences, and the signs that they are given under "neither is better".

    `differences`, each from -1 to 1, and their `clusters` are those that `data` sums up; without them there is a test,
    and no interval.
    """

    data: Clustered
    signs: Array
    differences: tuple[float, ...] = ()
    clusters: tuple[Hashable, ...] | None = None

    def p(self, shift: float = 0.0) -> float:
        """The two-sided p of "better by `shift`"; where signs were drawn, the true ones are counted in."""
        import numpy as np

        rest = self.data.sums - shift * self.data.sizes
        found = abs(float(rest.sum())) - 1e-9 * float(np.abs(rest).sum())
        reached = int(np.sum(np.abs(self.signs @ rest) >= found))
        drawn = len(self.signs) < 2**self.data.count
        return float((reached + drawn) / (len(self.signs) + drawn))

    def interval(self, level: float) -> tuple[float, float]:
        """The shifts that the test does not refuse, and those that the shares of won and lost tasks leave possible.

        0 is among them exactly where p(0) > 1 - level. The test alone takes differences for symmetric around the true
        one, which they are not near -1, 0 and 1: nine tasks won out of nine would leave no doubt at all.
        """
        low, high = (self._last(side, 1 - level) for side in (-1.0, 1.0))
        widest = _of_shares(self.differences, self.clusters, level)
        low, high = min(low, widest[0]), max(high, widest[1])
        if self.p() > 1 - level:
            return low, high
        return (max(low, _APART), high) if self.data.mean > 0 else (low, min(high, -_APART))

    def _last(self, end: float, alpha: float) -> float:
        """The shift nearest to `end` that is not refused, to six digits."""
        if self.p(end) > alpha:
            return end
        kept, refused = self.data.mean, end
        while abs(refused - kept) > _APART:
            middle = (kept + refused) / 2
            kept, refused = (middle, refused) if self.p(middle) > alpha else (kept, middle)
        return 0.0 if self.p() > alpha and abs(kept) < 2 * _APART else kept


def _of_shares(differences: Sequence[float], clusters: Sequence[Hashable] | None, level: float) -> tuple[float, float]:
    """The interval of a difference by the intervals of what was won and of what was lost.

    Squares of their arms are added, with the correlation of two shares of one whole (Newcombe 1998, method 10; Zou and
    Donner 2008).
    """
    won, lost = (score_interval([max(0.0, sign * each) for each in differences], clusters, level) for sign in (1, -1))
    rest = (1 - won.mean) * (1 - lost.mean)
    likeness = -min(1.0, sqrt(won.mean * lost.mean / rest)) if rest > 0 else -1.0

    def arm(one: float, two: float) -> float:
        return sqrt(max(0.0, one * one + two * two - 2 * likeness * one * two))

    mean = won.mean - lost.mean
    low = mean - arm(won.mean - won.low, lost.high - lost.mean)
    high = mean + arm(won.high - won.mean, lost.mean - lost.low)
    return max(-1.0, low), min(1.0, high)


def flips(
    differences: Sequence[float], clusters: Sequence[Hashable] | None = None, times: int = 9_999, seed: int = 0
) -> Flips:
    """Whole clusters with signs at random: up to 16 of them every choice, else `times` draws.

    Exact in size where differences are symmetric around the true one, however alike the tasks of a cluster are
    (Fisher 1935).
    """
    import numpy as np

    data = clustered(differences, clusters)
    kept = tuple(differences), None if clusters is None else tuple(clusters)
    if data.count <= _EXACT:
        return Flips(data, _every_sign(data.count), *kept)
    signs: Array = np.random.default_rng(seed).choice([-1.0, 1.0], size=(times, data.count))
    return Flips(data, signs, *kept)


def smallest_p(count: int) -> float:
    """The p of so many clusters that all point the same way: no test over them gives a smaller one."""
    return 2.0 / 2**count if count <= _EXACT else 0.0


def sign_flip(
    differences: Sequence[float], clusters: Sequence[Hashable] | None = None, times: int = 9_999, seed: int = 0
) -> float:
    """The two-sided p of "neither is better", by `flips`."""
    return flips(differences, clusters, times, seed).p()


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
