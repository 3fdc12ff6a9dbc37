"""One run as it lies on disk: its specification, its attempts, its journal, artifacts and scores."""

from benchwright.run.artifacts import Artifacts
from benchwright.run.folder import RunFolder
from benchwright.run.naming import each_once, unlike
from benchwright.run.records import Artifact, Attempt, Cell, Key, RunSpec, ScoreRow, Spend

__all__ = [
    "Artifact",
    "Artifacts",
    "Attempt",
    "Cell",
    "Key",
    "RunFolder",
    "RunSpec",
    "ScoreRow",
    "Spend",
    "each_once",
    "unlike",
]
