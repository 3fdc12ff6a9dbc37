"""What a clustering is: vectors in, groups of their places out, the same for the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Clusters:
    """Groups of places (rows of the vectors), each sorted; `hard` is the one cluster of each row before any cap.

    Every row is in a group; with soft membership a row may be in several.
    """

    groups: tuple[tuple[int, ...], ...]
    hard: tuple[int, ...]

    @property
    def memberships(self) -> int:
        """How many places all groups hold together."""
        return sum(map(len, self.groups))


class Clustering(Protocol):
    """A way to cluster. `name` says the method and its settings, for the record."""

    name: str

    def cluster(self, vectors: NDArray[np.float32], owners: Sequence[str]) -> Clusters:
        """Groups of rows of at most so many owners each; vectors are of length 1, `owners` says whose each row is.

        What is capped are distinct owners (the solution of a step), as AgenticDataBench counts.
        """
