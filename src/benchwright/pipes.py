"""Lines to and from a process that may hang or die at any moment."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time

_LINE_BYTES = 16 << 20


class Lines:
    """What a process writes, line by line."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._read = bytearray()

    def next(self, deadline: float) -> bytes:
        """The next line; empty if the process is gone or the line endless. TimeoutError at the (monotonic) deadline."""
        watch = select.poll()  # not select(), which fails past 1,024 open files
        watch.register(self._handle, select.POLLIN)
        searched = 0
        while (end := self._read.find(b"\n", searched)) < 0:
            searched = len(self._read)
            if searched >= _LINE_BYTES:
                return b""
            left = deadline - time.monotonic()
            if left <= 0 or not watch.poll(left * 1000):
                raise TimeoutError
            piece = os.read(self._handle, 1 << 16)
            if not piece:
                return b""
            self._read += piece
        line = bytes(self._read[: end + 1])
        del self._read[: end + 1]
        return line


def hand_in(process: subprocess.Popen[bytes], line: bytes, deadline: float) -> None:
    """Write a line to a process; one that is gone takes nothing, which shows when it does not answer.

    TimeoutError if it has not taken all at the deadline (monotonic).
    """
    assert process.stdin is not None
    handle = process.stdin.fileno()
    os.set_blocking(handle, False)
    watch = select.poll()
    watch.register(handle, select.POLLOUT)
    left = memoryview(line)
    while left:
        if not watch.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError
        try:
            left = left[os.write(handle, left) :]
        except BrokenPipeError:
            return
        except BlockingIOError:
            continue


def exit_text(code: int) -> str:
    """How a process ended, from its return code."""
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
