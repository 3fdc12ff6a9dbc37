"""Nearest neighbours by cosine, exactly, in blocks; and the tree of mutual reachability over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

_BLOCK = 1024
_LEAST = 1e-6
"""Sparse matrices take 0 for "no edge", so that equal vectors stand a little apart."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The places of each row's nearest rows and their cosine distances (rows x k), nearest first."""

    places: NDArray[np.int32]
    distances: NDArray[np.float32]


def nearest(vectors: NDArray[np.float32], count: int) -> Neighbours:
    """The `count` nearest other rows of each row (rows of length 1). Memory: a block of 1,024 x rows."""
    import numpy as np

    rows, count = len(vectors), min(count, len(vectors) - 1)
    places = np.empty((rows, count), dtype=np.int32)
    distances = np.empty((rows, count), dtype=np.float32)
    for start in range(0, rows, _BLOCK):
        block = slice(start, min(start + _BLOCK, rows))
        far = 1 - vectors[block] @ vectors.T
        far[np.arange(len(far)), np.arange(block.start, block.stop)] = np.inf
        near = np.argpartition(far, count - 1, axis=1)[:, :count]
        order = np.argsort(np.take_along_axis(far, near, axis=1), axis=1, kind="stable")
        places[block] = np.take_along_axis(near, order, axis=1)
        distances[block] = np.maximum(np.take_along_axis(far, places[block], axis=1), _LEAST)
    return Neighbours(places, distances)


def reachability_tree(vectors: NDArray[np.float32], near: Neighbours, min_samples: int) -> NDArray[np.float64]:
    """A spanning tree of mutual reachability: rows of (first, second, distance), shortest first.

    Parts of the graph that nothing connects are joined by the distances of their means, and farther apart than any
    two neighbours.
    """
    import numpy as np
    from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

    graph = _reachability(near, min_samples)
    found = minimum_spanning_tree(graph).tocoo()
    edges = np.column_stack([found.row, found.col, found.data.astype(np.float64)])
    parts, part_of = connected_components(graph, directed=False)
    if parts > 1:
        edges = np.vstack([edges, _bridges(vectors, part_of, float(edges[:, 2].max(initial=0.0)))])
    return np.asarray(edges[np.lexsort((edges[:, 1], edges[:, 0], edges[:, 2]))])


def _reachability(near: Neighbours, min_samples: int) -> csr_array:
    """The symmetric graph of neighbours; a pair is as far apart as the wider of its two cores, or as it is."""
    import numpy as np
    from scipy.sparse import csr_array

    rows, count = near.places.shape
    core = near.distances[:, min(min_samples, count) - 1]
    first, second = np.repeat(np.arange(rows), count), near.places.ravel()
    weights = np.maximum(np.maximum(core[first], core[second]), near.distances.ravel())
    graph = csr_array((weights, (first, second)), shape=(rows, rows))
    return graph.maximum(graph.T)


def _bridges(vectors: NDArray[np.float32], part_of: NDArray[np.int32], beyond: float) -> NDArray[np.float64]:
    """A tree over the parts of a graph, each edge between the first rows of two parts."""
    import numpy as np
    from scipy.sparse.csgraph import minimum_spanning_tree

    _, first = np.unique(part_of, return_index=True)
    means = np.zeros((len(first), vectors.shape[1]), dtype=np.float64)
    np.add.at(means, part_of, vectors)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), _LEAST)
    apart = beyond + np.maximum(1 - means @ means.T, _LEAST)
    found = minimum_spanning_tree(np.triu(apart, 1)).tocoo()
    return np.column_stack([first[found.row], first[found.col], found.data])
