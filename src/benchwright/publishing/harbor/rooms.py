"""Data rooms beside the tasks of an export: copied once, and shared by hard links or mounts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from benchwright.errors import EnvironmentFault
from benchwright.suite import Suite


class SharedRooms:
    """The folder `rooms/` of an export. The suite's own files are never linked: who edits an export edits a copy."""

    def __init__(self, suite: Suite, folder: Path) -> None:
        self._suite, self._folder = suite, folder
        self._sizes: dict[str, int] = {}

    @property
    def bytes(self) -> int:
        """How much the rooms hold, each counted once."""
        return sum(self._sizes.values())

    def size(self, room: str) -> int:
        """How much a room holds; it is copied when it is first asked for. Links and special files are left out."""
        if room not in self._sizes:
            source = self._suite.room_path(room)
            if not source.is_dir():
                raise EnvironmentFault(
                    f"the room {room} is not on this machine", found=str(source), hint="build the suite with its data"
                )
            self._sizes[room] = _copied(source, self._folder / room)
        return self._sizes[room]

    def link(self, room: str, into: Path) -> None:
        """The room's files by hard links; copies where the file system has no links."""
        self.size(room)
        shutil.copytree(self._folder / room, into, copy_function=_linked, dirs_exist_ok=True)


def _linked(source: str, target: str) -> str:
    """A hard link in place of whatever lay there."""
    Path(target).unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
    return target


def _copied(source: Path, target: Path) -> int:
    """Copy a room's regular files; how many bytes they hold."""
    held = 0
    for folder, _, names in os.walk(source):
        below = target / Path(folder).relative_to(source)
        below.mkdir(parents=True, exist_ok=True)
        for name in names:
            path = Path(folder, name)
            if path.is_symlink() or not path.is_file():
                continue
            shutil.copyfile(path, below / name)
            held += path.stat().st_size
    return held
