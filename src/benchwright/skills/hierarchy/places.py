"""Where skills stand on a map: near each other what means the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FEWEST = 12
"""Neighbourhoods need some skills; fewer are drawn along their two widest directions."""


def places(vectors: NDArray[np.float32], seed: int = 0) -> list[tuple[float, float]]:
    """A point between 0 and 1 for each row: t-SNE with cosine distances, seeded; the same each time on one machine."""
    import numpy as np
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    if len(vectors) < 2:
        return [(0.5, 0.5)] * len(vectors)
    if len(vectors) < _FEWEST:
        found = _widest(vectors)
    else:
        neighbours = min(30.0, (len(vectors) - 1) / 4)
        start = _widest(vectors)
        start = (start / max(float(start.std()), 1e-9) * 1e-4).astype(np.float32)
        with threadpool_limits(1):  # its threads wait for each other more than they work
            found = TSNE(2, perplexity=neighbours, metric="cosine", init=start, random_state=seed).fit_transform(
                vectors
            )
    low, high = found.min(axis=0), found.max(axis=0)
    scaled = (found - low) / np.maximum(high - low, 1e-9)
    return [(round(float(x), 4), round(float(y), 4)) for x, y in scaled]


def _widest(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Rows along their two directions of most variance."""
    import numpy as np

    centred = vectors.astype(np.float64) - vectors.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    found = np.zeros((len(vectors), 2))
    for place, direction in enumerate(directions[:2]):
        # The sign of a direction is arbitrary; this one is not.
        found[:, place] = centred @ direction * (1 if direction[np.abs(direction).argmax()] > 0 else -1)
    return found
