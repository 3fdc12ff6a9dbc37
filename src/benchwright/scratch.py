"""Temporary folders that outlive nobody: what a killed process left is removed when the next one makes its first."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Literal

PREFIX = "benchwright-scratch-"
_HIDDEN = f".{PREFIX}"
"""Where the folder lies among a user's files."""


@contextmanager
def scratch_folder(purpose: str, beside: Path | None = None) -> Iterator[Path]:
    """A new folder for the time of a block, whose name tells its purpose. Errors: OSError where none can be made.

    It lies where the system keeps what is temporary, or, hidden, `beside` the files of a folder.
    Its maker holds a lock on it, which the system lets go of however the maker ends.
    """
    parent = beside or Path(tempfile.gettempdir())
    _cleared_once(parent)
    folder, held = _made(parent, f"{_HIDDEN if beside else PREFIX}{purpose}-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def clear_scratch(parent: Path) -> tuple[Path, ...]:
    """Remove the folders of this user below `parent` that nobody holds any more; which these were."""
    left = (*sorted(parent.glob(f"{PREFIX}*")), *sorted(parent.glob(f"{_HIDDEN}*")))
    return tuple(folder for folder in left if _removed(folder))


@cache
def _cleared_once(parent: Path) -> None:
    clear_scratch(parent)


def _made(parent: Path, prefix: str) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        with suppress(FileNotFoundError):  # somebody who clears away may have come between
            held = _open(folder)
            if _lock(held) != "taken" and folder.is_dir():
                return folder, held
            os.close(held)


def _removed(folder: Path) -> bool:
    try:
        held = _open(folder)
    except OSError:
        return False
    try:
        if os.fstat(held).st_uid != os.geteuid() or _lock(held) != "ours":
            return False
        shutil.rmtree(folder, ignore_errors=True)
        return True
    finally:
        os.close(held)


def _open(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)


def _lock(held: int) -> Literal["ours", "taken", "none"]:
    """Where the file system knows no locks, folders are made all the same and none is cleared away."""
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "taken"
    except OSError:
        return "none"
    return "ours"
