"""How many different values there are, in bounded memory: exact up to a bound, then estimated (k minimum values)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

MOST_HASHES = 1 << 15
"""Hashes that are kept; with so many the estimate is off by some 0.6 % (Bar-Yossef et al. 2002)."""


class Distinct:
    """The smallest hashes seen."""

    def __init__(self, most: int = MOST_HASHES) -> None:
        self._most = most
        self._smallest: NDArray[np.uint64] | None = None
        self.exact = True

    def add(self, values: pl.Series) -> None:
        """Take in values without nulls."""
        import numpy as np

        hashes = values.hash(seed=11).to_numpy()
        if not self.exact and self._smallest is not None:
            hashes = hashes[hashes < self._smallest[-1]]
        if not len(hashes):
            return
        merged = np.sort(hashes if self._smallest is None else np.concatenate((self._smallest, hashes)))
        merged = merged[np.append(True, merged[1:] != merged[:-1])]  # numpy's own unique is slow on hashes
        self.exact = self.exact and len(merged) <= self._most
        self._smallest = merged[: self._most]

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """The smallest hashes, ascending: all of them where `exact`."""
        import numpy as np

        return np.empty(0, np.uint64) if self._smallest is None else self._smallest

    def count(self) -> int:
        """The number of different values, estimated where `exact` is false."""
        if self._smallest is None:
            return 0
        if self.exact:
            return len(self._smallest)
        return round((self._most - 1) * 2.0**64 / float(self._smallest[-1]))
