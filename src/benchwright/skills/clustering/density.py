"""The fast clustering: where rows lie dense in the graph of nearest neighbours, at the sizes that persist most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchwright.skills.clustering.base import Clusters
from benchwright.skills.clustering.capping import capped
from benchwright.skills.clustering.neighbours import Neighbours, nearest, reachability_tree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NEIGHBOURS = 15
_MIN_SAMPLES = 4
_FEWEST = 8
"""Fewer rows than this are one cluster: density means nothing among them."""


class DensityClustering:
    """PLSCAN on exact nearest neighbours; rows in no dense place join the cluster that most neighbours are in.

    Nothing is drawn by chance, so that it needs no seed.
    """

    def __init__(self, cap: int = 30) -> None:
        self.cap = cap
        self.name = f"fast(cap={cap})"

    def cluster(self, vectors: NDArray[np.float32], owners: Sequence[str]) -> Clusters:
        """Dense clusters, each in groups of at most `cap` owners."""
        import numpy as np

        labels = dense(vectors) if len(vectors) >= _FEWEST else np.zeros(len(vectors), dtype=np.int64)
        groups = [
            group
            for label in range(int(labels.max(initial=-1)) + 1)
            for group in capped(vectors, np.flatnonzero(labels == label).tolist(), owners, self.cap)
        ]
        return Clusters(tuple(sorted(groups)), tuple(labels.tolist()))


def dense(vectors: NDArray[np.float32]) -> NDArray[np.int64]:
    """The cluster of each row, from 0; every row has one."""
    import numpy as np
    from fast_plscan import PLSCAN

    near = nearest(vectors, _NEIGHBOURS)
    tree = reachability_tree(vectors, near, _MIN_SAMPLES)
    found = PLSCAN(metric="precomputed", min_samples=_MIN_SAMPLES, num_threads=1).fit_predict((tree, len(vectors)))
    return _renumbered(_with_neighbours(np.asarray(found, dtype=np.int64), near))


def _with_neighbours(labels: NDArray[np.int64], near: Neighbours) -> NDArray[np.int64]:
    """Rows without a cluster join the one of their nearest neighbours (nearer ones count more), as far as it spreads.

    What no cluster reaches stays together as one more, which the cap then takes apart.
    """
    import numpy as np

    labels = labels.copy()
    while (open_rows := np.flatnonzero(labels < 0)).size:
        votes = labels[near.places[open_rows]]
        chosen = [_voted(row, 1 - far) for row, far in zip(votes, near.distances[open_rows], strict=True)]
        if max(chosen) < 0:
            labels[open_rows] = labels.max(initial=-1) + 1
            break
        labels[open_rows] = chosen
    return labels


def _voted(labels: NDArray[np.int64], closeness: NDArray[np.float32]) -> int:
    votes: dict[int, float] = {}
    for label, weight in zip(labels.tolist(), closeness.tolist(), strict=True):
        if label >= 0:
            votes[label] = votes.get(label, 0.0) + weight
    return min(votes, key=lambda label: (-votes[label], label), default=-1)


def _renumbered(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same clusters, numbered by their first rows."""
    import numpy as np

    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return np.asarray(rank[inverse], dtype=np.int64)
