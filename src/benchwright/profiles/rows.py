"""The rows on which order statistics rest: all of a short file, an even sample of a long one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_KEPT = 1 << 21
"""Rows that are kept at most; up to there everything is exact."""

_ODD = 0x9E3779B97F4A7C15


class RowSample:
    """Chooses rows by a hash of their number, so that all columns keep the same rows, whatever the order of a file."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self.most = most
        self._mask = 0
        self._kept: list[NDArray[np.uint64]] = []
        self.keep: NDArray[np.bool_] | None = None

    @property
    def everything(self) -> bool:
        """Whether no row was left out."""
        return self._mask == 0

    def places(self, before: int, height: int) -> Any:
        """Which rows of the next batch to keep, as a mask of length `height`; `before` rows came before it."""
        import numpy as np

        numbers = np.arange(before, before + height, dtype=np.uint64)
        hashes = numbers * np.uint64(_ODD)
        hashes = (hashes ^ (hashes >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        hashes ^= hashes >> np.uint64(32)
        chosen = (hashes & np.uint64(self._mask)) == 0
        self._kept.append(hashes[chosen])
        return chosen

    def thin(self) -> bool:
        """Halve the sample where it has become too large: `keep` then says which of the rows kept so far stay."""
        import numpy as np

        if sum(map(len, self._kept)) <= self.most:
            return False
        hashes = np.concatenate(self._kept)
        self._mask = self._mask << 1 | 1
        self.keep = (hashes & np.uint64(self._mask)) == 0
        self._kept = [hashes[self.keep]]
        return True
