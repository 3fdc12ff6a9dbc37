"""Suites read once in a process: every attempt asks for its own."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from benchwright.suite import Suite


@lru_cache(maxsize=16)
def suite_at(folder: str) -> Suite:
    """The suite in a folder. It must not change while a run is on; its digest is in the run's record."""
    return Suite.open(Path(folder))
