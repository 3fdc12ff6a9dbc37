"""Clusterings that were made before, kept by what they were made of."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from benchwright.files import canonical_json
from benchwright.skills.clustering.base import Clustering, Clusters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class KeptClusters:
    """Clusters in an SQLite file by method, vectors and owners: a work that was killed does not cluster again."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(path, timeout=60)
        with self._database:
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS clusters (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def of(self, clustering: Clustering, vectors: NDArray[np.float32], owners: Sequence[str]) -> Clusters:
        """The clusters of these rows, kept or made now."""
        key = _key(clustering.name, vectors, owners)
        row = self._database.execute("SELECT value FROM clusters WHERE key = ?", (key,)).fetchone()
        if row is not None:
            groups, hard = json.loads(row[0])
            return Clusters(tuple(map(tuple, groups)), tuple(hard))
        made = clustering.cluster(vectors, owners)
        with self._database:
            value = canonical_json([made.groups, made.hard])
            self._database.execute("INSERT OR REPLACE INTO clusters VALUES (?, ?)", (key, value))
        return made


def _key(name: str, vectors: NDArray[np.float32], owners: Sequence[str]) -> str:
    digest = hashlib.sha256(canonical_json([name, vectors.shape, list(owners)]).encode())
    digest.update(vectors.tobytes())
    return digest.hexdigest()
