"""Names that mean the same: connected components of "cosine of at least 0.95", in blocks of one matrix product."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BLOCK = 1024
_SEGMENTS = re.compile(r"[\s\-_/&]+")
CLOSENESS = 0.95


class Union:
    """Disjoint sets of numbers from 0; each is named by its smallest."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def root(self, number: int) -> int:
        """The smallest number of the set that a number is in."""
        while self._above[number] != number:
            self._above[number] = self._above[self._above[number]]
            number = self._above[number]
        return number

    def join(self, first: int, second: int) -> None:
        """Make one set of the two sets that hold these numbers."""
        low, high = sorted((self.root(first), self.root(second)))
        self._above[high] = low

    def sets(self) -> list[tuple[int, ...]]:
        """All sets, each sorted, by their smallest numbers."""
        found: dict[int, list[int]] = {}
        for number in range(len(self._above)):
            found.setdefault(self.root(number), []).append(number)
        return [tuple(members) for _, members in sorted(found.items())]


def synonyms(vectors: NDArray[np.float32], closeness: float = CLOSENESS) -> list[tuple[int, ...]]:
    """Rows (of length 1) in sets: what DBSCAN finds with eps = 1 - closeness and min_samples = 1.

    A chain of close rows is one set, however far its ends are apart. Rows of zeros are close to nothing.
    Memory: a block of 1,024 x rows.
    """
    import numpy as np

    union = Union(len(vectors))
    for start in range(0, len(vectors), _BLOCK):
        # Each pair once: a block against itself and what follows.
        close = vectors[start : start + _BLOCK] @ vectors[start:].T >= closeness
        for first, second in zip(*(found.tolist() for found in np.nonzero(close)), strict=True):
            if first < second:
                union.join(start + first, start + second)
    return union.sets()


def shortest(names: Sequence[str]) -> int:
    """The place of the name that stands for all: of fewest words, then of fewest characters, then the first by letters.

    AgenticDataBench's rule, section 4: the shortest description represents the synonyms.
    """
    return min(
        range(len(names)), key=lambda place: (len(_SEGMENTS.split(names[place])), len(names[place]), names[place])
    )
