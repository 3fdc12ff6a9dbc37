"""Clusterings that were made before, kept by what they were made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.chat.asking.shelf import Shelf
from benchwright.files import canonical_json
from benchwright.skills.clustering.base import Clustering, Clusters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class KeptClusters(Shelf):
    """Clusters in an SQLite file by method, vectors and owners: a work that was killed does not cluster again."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "clusters")

    def of(self, clustering: Clustering, vectors: NDArray[np.float32], owners: Sequence[str]) -> Clusters:
        """The clusters of these rows, kept or made now."""
        key = _key(clustering.name, vectors, owners)
        if (kept := self.get(key)) is not None:
            groups, hard = json.loads(kept)
            return Clusters(tuple(map(tuple, groups)), tuple(hard))
        made = clustering.cluster(vectors, owners)
        self.put([(key, canonical_json([made.groups, made.hard]).encode())])
        return made


def _key(name: str, vectors: NDArray[np.float32], owners: Sequence[str]) -> str:
    digest = hashlib.sha256(canonical_json([name, vectors.shape, list(owners)]).encode())
    digest.update(vectors.tobytes())
    return digest.hexdigest()
