"""Copying what an attempt left in its workspace onto the host, trusting nothing about it."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from benchwright.sandbox.base import OutputsTooLarge

_CHUNK: Final = 1 << 20
_DEEPEST: Final = 64
_MOST_FILES: Final = 20_000
_LONGEST_PATH: Final = 2048
"""Below the kernel's 4,096 by far, so that the path of the folder that it is copied to fits as well."""
_SAFE: Final = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def collect(workspace: int, into: Path, limit_mb: int) -> tuple[Path, ...]:
    """Copy the regular files below an open folder into `into`; links and special files are passed over.

    Paths keep their bytes (as surrogates where they are not UTF-8). Raises `OutputsTooLarge` past `limit_mb`, past
    20,000 files, a depth of 64 folders or a path of 2,048 bytes, and leaves nothing behind then.
    """
    into.mkdir(parents=True, exist_ok=True)
    copied: list[Path] = []
    remaining = limit_mb << 20
    try:
        for folder, name, path in _regular_files(workspace, Path(), 0):
            if len(copied) >= _MOST_FILES:
                raise _too_large(f"more than {_MOST_FILES} files")
            if len(os.fsencode(path)) > _LONGEST_PATH:
                raise _too_large(f"a path of {len(os.fsencode(path))} bytes")
            size = _copy(folder, name, into / path, remaining)
            if size is None:
                continue
            remaining -= size
            copied.append(path)
    except OutputsTooLarge:
        _remove(into, copied)
        raise
    return tuple(sorted(copied))


def _remove(into: Path, copied: list[Path]) -> None:
    for path in copied:
        (into / path).unlink(missing_ok=True)
    folders = {parent for path in copied for parent in path.parents} - {Path()}
    for folder in sorted(folders, reverse=True):
        with suppress(OSError):
            (into / folder).rmdir()


def _too_large(found: str) -> OutputsTooLarge:
    return OutputsTooLarge("the attempt left more than may be kept", found=found, hint="raise limits.artifacts_mb")


def _regular_files(folder: int, path: Path, depth: int) -> Iterator[tuple[int, str, Path]]:
    if depth > _DEEPEST:
        raise _too_large(f"more than {_DEEPEST} folders inside each other")
    with os.scandir(folder) as entries:
        names = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
    for name, is_folder in names:
        if not is_folder:
            yield folder, name, path / name
            continue
        try:
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | _SAFE, dir_fd=folder)
        except OSError:
            continue  # replaced meanwhile, or not readable
        try:
            yield from _regular_files(inner, path / name, depth + 1)
        finally:
            os.close(inner)


def _copy(folder: int, name: str, target: Path, most: int) -> int | None:
    """Copy one file; its size, or None if it is no regular file."""
    try:
        source = os.open(name, os.O_RDONLY | _SAFE, dir_fd=folder)
    except OSError:
        return None  # a link, a socket, or not readable
    status = os.fstat(source)
    if not stat.S_ISREG(status.st_mode):
        os.close(source)
        return None
    with os.fdopen(source, "rb") as stream:
        if status.st_size > most:
            raise _too_large(f"{os.fsencode(name)!r} with {status.st_size} bytes")
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as copy:
            shutil.copyfileobj(_Limited(stream, status.st_size), copy, _CHUNK)
    return status.st_size


class _Limited:
    """A file read up to the size it had: one that grows meanwhile cannot fill the host's disk."""

    def __init__(self, stream: object, size: int) -> None:
        self._stream, self._left = stream, size

    def read(self, size: int = -1, /) -> bytes:
        data: bytes = self._stream.read(min(size, self._left))  # type: ignore[attr-defined]
        self._left -= len(data)
        return data
