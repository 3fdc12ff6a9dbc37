"""Texts to vectors: an embedder by its name, and vectors that are asked for once."""

from benchwright.skills.embedding.kept import KeptVectors
from benchwright.skills.embedding.named import embedder_named

__all__ = ["KeptVectors", "embedder_named"]
