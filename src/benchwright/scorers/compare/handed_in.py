"""Files that an agent handed in: read whole, up to a size, and only where they are plain files."""

from __future__ import annotations

import os
import stat
from pathlib import Path


class Unreadable(Exception):
    """A file that is not there to be read, with the reason."""


def read_bytes(path: Path, most: int) -> bytes:
    """The bytes of a regular file of at most `most` bytes; never follows a link, and never waits for a pipe."""
    data, size = read_head(path, most)
    if size > most:
        raise Unreadable(f"more than {most:,} bytes")
    return data


def read_head(path: Path, count: int) -> tuple[bytes, int]:
    """The first bytes of a regular file, and its size; never follows a link, and never waits for a pipe."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise Unreadable("not a regular file" if path.is_symlink() else str(error.strerror)) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable("not a regular file")
        # A file may grow while it is read.
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return stream.read(min(count, status.st_size)), status.st_size
    finally:
        os.close(descriptor)
