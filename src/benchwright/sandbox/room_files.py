"""Which file of a room a tracer has seen: by path where nothing can be renamed, else by inode."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from benchwright.sandbox.tracing import MountedRoom

Inode = tuple[int, int]
"""Device and inode number."""


def path_text(path: str) -> str:
    """A path as text that any record can hold: bytes that are not UTF-8 appear as a backslash, x and two digits."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def inode(status: os.stat_result) -> Inode:
    """What identifies a file while its file system is mounted, under any name."""
    return status.st_dev, status.st_ino


class RoomView:
    """A room as a tracer sees it: an open folder, and the paths by which the kernel names its files.

    Those paths begin with `prefix`, which is asked of the kernel: it depends on how the sandbox's root was made.
    """

    def __init__(self, mounted: MountedRoom) -> None:
        self.name, self.writable = mounted.room.name, mounted.room.writable
        self.source = mounted.room.path
        self.folder = os.dup(mounted.descriptor)
        self.device = os.fstat(self.folder).st_dev
        self.prefix = os.readlink(f"/proc/self/fd/{self.folder}") + "/"

    def close(self) -> None:
        """Let the folder go; it would keep the mount busy. Idempotent."""
        if self.folder >= 0:
            os.close(self.folder)
            self.folder = -1

    def relative(self, seen: str) -> str | None:
        """A path as the kernel names it, relative to the room; None where it is elsewhere."""
        return seen[len(self.prefix) :] if seen.startswith(self.prefix) else None

    def regular(self, relative: str) -> os.stat_result | None:
        """The status of a regular file of the room; None where there is no such file."""
        try:
            status = os.stat(relative, dir_fd=self.folder, follow_symlinks=False)
        except OSError:
            return None
        return status if stat.S_ISREG(status.st_mode) else None

    def files(self) -> Iterator[tuple[str, os.stat_result]]:
        """Every regular file by its relative path; links are not followed."""
        for folder, _, names, descriptor in os.fwalk(".", dir_fd=self.folder):
            for name in names:
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    yield os.path.normpath(os.path.join(folder, name)), status

    def may_be_executed(self) -> bool:
        """Whether there is a file that the kernel would open to execute it, or as what another one names."""
        if not self.writable:
            return holds_executables(self.source)
        return any(_is_executable(status) for _, status in self.files())

    def for_everybody(self, relative: str) -> bool:
        """Whether everybody may execute a file, and enter its folders."""
        parts = relative.split("/")
        steps = ("/".join(parts[:end]) for end in range(1, len(parts) + 1))
        return all(os.stat(step, dir_fd=self.folder).st_mode & 0o111 == 0o111 for step in steps)

    def index(self) -> dict[Inode, tuple[str, ...]]:
        """The names of each regular file: one, or several hard links in alphabetical order."""
        names: dict[Inode, tuple[str, ...]] = {}
        for relative, status in self.files():
            names[inode(status)] = tuple(sorted((*names.get(inode(status), ()), relative)))
        return names


@lru_cache(maxsize=256)
def count_files(room: Path) -> int:
    """How many regular files a room's folder holds; rooms do not change while a runner lives."""
    return sum(_is_regular(os.path.join(folder, name)) for folder, _, names in os.walk(room) for name in names)


@lru_cache(maxsize=256)
def holds_executables(room: Path) -> bool:
    """Whether anybody may execute a regular file of a room's folder."""
    return any(
        _is_executable(os.lstat(os.path.join(folder, name))) for folder, _, names in os.walk(room) for name in names
    )


def _is_executable(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and bool(status.st_mode & 0o111)


def _is_regular(path: str) -> bool:
    return stat.S_ISREG(os.lstat(path).st_mode)
