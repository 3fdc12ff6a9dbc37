"""Writes rooms as folders, by hard links or copies, with a manifest; what was there stays where it is."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.files import Record, canonical_json, folder_digest, index_folder, write_atomic, write_jsonl
from benchwright.generation.rooms.confusability import FileConfusion, RoomConfusion
from benchwright.generation.rooms.datasets import Collection

MANIFEST = "rooms.json"
GRAPH = "graph.jsonl"
FILES = "files.jsonl"


class Room(Record):
    """One room: its data sets, the words that tell most of them, how much it holds, and how confusable it is.

    `cohesion` is the mean weight between its data sets in the graph; `sha256` the digest that suites have of rooms.
    """

    name: str
    datasets: tuple[str, ...]
    topic: tuple[str, ...]
    cohesion: float
    files: int
    bytes: int
    sha256: str = ""
    confusion: RoomConfusion


class Manifest(Record):
    """All rooms, and what they were made from: counts of programs, the settings, and files that no room holds."""

    format: int = 1
    seed: int
    least: int
    most: int
    programs: int
    programs_used: int
    programs_unread: dict[str, str]
    rooms: tuple[Room, ...]
    left_out: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """Everything, defaults too."""
        return self.model_dump(mode="json")


def write_rooms(
    out: Path,
    collection: Collection,
    manifest: Manifest,
    rows: tuple[Sequence[dict[str, Any]], Sequence[FileConfusion]],
    *,
    copy: bool = False,
) -> Manifest:
    """Rooms as folders of `out`, with the graph's edges and the files' confusions beside; the manifest comes last.

    All is built beside `out` and takes its place in one step. Raises InputError where `out` holds anything else.
    """
    out = out.absolute()
    _check_free(out, collection.folder.resolve())
    out.parent.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        new = staging / "rooms"
        new.mkdir()
        files = {dataset.name: dataset.files for dataset in collection.datasets}
        done = tuple(_write_room(new, collection.folder, room, files, copy=copy) for room in manifest.rooms)
        written = manifest.model_copy(update={"rooms": done})
        write_jsonl(new / GRAPH, rows[0])
        write_jsonl(new / FILES, (each.model_dump(mode="json") for each in rows[1]))
        write_atomic(new / MANIFEST, canonical_json(written.to_json()) + "\n")
        if out.exists():
            os.replace(out, staging / "earlier")
        os.replace(new, out)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return written


def _check_free(out: Path, source: Path) -> None:
    if out.is_relative_to(source) or source.is_relative_to(out):
        raise InputError(
            f"{out} and the data {source} hold each other",
            expected="a folder beside the data",
            hint="rooms inside the data would be data of the next rooms",
        )
    if out.exists() and not (out.is_dir() and ((out / MANIFEST).is_file() or not any(out.iterdir()))):
        found = "a folder that holds no rooms" if out.is_dir() else "a file"
        raise InputError(f"{out} is in the way", found=found, expected="a new or empty folder, or earlier rooms")


def _write_room(new: Path, source: Path, room: Room, files: dict[str, tuple[str, ...]], *, copy: bool) -> Room:
    folder = new / room.name
    for path in (path for name in room.datasets for path in files[name]):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        _place(source / path, target, copy=copy)
    index = index_folder(folder)
    update = {"files": len(index), "bytes": sum(each.size for each in index), "sha256": folder_digest(index)}
    return room.model_copy(update=update)


def _place(source: Path, target: Path, *, copy: bool) -> None:
    """A hard link where the file system allows one, a copy elsewhere; never through a link."""
    link: Callable[..., None] = os.link
    if not copy:
        with suppress(OSError):
            link(source, target, follow_symlinks=False)
            return
    handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as stream, target.open("xb") as copied:
        shutil.copyfileobj(stream, copied, 1 << 20)
