"""Starting a program inside the sandbox, with pipes to it."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fcntl import F_DUPFD_CLOEXEC, fcntl
from typing import Final

from benchwright.sandbox.holder.identity import limit_program

_ABOVE_TARGETS: Final = 16
_OOM_FIRST: Final = b"500"
_OOM_PLAIN: Final = b"0"
_DEFAULT_SIGNALS: Final = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT)
_NOT_FOUND, _NOT_RUNNABLE = 127, 126


class OutOfMemoryOrder:
    """Makes programs die before the sandbox's first process does when memory runs out.

    The order is inherited at a fork and may be lowered again only down to where it once was, so the first process
    raises its own for the moment of each fork. The file stays open because it cannot be opened once sealed.
    """

    def __init__(self) -> None:
        self._file = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)

    def raised(self) -> None:
        """What is forked from now on dies first."""
        with suppress(OSError):
            os.write(self._file, _OOM_FIRST)

    def plain(self) -> None:
        """Back to where it was."""
        with suppress(OSError):
            os.write(self._file, _OOM_PLAIN)


@dataclass(slots=True)
class Pipes:
    """The sandbox's ends of a program's streams; -1: there is none."""

    stdout: int
    stderr: int
    stdin: int = -1
    requests: int = -1
    replies: int = -1

    def close(self) -> None:
        """Close every end."""
        for descriptor in (self.stdout, self.stderr, self.stdin, self.requests, self.replies):
            if descriptor >= 0:
                os.close(descriptor)
        self.stdout = self.stderr = self.stdin = self.requests = self.replies = -1


@dataclass(frozen=True, slots=True)
class Start:
    """How to start a program: its words, variables, folder, and which pipes it gets besides stdout and stderr."""

    argv: Sequence[str]
    environment: Mapping[str, str]
    folder: str = "/workspace"
    stdin: bool = False
    session: bool = False
    """Whether it gets requests on descriptor 3 and answers on descriptor 4."""


@dataclass(slots=True)
class Program:
    """A running program."""

    pid: int
    exit: int
    """A pidfd: readable once the program ended."""
    pipes: Pipes
    folder: str = field(default="/workspace")

    def close(self) -> None:
        """Let go of its pipes; it is not ended by that."""
        self.pipes.close()
        if self.exit >= 0:
            os.close(self.exit)
            self.exit = -1


def start(how: Start, order: OutOfMemoryOrder) -> Program:
    """Start the program; one that cannot be started ends with 126 or 127 and says why on stderr."""
    inner: dict[int, int] = {}
    pipes = Pipes(*(_from_child(inner, number) for number in (1, 2)))
    if how.stdin:
        pipes.stdin = _to_child(inner, 0)
    else:
        inner[0] = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)  # here: a tracer cannot see what the child opens
    if how.session:
        pipes.requests, pipes.replies = _to_child(inner, 3), _from_child(inner, 4)
    order.raised()
    try:
        pid = os.fork()
    except OSError:
        pipes.close()
        raise
    else:
        if pid == 0:
            _become(how, inner)
    finally:
        order.plain()
        for descriptor in inner.values():
            os.close(descriptor)
    return Program(pid, os.pidfd_open(pid), pipes)


def _from_child(inner: dict[int, int], number: int) -> int:
    ours, inner[number] = os.pipe2(os.O_CLOEXEC)
    os.set_blocking(ours, False)
    return ours


def _to_child(inner: dict[int, int], number: int) -> int:
    inner[number], ours = os.pipe2(os.O_CLOEXEC)
    os.set_blocking(ours, False)
    return ours


def _become(how: Start, inner: dict[int, int]) -> None:
    """The child's side: never returns. It stays sealed until the new program is loaded."""
    code = _NOT_RUNNABLE
    try:
        os.setsid()
        _arrange(inner)
        for number in _DEFAULT_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        limit_program()
        os.chdir(how.folder)
        os.execvpe(how.argv[0], list(how.argv), dict(how.environment))  # noqa: S606 - no shell is the point
    except FileNotFoundError as error:
        code = _NOT_FOUND
        _complain(how.argv[0], error)
    except (OSError, ValueError) as error:
        _complain(how.argv[0], error)
    finally:
        os._exit(code)


def _arrange(inner: dict[int, int]) -> None:
    """Put each descriptor on its number."""
    high = {number: fcntl(ours, F_DUPFD_CLOEXEC, _ABOVE_TARGETS) for number, ours in inner.items()}
    for number, descriptor in high.items():
        os.dup2(descriptor, number, inheritable=True)


def _complain(name: str, error: Exception) -> None:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    place = error.filename if isinstance(error, OSError) and isinstance(error.filename, str) else name
    os.write(2, f"{place}: {reason}\n".encode(errors="replace"))
