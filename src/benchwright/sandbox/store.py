"""Shared data rooms: each lies on the host once, is checked against its digest, and is mounted by every attempt."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

from benchwright.errors import InputError, SuiteError
from benchwright.files import canonical_json, folder_digest, home, index_folder, read_json, sha256, write_atomic
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
    note = home() / "checked" / f"{sha256(os.fsencode(folder))[:32]}.json"
    known = {"digest": room.sha256, "signature": signature(folder)}
    if _read(note) == known:
        return
    found = folder_digest(index_folder(folder))
    if found != room.sha256:
        raise SuiteError(
            f"room {room.name} does not hold what its suite says",
            found=f"{folder} with digest {found}",
            expected=room.sha256,
            hint="a file was changed, added or lost: build or fetch the suite again",
        )
    write_atomic(note, canonical_json(known))


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
