"""Vectors to clusters: two methods behind one protocol."""

from benchwright.skills.clustering.base import Clustering, Clusters
from benchwright.skills.clustering.density import DensityClustering
from benchwright.skills.clustering.mixture import MixtureClustering
from benchwright.skills.clustering.named import METHODS, clustering_named

__all__ = ["METHODS", "Clustering", "Clusters", "DensityClustering", "MixtureClustering", "clustering_named"]
