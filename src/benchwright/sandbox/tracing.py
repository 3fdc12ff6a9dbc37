"""The seam between a sandbox and whatever sees which data files its processes read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from benchwright.sandbox.base import Room
from benchwright.trajectory import Accesses, NotMeasured


@dataclass(frozen=True, slots=True)
class MountedRoom:
    """A room as the attempt sees it: the mounted folder, held open by the runner.

    `descriptor` is an open directory of the room's mount inside the sandbox (valid during `Tracer.start` only;
    duplicate it to keep it). `own_filesystem` says that the mount is an overlay of this attempt alone, so that a mark
    on its whole filesystem sees this attempt's processes and no others; otherwise it is a read-only bind.
    """

    room: Room
    descriptor: int
    own_filesystem: bool


class Tracer(Protocol):
    """Sees the files that one attempt reads. One object serves one sandbox, from `prefix` to `finish`.

    Order: `prefix` is read once before the sandbox's first process exists, `start` is called once when its rooms are
    mounted and before any agent code runs, then `mark` and `accesses` any number of times, then `finish` once.
    """

    @property
    def name(self) -> str:
        """What goes into the record: "fanotify", "strace" or "none"."""

    @property
    def prefix(self) -> tuple[str, ...]:
        """Words before the program that becomes the sandbox (`strace -f ... --`), run outside it as the user
        who started the runner, with no variables but PATH; empty for tracers that need no parent.
        """

    def start(self, rooms: Sequence[MountedRoom], holder: int) -> None:
        """Begin. `holder` is the sandbox's first process as the runner sees it (its /proc/PID/root is the inside).

        Errors: `Broken(Fault.SANDBOX)` where the tracer cannot be set up.
        """

    def touched(self, path: str, *, written: bool) -> None:
        """The sandbox's first process read or wrote a file for the runner: its path inside, links followed."""

    def mark(self, step: int) -> None:
        """What is read from now on belongs to this step."""

    def accesses(self) -> Accesses:
        """What was read so far: complete, or NotMeasured with the reason."""

    def finish(self) -> Accesses:
        """End the tracer (the sandbox's processes may be gone already) and give the final answer; idempotent."""


class Untraced:
    """Sees nothing, and says so."""

    name = "none"
    prefix: tuple[str, ...] = ()

    def __init__(self, reason: str = "tracing was switched off") -> None:
        self._answer = NotMeasured(reason=reason)

    def start(self, rooms: Sequence[MountedRoom], holder: int) -> None:
        """Nothing to begin."""

    def touched(self, path: str, *, written: bool) -> None:
        """Nothing to note."""

    def mark(self, step: int) -> None:
        """Nothing to mark."""

    def accesses(self) -> Accesses:
        """Not measured, with the reason."""
        return self._answer

    def finish(self) -> Accesses:
        """Not measured, with the reason."""
        return self._answer
