"""The paper's clustering (section 4): UMAP, then Gaussian mixtures by BIC, with soft membership, until small enough."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from math import isqrt
from typing import TYPE_CHECKING

from benchwright.skills.clustering.base import Clusters
from benchwright.skills.clustering.capping import capped, fits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DIMENSIONS = 10
_MOST_COMPONENTS = 49
_SHARE = 0.1
"""A row joins every component that explains it with at least this probability; at 0.5 membership would be hard."""
_HARD = 2.0
"""A share that no component reaches, so that a row is in its likeliest one alone."""
_MOST_MEMBERSHIPS = 2
"""Rows are in so many groups on average at most: overlaps of overlaps would otherwise grow without end."""
_FEWEST = 5
"""UMAP needs more rows than it makes dimensions and neighbours; fewer rows are reduced no further."""


Reduction = Callable[["NDArray[np.float32]", int], "NDArray[np.float64]"]
"""Vectors and a seed to fewer dimensions."""


def umap(vectors: NDArray[np.float32], seed: int) -> NDArray[np.float64]:
    """UMAP to at most 10 dimensions, seeded; as many neighbours as the root of the rows, as published."""
    import numpy as np

    rows = len(vectors)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # UMAP warns that a seed means one thread, which is why there is one
        from umap import UMAP

        reducer = UMAP(
            n_neighbors=max(2, isqrt(rows - 1)),
            n_components=min(_DIMENSIONS, rows - 2),
            metric="cosine",
            init="random" if rows <= _DIMENSIONS + 2 else "spectral",
            random_state=seed,
            n_jobs=1,
        )
        return np.asarray(reducer.fit_transform(vectors), dtype=np.float64)


class MixtureClustering:
    """Components of a Gaussian mixture over a reduction; a component with too many owners is split the same way."""

    def __init__(self, cap: int = 30, seed: int = 0, share: float = _SHARE, reduction: Reduction = umap) -> None:
        self.cap, self.seed, self.share, self.reduction = cap, seed, share, reduction
        self.name = f"paper(cap={cap}, seed={seed}, share={share})"

    def cluster(self, vectors: NDArray[np.float32], owners: Sequence[str]) -> Clusters:
        """Groups of at most `cap` owners; a row is in each component that explains it with at least `share`.

        Once groups hold every row twice on average, what is still to be split is split without overlap.
        """
        import numpy as np

        first = self._posteriors(vectors)
        groups: set[tuple[int, ...]] = set()
        waiting = _components(np.arange(len(vectors)), first, self.share)
        held = sum(map(len, waiting))
        while waiting:
            group = waiting.pop()
            if fits(group, owners, self.cap):
                groups.add(group)
                continue
            share = self.share if held < _MOST_MEMBERSHIPS * len(vectors) else _HARD
            parts = _components(np.array(group), self._posteriors(vectors[list(group)]), share)
            if all(len(part) < len(group) for part in parts):
                waiting += parts
                held += sum(map(len, parts)) - len(group)
            else:  # a part that is all of it would be split for ever
                groups.update(capped(vectors, group, owners, self.cap))
        return Clusters(tuple(sorted(groups)), tuple(first.argmax(axis=1).tolist()))

    def _posteriors(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        import numpy as np

        if len(vectors) < _FEWEST:
            return np.ones((len(vectors), 1))
        return _likeliest_mixture(self.reduction(vectors, self.seed), self.seed)


def _components(places: NDArray[np.int64], posteriors: NDArray[np.float64], share: float) -> list[tuple[int, ...]]:
    """The rows of each component; the likeliest component of a row holds it whatever its share."""
    import numpy as np

    likeliest = posteriors.argmax(axis=1)
    found = []
    for component in range(posteriors.shape[1]):
        held = (posteriors[:, component] >= share) | (likeliest == component)
        if held.any():
            found.append(tuple(sorted(places[np.flatnonzero(held)].tolist())))
    return found


def _likeliest_mixture(reduced: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Rows x components: how likely each component of the mixture with the lowest BIC made each row."""
    import numpy as np
    from sklearn.mixture import GaussianMixture
    from threadpoolctl import threadpool_limits

    rows = len(reduced)
    best: GaussianMixture | None = None
    lowest = np.inf
    with threadpool_limits(1), warnings.catch_warnings():  # small matrices: more threads only wait for each other
        warnings.simplefilter("ignore")  # a mixture that did not converge is judged by its BIC all the same
        for count in range(1, min(_MOST_COMPONENTS, rows - 1) + 1):
            try:
                fitted = GaussianMixture(count, random_state=seed).fit(reduced)
            except ValueError:  # more components than distinct rows can carry
                break
            if (bic := fitted.bic(reduced)) < lowest:
                best, lowest = fitted, bic
        return np.ones((rows, 1)) if best is None else np.asarray(best.predict_proba(reduced))
