"""How a file is being opened, asked of the kernel while the opening thread waits for permission."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

from benchwright.sandbox.reads import Lost

_EXECUTES = -1
_CREATES = -2
_FLAGS: dict[str, dict[int, int]] = {
    # number of the system call -> which of its arguments holds the flags
    "x86_64": {2: 1, 257: 2, 304: 2, 85: _CREATES, 59: _EXECUTES, 322: _EXECUTES},
    "aarch64": {56: 2, 265: 2, 221: _EXECUTES, 281: _EXECUTES},
}
_CALLS = _FLAGS.get(platform.machine(), {})
_PATIENCE_SECONDS = 10.0


def supported() -> bool:
    """Whether this machine's system calls are known."""
    return bool(_CALLS)


def reads_content(flags: int) -> bool:
    """Whether an open with these flags can read what the file held: not write-only, not a mere path, not
    emptied by the opening itself.
    """
    return flags & os.O_ACCMODE in {os.O_RDONLY, os.O_RDWR} and not flags & (os.O_PATH | os.O_TRUNC)


def flags_of(thread: int) -> int | None:
    """The flags of the open that a waiting thread is in; executing a file counts as O_RDONLY.

    None for a thread that was killed meanwhile: it opens nothing any more. Raises Lost where the flags cannot be
    told: for another architecture's system calls, and for openat2, whose flags the program may change meanwhile (a
    sandbox refuses both).
    """
    call = _waiting_call(thread)
    if call is None:
        return None
    number, *arguments = call
    place = _CALLS.get(number)
    if place is None:
        raise Lost(f"a file of a writable room was opened by system call {number}, whose flags are not known")
    if place == _EXECUTES:
        return os.O_RDONLY
    if place == _CREATES:
        return os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    return arguments[place]


def _waiting_call(thread: int) -> list[int] | None:
    """Number and arguments of the system call in which the thread sleeps; it may need a moment to fall asleep."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            words = Path(f"/proc/{thread}/syscall").read_text(encoding="ascii").split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        except OSError as error:
            raise Lost(f"the thread that opened a file of a writable room cannot be looked at: {error}") from error
        if words != ["running"]:
            return [int(word, 0) for word in words[:7]]
        if time.monotonic() > deadline:
            raise Lost("a thread that waits for permission to open a file seems to run")
        time.sleep(0)
