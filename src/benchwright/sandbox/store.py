"""Shared data rooms: each lies on the host once, is checked against its digest, and is mounted by every attempt."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from benchwright.errors import InputError, SuiteError
from benchwright.files import (
    FileEntry,
    canonical_json,
    folder_digest,
    home,
    index_folder,
    read_json,
    sha256,
    write_atomic,
)
from benchwright.sandbox.base import Room
from benchwright.suite import Suite
from benchwright.task import Task


def rooms_of(suite: Suite, task: Task) -> tuple[Room, ...]:
    """The task's rooms as every attempt gets them: where its suite keeps them, at the places that the task names."""
    return tuple(
        Room(
            mount.room,
            suite.room_path(mount.room),
            mount.target,
            mount.writable,
            sha256=suite.info.rooms[mount.room].sha256,
        )
        for mount in task.data
    )


_SHOWN = 5
_HINT = "restore the files, or build or fetch the suite again"


def room_faults(suite: Suite, names: Iterable[str], say: Callable[[str], None] = lambda _: None) -> dict[str, str]:
    """The rooms among these that are not what the suite says, each with what is wrong: by files where it keeps their
    index. A room without a digest has only to be there. `say` hears of each room that has to be read for it.
    """
    found = {}
    for name in names:
        folder, stated = suite.room_path(name).resolve(), suite.info.rooms[name].sha256
        if not folder.is_dir():
            found[name] = f"there is no folder {folder}"
        elif stated and not _is_known(folder, stated):
            say(f"room {name}: reading {folder}, to see that it is what the suite says")
            index = _other_content(folder, stated)
            if index is not None:
                found[name] = _changes(suite.room_index(name), index)
    return found


def require_rooms(suite: Suite, names: Iterable[str], say: Callable[[str], None] = lambda _: None) -> None:
    """Raise one SuiteError for all rooms among these that are not what the suite says."""
    faults = room_faults(suite, names, say)
    if faults:
        raise SuiteError(
            f"{len(faults)} of the rooms of suite {suite.name} do not hold what it says",
            found="\n    ".join(f"room {name} ({suite.room_path(name)}): {fault}" for name, fault in faults.items()),
            expected="the files that the suite was built with",
            hint=_HINT,
        )


def _changes(before: Sequence[FileEntry] | None, after: Sequence[FileEntry]) -> str:
    """What became of a room's files; without their index, that they are others."""
    if before is None:
        return f"{len(after)} files with digest {folder_digest(after)}"
    old, new = ({entry.path: entry.sha256 for entry in entries} for entries in (before, after))
    kinds = (
        ("changed", [path for path in old if path in new and old[path] != new[path]]),
        ("lost", [path for path in old if path not in new]),
        ("added", [path for path in new if path not in old]),
    )
    return "; ".join(f"{len(paths)} {kind} ({_some(paths)})" for kind, paths in kinds if paths) or (
        "the suite's own index of it is another"
    )


def _some(paths: Sequence[str]) -> str:
    return ", ".join(path.replace("\n", "\\n") for path in sorted(paths)[:_SHOWN]) + (
        ", ..." if len(paths) > _SHOWN else ""
    )


class RoomStore:
    """Remembers which rooms were seen to hold what they should; safe to use from any thread.

    Hashing a gigabyte takes seconds, so what was found is kept in `$BENCHWRIGHT_HOME/checked`, beside a signature
    (paths, sizes, inodes, times of change) that any later change of the room breaks. One store looks at each room
    once: a run does not see changes that are made under it, but its attempts read the files that are there.
    """

    def __init__(self) -> None:
        self._seen: set[tuple[Path, str]] = set()
        self._lock = threading.Lock()

    def check(self, room: Room) -> None:
        """Raise SuiteError if the room does not hold what its digest says; a room without one is not looked at."""
        if not room.sha256:
            return
        folder = room.path.resolve()
        with self._lock:
            if (folder, room.sha256) not in self._seen:
                _check(room, folder)
                self._seen.add((folder, room.sha256))


def _check(room: Room, folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"room {room.name} is not there", found=str(folder), expected="a folder")
    if _is_known(folder, room.sha256):
        return
    index = _other_content(folder, room.sha256)
    if index is not None:
        raise SuiteError(
            f"room {room.name} does not hold what its suite says",
            found=f"{folder} with digest {folder_digest(index)}",
            expected=room.sha256,
            hint=_HINT,
        )


def _is_known(folder: Path, digest: str) -> bool:
    """Whether the room was seen to have this digest, and nothing in it has been touched since."""
    return _read(_note(folder)) == _stamp(folder, digest)


def _other_content(folder: Path, digest: str) -> tuple[FileEntry, ...] | None:
    """Read the room: what it holds where that is not what its digest says; None, and noted down, where it is."""
    stamp = _stamp(folder, digest)  # taken before reading: a change meanwhile breaks it
    index = index_folder(folder)
    if folder_digest(index) != digest:
        return index
    with suppress(OSError):  # where it cannot be noted down, the room is read again the next time
        write_atomic(_note(folder), canonical_json(stamp))
    return None


def _stamp(folder: Path, digest: str) -> dict[str, str]:
    return {"digest": digest, "signature": signature(folder)}


def _note(folder: Path) -> Path:
    return home() / "checked" / f"{sha256(os.fsencode(folder))[:32]}.json"


def _read(note: Path) -> object:
    try:
        return read_json(note)
    except InputError:
        return None


def signature(folder: Path) -> str:
    """A digest of what the filesystem knows of every regular file, which changes whenever a content may have."""
    return sha256("\n".join(sorted(_facts(folder))))


def _facts(folder: Path) -> Iterator[str]:
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode):
                place = os.path.relpath(path, folder)
                facts = (status.st_size, status.st_ino, status.st_dev, status.st_mtime_ns, status.st_ctime_ns)
                yield f"{os.fsencode(place)!r} {facts}"
