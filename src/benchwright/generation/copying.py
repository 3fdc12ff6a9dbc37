"""Copying a room's files as they are at one moment, and saying which of them no room may hold."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path

from benchwright.errors import EnvironmentFault
from benchwright.files import canonical_json, parse_json, read_text, write_atomic
from benchwright.generation.rooms.datasets import files_below, refused

_PIECE = 64 << 20
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


def copy_room(source: Path, folder: Path, note: Path) -> None:
    """Copy a room in one step, readable for the sandbox's user; a copy that is there already stays.

    Hidden names are passed over; links, special files, and what cannot be read are left out, with the reason in `note`.
    Errors: EnvironmentFault where the disk is too small.
    """
    if folder.is_dir():
        return
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    left_out: dict[str, str] = {}
    paths = []
    for path in sorted(files_below(source)):
        reason = refused(source, path)
        if reason:
            left_out[path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")] = reason
        else:
            paths.append(path)
    _require_space(source, paths, part)
    for path in paths:
        if reason := _copied(source / path, part / path):
            left_out[path] = reason
    for parent, _, _ in os.walk(part):
        os.chmod(parent, 0o755)  # noqa: S103 - a room is there to be read
    note.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(note, canonical_json(left_out) + "\n")
    os.replace(part, folder)


def left_out_of(note: Path) -> Mapping[str, str]:
    """What was left out of a room's copy, with the reasons."""
    found = parse_json(read_text(note), str(note)) if note.is_file() else {}
    return {str(path): str(reason) for path, reason in found.items()} if isinstance(found, dict) else {}


def _copied(source: Path, target: Path) -> str:
    """Copy what a regular file holds now, and not what is added meanwhile; why it cannot be read, where it cannot."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        read = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return error.strerror or type(error).__name__
    try:
        about = os.fstat(read)
        if not stat.S_ISREG(about.st_mode):
            return "not a regular file"
        with target.open("wb") as stream:
            os.chmod(target, 0o644)
            done = 0
            while sent := os.sendfile(stream.fileno(), read, done, min(_PIECE, about.st_size - done)):
                done += sent
    except OSError as error:
        target.unlink(missing_ok=True)
        if error.errno in _FULL:
            raise
        return error.strerror or type(error).__name__
    finally:
        os.close(read)
    return ""


def _require_space(source: Path, paths: list[str], target: Path) -> None:
    """A sparse file takes as much as it says once it is copied: that is known before the disk is full."""
    sizes = {path: (source / path).lstat().st_size for path in paths if os.path.lexists(source / path)}
    free, needed = shutil.disk_usage(target).free, sum(sizes.values())
    if needed > free:
        largest = max(sizes, key=sizes.__getitem__)
        shutil.rmtree(target, ignore_errors=True)
        raise EnvironmentFault(
            f"too little space to copy {source}",
            found=f"{free >> 20:,} MB free; the largest file is {largest[:200]!r} with {sizes[largest] >> 20:,} MB",
            expected=f"{needed >> 20:,} MB",
            hint="take large files out, or write the suite to a larger disk",
        )
