"""One command on its way: fed, read from, timed, and cleaned up after."""

from __future__ import annotations

import errno
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from benchwright.sandbox.holder import wire
from benchwright.sandbox.holder.output import Output
from benchwright.sandbox.holder.processes import Family, kill_tree
from benchwright.sandbox.holder.programs import Program
from benchwright.sandbox.holder.sessions import ENDED, Session, pour, read_code

_CHUNK: Final = 1 << 16
_READS_A_TURN: Final = 8
_GRACE_SECONDS: Final = 5.0
"""Within which a Python that was interrupted answers, also on a busy machine where it says its first traceback."""
TIMED_OUT, KILLED, _NOT_STARTED = 124, 137, 126
_INTERRUPTED: Final = b"[interrupted at the time limit; variables are kept]\n"


@dataclass(slots=True)
class Request:
    """What a call runs, and where its answer goes."""

    connection: socket.socket
    program: Program
    session: Session | None
    input: bytearray
    deadline: float
    deadline_limit: str
    output_bytes: int
    most_output: float
    """The call is ended past this many bytes of one stream."""
    started: float = field(default_factory=time.monotonic)


class Call:
    """A running call. The server feeds it events; `finished` is called once with it when it is over."""

    def __init__(
        self, request: Request, selector: selectors.BaseSelector, family: Family, finished: Callable[[Call], None]
    ) -> None:
        self.request = request
        self.limit = ""
        self.deadline = request.deadline
        self._selector, self._family, self._finished = selector, family, finished
        self._stdout, self._stderr = Output(request.output_bytes), Output(request.output_bytes)
        self._reply = b""
        self._watched: set[int] = set()
        self._over = False
        self._interrupted = False
        self._watch_all()

    def _watch_all(self) -> None:
        program = self.request.program
        pipes = program.pipes
        self._watch(pipes.stdout, selectors.EVENT_READ, lambda: self._read(pipes.stdout, self._stdout))
        self._watch(pipes.stderr, selectors.EVENT_READ, lambda: self._read(pipes.stderr, self._stderr))
        self._watch(program.exit, selectors.EVENT_READ, self._program_ended)
        self._watch(self.request.connection.fileno(), selectors.EVENT_READ, self._abandoned)
        if pipes.replies >= 0:
            self._watch(pipes.replies, selectors.EVENT_READ, self._replied)
        self._feed()

    def _watch(self, descriptor: int, events: int, react: Callable[[], None]) -> None:
        self._selector.register(descriptor, events, lambda: None if self._over else react())
        self._watched.add(descriptor)

    def _unwatch(self, descriptor: int) -> None:
        if descriptor in self._watched:
            self._watched.discard(descriptor)
            self._selector.unregister(descriptor)

    def _feed(self) -> None:
        pipes = self.request.program.pipes
        target = pipes.stdin if self.request.session is None else pipes.requests
        if target < 0:
            return
        if not pour(target, self.request.input):
            if target not in self._watched:
                self._watch(target, selectors.EVENT_WRITE, self._feed)
            return
        self._unwatch(target)
        if self.request.session is None:
            os.close(target)
            pipes.stdin = -1

    def _read(self, descriptor: int, output: Output, most: int = _READS_A_TURN) -> None:
        for _ in range(most):
            try:
                data = os.read(descriptor, _CHUNK)
            except BlockingIOError:
                break
            if not data:
                self._unwatch(descriptor)
                break
            output.add(data)
        if output.total > self.request.most_output:
            self.stop("output")

    def _replied(self) -> None:
        with suppress(BlockingIOError):
            self._reply += os.read(self.request.program.pipes.replies, 64)
        if b"\n" in self._reply:
            self._end(read_code(self._reply))
        else:
            self._unwatch(self.request.program.pipes.replies)

    def _program_ended(self) -> None:
        self._family.reap()
        code = self._family.exits.get(self.request.program.pid)
        if code is None:
            return  # its first thread ended, others run on
        self._end(code, session_over=True)

    def _abandoned(self) -> None:
        """The runner hung up: nobody waits for the answer."""
        self.stop("abandoned")

    def expire(self) -> None:
        """Its time is over: Python is interrupted first, everything else is killed."""
        session = self.request.session
        if session is not None and session.kind == "python" and not self._interrupted:
            self._interrupted = True
            self.limit = self.limit or self.request.deadline_limit
            self.deadline = time.monotonic() + _GRACE_SECONDS
            os.kill(self.request.program.pid, signal.SIGINT)
            return
        self.stop(self.request.deadline_limit)

    def stop(self, limit: str) -> None:
        """End the call now, with its program."""
        if self._over:
            return
        self.limit = limit
        kill_tree(self.request.program.pid)
        self._end(TIMED_OUT if limit in {"step", "wall"} else KILLED, session_over=True)

    def _drain(self) -> None:
        pipes = self.request.program.pipes
        for descriptor, output in ((pipes.stdout, self._stdout), (pipes.stderr, self._stderr)):
            if descriptor >= 0:
                self._read(descriptor, output, most=_DRAIN_READS)

    def _end(self, code: int, *, session_over: bool = False) -> None:
        if self._over:
            return
        self._over = True
        for descriptor in list(self._watched):
            self._unwatch(descriptor)
        session = self.request.session
        if session is None or session_over:
            self._family.disown(self.request.program.pid)
        self._finished(self)
        self._drain()
        if self._interrupted and code == 1:
            code = TIMED_OUT
            self._stderr.add(_INTERRUPTED)
        if session is None:
            self.request.program.close()
        elif session_over:
            self._stderr.add(ENDED[session.kind])
            session.end()
        self._answer(code)

    def _answer(self, code: int) -> None:
        truncated = self._stdout.truncated or self._stderr.truncated
        seconds = time.monotonic() - self.request.started
        stdout, stderr = self._stdout.value(), self._stderr.value()
        facts = {"exit_code": code, "limit": self.limit, "truncated": truncated, "seconds": seconds}
        _send(self.request.connection, facts, stdout, stderr)


_WANT: Final = {errno.EAGAIN: "processes", errno.ENOMEM: "memory"}


def refuse(connection: socket.socket, error: OSError) -> None:
    """Answer a call whose program could not be started for want of a process or of memory."""
    limit = _WANT.get(error.errno or 0, "")
    facts = {"exit_code": _NOT_STARTED, "limit": limit, "truncated": False, "seconds": 0.0}
    _send(connection, facts, b"", f"[nothing could be started: {error.strerror}]\n".encode())


def _send(connection: socket.socket, facts: dict[str, Any], stdout: bytes, stderr: bytes) -> None:
    with connection, suppress(OSError):
        wire.send(connection, facts | {"stdout": len(stdout)}, stdout + stderr)


_DRAIN_READS: Final = 64
"""A pipe holds 64 KiB or, enlarged, 1 MiB: more reads than that means that something still writes."""
