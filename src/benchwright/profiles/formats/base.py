"""What every format shares: what it may cost, what it finds, and how it says that it cannot read a file."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchwright.profiles.entries import Count, FileProfile, Table


class Unreadable(Exception):
    """A file that is not what it seems to be, or costs more than it may; the text is the entry's error."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one file may cost. `bytes`: what a format that is read as a whole may weigh, and an archive unpack to.

    `members`: files of an archive that are profiled; `ratio`: how many times its size an archive may unpack to, past
    the first megabyte; `depth`: archives within archives; `tables`: tables of one file that are measured.
    """

    bytes: int = 256 << 20
    members: int = 20
    ratio: int = 200
    depth: int = 3
    tables: int = 50
    columns: int = 30_000


@dataclass(frozen=True, slots=True)
class Source:
    """A file to look at: where it lies, under which bounds, and what holds temporary files until it is done."""

    path: Path
    bounds: Bounds
    held: ExitStack
    look: Callable[[Path, str, Bounds], FileProfile]

    def whole(self) -> bytes:
        """All bytes of a file that must be read at once; Unreadable where there are too many."""
        size = self.path.stat().st_size
        if size > self.bounds.bytes:
            raise Unreadable(f"{size:,} bytes; files of this format are read up to {self.bounds.bytes:,}")
        return self.path.read_bytes()


@dataclass(frozen=True, slots=True)
class Found:
    """What a format finds in a file; the fields are those of `FileProfile`."""

    tables: tuple[Table, ...] = ()
    rows: Count | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    inner: tuple[FileProfile, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""

    def with_notes(self, *notes: str) -> Found:
        """The same with more notes; empty ones are left out."""
        return replace(self, notes=(*self.notes, *filter(None, notes)))


Format = Callable[[Source], Found]
"""A format is a function from a file to what it holds; Unreadable where it holds nothing of the kind."""


def needed(module: str) -> Any:
    """A library of the extra `profiles`; Unreadable says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Unreadable(
            f"needs {error.name or module}: install it with pip install 'benchwright[profiles]'"
        ) from error
