"""Runs by names: each once, and no two alike."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import chain, count
from pathlib import Path

from benchwright.errors import InputError


def each_once(paths: Sequence[Path]) -> None:
    """Errors: InputError where one folder is named twice: its attempts would count twice."""
    found: set[Path] = set()
    for path in paths:
        if (place := path.resolve()) in found:
            raise InputError("a run is named twice", found=str(path), expected="each run folder once")
        found.add(place)


def unlike(name: str, taken: Container[str], mark: str = "#") -> str:
    """The name itself, or with the first number from 2 that makes it unlike those that are taken."""
    numbered = (f"{name}{mark}{number}" for number in count(2))
    return next(each for each in chain((name,), numbered) if each not in taken)
