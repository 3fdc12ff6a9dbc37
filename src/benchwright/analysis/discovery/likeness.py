"""Which files pass for another: the same content, the same name elsewhere, or another state of it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from functools import lru_cache
from typing import Literal

Likeness = Literal["copy", "same_name", "similar"]
_PARTS = re.compile(r"[a-z]+|\d+")
_STATES = frozenset(
    (
        *("copy", "old", "new", "final", "backup", "bak", "orig", "original", "latest", "stale", "archive", "archived"),
        *("draft", "tmp", "temp", "raw", "clean", "cleaned", "updated", "fixed", "version", "v", "rev", "r"),
    )
)
"""Words that name a state of a file, and not what it holds."""


def likeness(path: str, original: str, copies: Collection[str]) -> Likeness | None:
    """How a file is like another that it is not; None where it is not. Paths are below one room.

    `copies` are the files of the original's content, as they were when the suite was built. Files are `similar` whose
    names are the same but for numbers, dates and words of state (sales_2023_old.csv, Sales-2024.csv).
    """
    if path in copies:
        return "copy"
    name, wanted = posixpath.basename(path).lower(), posixpath.basename(original).lower()
    if name == wanted:
        return "same_name"
    return "similar" if _subject(name) == _subject(wanted) is not None else None


@lru_cache(maxsize=1 << 16)
def _subject(name: str) -> tuple[str, ...] | None:
    """What a file's name says that it is about, with its ending; None where it says nothing."""
    stem, ending = posixpath.splitext(name)
    words = tuple(word for word in _PARTS.findall(stem) if not word.isdigit() and word not in _STATES)
    return (*words, ending) if words else None
