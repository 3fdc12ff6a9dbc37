"""Opening files for the runner, with the eyes and the rights of the sandbox; the runner reads and writes them itself.

The first process passes descriptors and no contents: a large file must not count towards the attempt's memory.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import Any, Final

from benchwright.sandbox.holder.plan import Plan

_FORBIDDEN_TO_READ: Final = ("/proc/", "/sys/")
"""The first process would answer for itself there, not for the agent."""

_READABLE_FILE: Final = 0o444
_READABLE_FOLDER: Final = 0o555
_DEEPEST: Final = 64


def read(_plan: Plan, header: dict[str, Any]) -> tuple[str, int]:
    """One regular file, open for reading, and its path without links; they lead where they lead inside."""
    path = _absolute(header["path"])
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        return _regular(descriptor, path), descriptor
    except OSError:
        os.close(descriptor)
        raise


def write(plan: Plan, header: dict[str, Any]) -> tuple[str, int]:
    """One file, open for writing and empty, in a place that the agent may write to; its folders are made."""
    path = _absolute(header["path"])
    folder, name = os.path.split(path)
    real = os.path.realpath(folder)
    allowed = ("/workspace", "/tmp", *(room.target for room in plan.rooms if room.writable))  # noqa: S108 - inside
    if not name or not any(real == place or real.startswith(f"{place}/") for place in allowed):
        raise PermissionError(errno.EACCES, "outside what may be written", path)
    _make_folders(real)
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    descriptor = os.open(os.path.join(real, name), flags, 0o644)
    try:
        opened = _regular(descriptor, path)
        os.ftruncate(descriptor, 0)
    except OSError:
        os.close(descriptor)
        raise
    return opened, descriptor


def open_up(folder: str, depth: int = _DEEPEST) -> None:
    """Let everyone read what lies below a folder, as an ordinary user's runner must to collect it.

    What is changed meanwhile, or lies deeper than the runner looks, is passed over.
    """
    with suppress(OSError):
        os.chmod(folder, stat.S_IMODE(os.stat(folder).st_mode) | _READABLE_FOLDER)
        with os.scandir(folder) as entries:
            found = [(entry.path, entry.stat(follow_symlinks=False).st_mode) for entry in entries]
        for path, mode in found:
            if stat.S_ISDIR(mode) and depth:
                open_up(path, depth - 1)
            elif stat.S_ISREG(mode) and mode & _READABLE_FILE != _READABLE_FILE:
                with suppress(OSError):
                    os.chmod(path, stat.S_IMODE(mode) | _READABLE_FILE)


def _regular(descriptor: int, path: str) -> str:
    """Where an open file lies; PermissionError if it is none that may be read or written for the agent."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    real = os.readlink(f"/proc/self/fd/{descriptor}")
    if not stat.S_ISREG(mode) or real.startswith(_FORBIDDEN_TO_READ):
        raise PermissionError(errno.EACCES, "not a regular file", path)
    return real


def _make_folders(path: str) -> None:
    """As os.makedirs, which calls itself for each folder and so fails on many of them."""
    missing = []
    while path != "/" and not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        os.mkdir(folder)


def _absolute(path: str) -> str:
    try:
        raw = os.fsencode(path)
    except UnicodeEncodeError as error:
        raise OSError(errno.EILSEQ, os.strerror(errno.EILSEQ), path) from error
    if b"\0" in raw:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
    return os.path.normpath(os.path.join("/workspace", path)) if not path.startswith("/") else path
