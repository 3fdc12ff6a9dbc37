"""Opening a file that an agent made: only a regular one, only up to a size, and only if it holds still."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAX_BYTES = 200 << 20
_CHUNK = 1 << 20


class UnreadableOutput(Exception):
    """A file that cannot be judged, with the reason."""


def read_output(path: Path, most: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file of at most `most` bytes; UnreadableOutput says why there are none.

    Links are not followed, and devices, sockets and pipes are never waited for. A sparse file counts with its full
    length. A file that grows, shrinks or is written to while it is read is refused: half of it would be judged.
    """
    with _opened(path) as handle:
        return _read(handle, most)


def read_head(path: Path, count: int) -> tuple[bytes, int]:
    """The first bytes of a regular file, at most `count`, and its size; UnreadableOutput as for `read_output`."""
    with _opened(path) as handle:
        return os.read(handle, count), os.fstat(handle).st_size


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """A regular file's descriptor; what goes wrong while it is read is an UnreadableOutput, too."""
    try:
        # O_NONBLOCK: opening a pipe without a writer would wait for one
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        irregular = getattr(error, "errno", None) in {errno.ELOOP, errno.ENXIO}  # a link, a socket
        reason = "not a regular file" if irregular else getattr(error, "strerror", None) or str(error)
        raise UnreadableOutput(reason) from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UnreadableOutput("not a regular file")
        yield handle
    except OSError as error:
        raise UnreadableOutput(error.strerror or str(error)) from error
    finally:
        os.close(handle)


def _read(handle: int, most: int) -> bytes:
    before = os.fstat(handle)
    if before.st_size > most:
        raise UnreadableOutput(f"more than {most:,} bytes")
    pieces: list[bytes] = []
    size = 0
    # Mostly one piece, which is not copied again; one byte more would show that the file grew.
    while size <= most and (piece := os.read(handle, max(_CHUNK, before.st_size + 1 - size))):
        pieces.append(piece)
        size += len(piece)
    after = os.fstat(handle)
    if size != before.st_size or (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise UnreadableOutput("changed while it was read")
    return b"".join(pieces)
