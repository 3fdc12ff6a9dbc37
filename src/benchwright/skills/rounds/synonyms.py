"""Names that mean the same: connected components of "cosine of at least 0.95", in blocks of one matrix product."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchwright.skills.rounds.words import sound_words

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
    union = Union(len(vectors))
    for first, second, _ in close_pairs(vectors, closeness):
        union.join(first, second)
    return union.sets()


def close_pairs(vectors: NDArray[np.float32], closeness: float) -> Iterator[tuple[int, int, float]]:
    """Each pair of rows with at least this cosine once, the first row before the second. Memory: as of `synonyms`."""
    import numpy as np

    for start in range(0, len(vectors), _BLOCK):
        # Each pair once: a block against itself and what follows.
        cosines = vectors[start : start + _BLOCK] @ vectors[start:].T
        firsts, seconds = np.nonzero(cosines >= closeness)
        close = cosines[firsts, seconds].tolist()
        for first, second, cosine in zip(firsts.tolist(), seconds.tolist(), close, strict=True):
            if first < second:
                yield start + first, start + second, cosine


def same_meaning(names: Sequence[str], vectors: NDArray[np.float32], closeness: float) -> list[tuple[int, ...]]:
    """Places of names in sets: of the same words, or joined by a chain of names that are close to each other."""
    union = Union(len(names))
    first: dict[frozenset[str], int] = {}
    for place, name in enumerate(names):
        union.join(first.setdefault(sound_words(name), place), place)
    for places in synonyms(vectors, closeness):
        for place in places[1:]:
            union.join(places[0], place)
    return union.sets()


def shortest(names: Sequence[str]) -> int:
    """The place of the name that stands for all: of fewest words, then of fewest characters, then the first by letters.

    AgenticDataBench's rule, section 4: the shortest description represents the synonyms.
    """
    return min(
        range(len(names)), key=lambda place: (len(_SEGMENTS.split(names[place])), len(names[place]), names[place])
    )
