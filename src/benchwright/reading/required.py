"""From a reference solution to the files that a right solution has to read."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import Literal

from benchwright.reading.paths import take_apart
from benchwright.reading.program import FileRead, Reading, read_program

Status = Literal["static", "glob", "basename_only", "embedded_or_none", "remote", "unparsable", "unknown"]


@dataclass(frozen=True, slots=True)
class Target:
    """One required file: where it lies in a room (`<dataset>/source/<path>`), and how that was found out.

    A path without a folder means any file of that name.
    """

    path: str
    convention: str
    read: FileRead

    @property
    def alternatives(self) -> tuple[str, ...]:
        """What the program reads where the file is missing, as places in a room."""
        places = dict.fromkeys(take_apart(path).room_path for path in self.read.alternatives)
        return tuple(place for place in places if place != self.path)


@dataclass(frozen=True, slots=True)
class Targets:
    """The required files of a reference solution, how well they are known, and why not better."""

    status: Status
    files: tuple[Target, ...] = ()
    note: str = ""


def required_files(code: str) -> Targets:
    """The files that the program reads (of alternatives the one it means), in the order in which it reads them."""
    reading = read_program(code)
    if reading.error:
        return Targets("unparsable", note=reading.error)
    if not reading.reads:
        return _nothing_read(reading)
    files = tuple(_target(read) for read in reading.reads)
    return Targets(_status(files), files, _note(reading))


def _nothing_read(reading: Reading) -> Targets:
    if reading.remote:
        return Targets("remote", note=f"read over the network: {', '.join(reading.remote)}")
    if not reading.complete:
        return Targets("unknown", note="something is read of which the path is not known")
    return Targets("embedded_or_none", note="the program reads no file")


def _target(read: FileRead) -> Target:
    found = take_apart(read.path)
    if "*" in found.dataset or (read.glob and not found.dataset):
        return Target(posixpath.basename(read.path), "walk", read)
    return Target(found.room_path, found.convention, read)


def _status(files: tuple[Target, ...]) -> Status:
    if any("*" in target.path for target in files):
        return "glob"
    return "basename_only" if any("/" not in target.path for target in files) else "static"


def _note(reading: Reading) -> str:
    notes = []
    if not reading.complete:
        notes.append("something else is read of which the path is not known")
    if reading.declared_unread:
        notes.append(f"named but never read: {', '.join(reading.declared_unread)}")
    if reading.remote:
        notes.append(f"also read over the network: {', '.join(reading.remote)}")
    return "; ".join(notes)
