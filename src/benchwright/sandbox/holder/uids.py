"""Host uids for attempts: each is given to one sandbox of the machine at a time."""

from __future__ import annotations

import fcntl
import os
import random
import struct
from typing import Final

_LOCKS: Final = "/run/benchwright/uid-locks"
_FLOCK: Final = struct.Struct("hhqqi4x")  # type, whence, start, length, pid
"""struct flock of 64-bit Linux."""


def take(first: int, last: int) -> tuple[int, int]:
    """A host uid that no other sandbox of this machine has, and the open lock that says so. Root only.

    One file holds the locks of all uids, one byte each. They belong to the open file, so that they last as long as any
    process that inherited it lives, and end with the last one however it ends. Errors: OSError when every uid of the
    range is in use.
    """
    os.makedirs(os.path.dirname(_LOCKS), 0o755, exist_ok=True)
    lock = os.open(_LOCKS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    count = last - first + 1
    start = random.randrange(count)  # noqa: S311 - spreads parallel runs, guards nothing
    for step in range(count):
        uid = first + (start + step) % count
        try:
            fcntl.fcntl(lock, fcntl.F_OFD_SETLK, _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, uid, 1, 0))
        except OSError:
            continue  # another sandbox has it
        return uid, lock
    os.close(lock)
    raise OSError(f"every uid from {first} to {last} is in use")
