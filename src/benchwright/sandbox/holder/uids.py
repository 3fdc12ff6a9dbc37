"""Host uids for attempts: each is given to one sandbox of the machine at a time."""

from __future__ import annotations

import fcntl
import os
import random
from typing import Final

_LOCKS: Final = "/run/benchwright/uids"


def take(first: int, last: int) -> tuple[int, int]:
    """A host uid that no other sandbox of this machine has, and the open lock that says so. Root only.

    Errors: OSError when every uid of the range is in use.
    """
    os.makedirs(_LOCKS, 0o700, exist_ok=True)
    count = last - first + 1
    start = random.randrange(count)  # noqa: S311 - spreads parallel runs, guards nothing
    for step in range(count):
        uid = first + (start + step) % count
        lock = os.open(f"{_LOCKS}/{uid}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            continue
        return uid, lock
    raise OSError(f"every uid from {first} to {last} is in use")
