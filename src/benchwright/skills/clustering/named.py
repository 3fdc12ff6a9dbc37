"""Which clustering a name means."""

from __future__ import annotations

from benchwright.errors import InputError
from benchwright.skills.clustering.base import Clustering
from benchwright.skills.clustering.density import DensityClustering
from benchwright.skills.clustering.mixture import MixtureClustering

METHODS = ("fast", "paper")


def clustering_named(name: str, cap: int = 30, seed: int = 0) -> Clustering:
    """`fast` (density on a graph of nearest neighbours) or `paper` (UMAP and Gaussian mixtures)."""
    if cap < 2:
        raise InputError("the cap of a cluster", found=str(cap), expected="at least 2 solutions")
    if name == "fast":
        return DensityClustering(cap)
    if name == "paper":
        return MixtureClustering(cap, seed)
    raise InputError("no such clustering", found=name, expected=" or ".join(METHODS))
