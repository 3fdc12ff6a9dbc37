"""Values that belong together: tasks of one dataset, room or domain are not independent of each other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from benchwright.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Clustered:
    """Sums and sizes of the clusters, in the order of their first value; `total` is the number of values."""

    sums: Array
    sizes: Array

    @property
    def count(self) -> int:
        """The number of clusters."""
        return len(self.sizes)

    @property
    def total(self) -> int:
        """The number of values."""
        return int(self.sizes.sum())

    @property
    def mean(self) -> float:
        """The mean of all values, each counting once."""
        return float(self.sums.sum() / self.sizes.sum())

    @property
    def variance(self) -> float:
        """The variance of the mean, robust against any likeness within clusters (Liang and Zeger 1986).

        With the factor G / (G - 1); infinite for a single cluster, which says nothing of its own spread.
        """
        if self.count < 2:
            return float("inf")
        rest = self.sums - self.mean * self.sizes
        return float((rest @ rest) * self.count / (self.count - 1)) / self.total**2

    def resampled(self, times: int, seed: int) -> Array:
        """Means of `times` samples of as many clusters, drawn with replacement."""
        weights = draws(self.count, times, seed)
        means: Array = (weights @ self.sums) / (weights @ self.sizes)
        return means


def clustered(values: Sequence[float], clusters: Sequence[Hashable] | None = None) -> Clustered:
    """Gather values by cluster; without clusters, each value is one of its own."""
    import numpy as np

    if not len(values):
        raise InputError("statistics of no values", expected="at least one value")
    numbers = np.asarray(values, dtype=np.float64)
    if clusters is None:
        return Clustered(numbers, np.ones_like(numbers))
    if len(clusters) != len(values):
        raise InputError(
            "values and clusters", found=f"{len(values)} values, {len(clusters)} clusters", expected="as many of both"
        )
    places: dict[Hashable, int] = {}
    index = np.array([places.setdefault(cluster, len(places)) for cluster in clusters])
    return Clustered(np.bincount(index, weights=numbers).astype(np.float64), np.bincount(index).astype(np.float64))


def draws(count: int, times: int, seed: int) -> Array:
    """How often each of `count` clusters is drawn in each of `times` samples: times x count."""
    import numpy as np

    generator = np.random.default_rng(seed)
    return generator.multinomial(count, np.full(count, 1 / count), size=times).astype(np.float64)
