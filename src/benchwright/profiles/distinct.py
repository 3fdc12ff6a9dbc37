"""How many different values there are, in bounded memory: exact up to a bound, then estimated (k minimum values)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

MOST_HASHES = 1 << 15
"""Hashes that are kept; with so many the estimate is off by some 0.6 % (Bar-Yossef et al. 2002)."""

_ALL_HASHES, _A_COLUMN = 1 << 24, 1 << 20
"""Hashes of all columns of a table together (134 MB), and of one: few columns are counted exactly."""

ESTIMATING = 1 << 17
"""Hashes that are kept of a column once it has too many to count: the estimate is off by some 0.3 %."""


def most_hashes(columns: int) -> int:
    """How many hashes each of so many columns may keep."""
    return max(MOST_HASHES, min(_A_COLUMN, _ALL_HASHES // max(1, columns)))


class Distinct:
    """The smallest hashes seen: all of them up to `most`, then as many as the estimate is to rest on."""

    def __init__(self, most: int = MOST_HASHES, estimating: int | None = None) -> None:
        self._most = most
        self._estimating = min(most, estimating or most)
        self._smallest: NDArray[np.uint64] | None = None
        self._waiting: list[NDArray[np.uint64]] = []
        self._exact = True

    def add(self, values: pl.Series) -> None:
        """Take in values without nulls."""
        import numpy as np

        hashes = values.hash(seed=11).to_numpy()
        if not self._exact and self._smallest is not None:
            hashes = hashes[hashes < self._smallest[-1]]
        if not len(hashes):
            return
        self._waiting.append(_different(np.sort(hashes)))
        # Merged when as many wait as are kept: each hash is then sorted a few times at most, however many batches come.
        if sum(map(len, self._waiting)) >= max(MOST_HASHES, len(self._known())):
            self._merge()

    def _known(self) -> NDArray[np.uint64]:
        import numpy as np

        return np.empty(0, np.uint64) if self._smallest is None else self._smallest

    def _merge(self) -> None:
        import numpy as np

        if self._waiting:
            merged = np.concatenate((self._known(), *self._waiting))
            self._waiting = []
            merged.sort()
            merged = _different(merged)
            self._exact = self._exact and len(merged) <= self._most
            self._smallest = merged if self._exact else merged[: self._estimating].copy()

    @property
    def exact(self) -> bool:
        """Whether all hashes are kept."""
        self._merge()
        return self._exact

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """The smallest hashes, ascending: all of them where `exact`."""
        self._merge()
        return self._known()

    def count(self) -> int:
        """The number of different values, estimated where `exact` is false."""
        known = self.hashes
        return len(known) if self._exact else round((len(known) - 1) * 2.0**64 / float(known[-1]))


def _different(ordered: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The different ones of ascending hashes; numpy's own unique is slow on hashes."""
    import numpy as np

    first = np.empty(len(ordered), np.bool_)
    first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]
