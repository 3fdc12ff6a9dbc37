"""What every tracer shares: the ledger of what was read, and the watch that empties a tracer's queue."""

from __future__ import annotations

import fcntl
import os
import select
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchwright.trajectory import Accesses, FileAccess, Measured, NotMeasured, Tracer


class Lost(Exception):
    """The tracer missed something, or cannot be sure that it did not: what it saw is no complete set."""


class Unfollowable(Lost):
    """A path has too many links or is too long: no program can have opened anything by it."""


class Ledger:
    """The files that were read, each with the step that read it first; or why they are not known.

    Once lost, always lost: a later success cannot make an incomplete set complete.
    """

    def __init__(self) -> None:
        self._reads: dict[tuple[str, str], FileAccess] = {}
        self._step: int | None = None
        self._elders: frozenset[int] = frozenset()
        self._begun = False
        self.reason = ""

    def begin(self) -> None:
        """Everything that is read from now on will be told."""
        self._begun = True

    def mark(self, step: int, holder: int) -> None:
        """What is read from now on belongs to this step; `holder` is the sandbox's first process."""
        self._step, self._elders = step, side_threads(holder)

    def read(self, room: str, path: str, thread: int) -> None:
        """One file of a room was opened for reading by a thread (its id as this process sees it).

        A thread that ran before the step began may have done so for an earlier step: that is not certain.
        """
        if (room, path) not in self._reads:
            certain = thread not in self._elders
            self._reads[room, path] = FileAccess(path=path, room=room, step=self._step, certain=certain)

    def lose(self, reason: str) -> None:
        """The set is incomplete; the first reason stays."""
        self.reason = self.reason or reason

    def accesses(self, tracer: Tracer, room_files: int | None) -> Accesses:
        """The whole set, sorted by room and path, or the reason why there is none."""
        if self.reason or not self._begun:
            return NotMeasured(reason=self.reason or "the tracer was never started")
        files = tuple(self._reads[key] for key in sorted(self._reads))
        return Measured(tracer=tracer, files=files, room_files=room_files)


def side_threads(holder: int) -> frozenset[int]:
    """The threads of a sandbox now that are not the first of their program.

    The first thread of a persistent interpreter runs each step's code; another one may still be at an earlier
    step's work. Needs a kernel with CONFIG_PROC_CHILDREN, as distributions have it; without, there are none.
    """
    found: set[int] = set()
    pending = [holder]
    while pending:
        process = pending.pop()
        for thread in _threads(process):
            pending += _children(process, thread)
            if thread != process:
                found.add(thread)
    return frozenset(found)


def _threads(process: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(f"/proc/{process}/task")]
    except OSError:
        return []


def _children(process: int, thread: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{process}/task/{thread}/children").read_bytes().split()]
    except OSError:
        return []


class Watch:
    """Empties a queue as it fills, in a thread of its own, and at once when asked.

    `drain` takes so many bytes from the queue, if they are there, and returns whether more may come; it runs under
    one lock, and never longer than the queue was when it began, or busy programs would keep everybody waiting.
    Whatever it raises means that events are gone: `lost` is told, and the queue is not read again.
    """

    def __init__(self, queue: int, drain: Callable[[int], bool], lost: Callable[[str], None]) -> None:
        self._queue, self._drain, self._lost = queue, drain, lost
        self._lock = threading.Lock()
        self._stop = os.eventfd(0, os.EFD_CLOEXEC)
        self._thread = threading.Thread(target=self._follow, name="file-access", daemon=True)
        self._open = True

    def start(self) -> None:
        """Read from now on."""
        self._thread.start()

    @contextmanager
    def caught_up(self) -> Iterator[None]:
        """Inside, all that was queued before has been taken, and nothing further is."""
        with self._lock:
            self._take()
            yield

    def wait(self, seconds: float) -> None:
        """Wait until the queue has ended, but no longer than that."""
        self._thread.join(seconds)

    def stop(self) -> None:
        """End the thread. The queue itself stays open. Idempotent."""
        if self._stop < 0:
            return
        os.eventfd_write(self._stop, 1)
        if self._thread.is_alive():
            self._thread.join()
        self._open = False
        os.close(self._stop)
        self._stop = -1

    def _follow(self) -> None:
        poll = select.poll()
        poll.register(self._queue, select.POLLIN)
        poll.register(self._stop, select.POLLIN)
        while self._open and all(descriptor != self._stop for descriptor, _ in poll.poll()):
            with self._lock:
                self._take()

    def _take(self) -> None:
        if not self._open:
            return
        try:
            self._open = self._drain(_queued(self._queue))
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the set is incomplete from here on
            self._open = False
            os.eventfd_write(self._stop, 1)  # a thread that polls the queue would keep it alive after its closing
            self._lost(str(error) if isinstance(error, Lost) else f"the tracer failed: {error!r}")


def _queued(queue: int) -> int:
    """How many bytes a pipe or a fanotify group holds."""
    return int.from_bytes(fcntl.ioctl(queue, termios.FIONREAD, bytes(4)), sys.byteorder)
