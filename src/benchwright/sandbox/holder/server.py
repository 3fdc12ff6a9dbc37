"""The first process of a sandbox: runs what the runner asks for, reads and writes files, keeps the limits."""

from __future__ import annotations

import errno
import os
import select
import selectors
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from benchwright.sandbox.holder import files, listening, processes, system, wire
from benchwright.sandbox.holder.calls import Call, Request, refuse
from benchwright.sandbox.holder.plan import Plan
from benchwright.sandbox.holder.programs import OutOfMemoryOrder, Program, Start, start
from benchwright.sandbox.holder.sessions import Session

_TICK_SECONDS: Final = 0.1
_REQUEST_SECONDS: Final = 60.0
_MOST_OUTPUT_FACTOR: Final = 1024
"""A call that writes this many times its output limit is ended: it only burns time."""
_FULL_BYTES: Final = 64 * 1024


class Server:
    """Serves one sandbox until the runner or the supervisor is gone."""

    def __init__(self, plan: Plan, control: socket.socket, lifeline: int, order: OutOfMemoryOrder) -> None:
        self.plan = plan
        self._control = control
        self._order = order
        self._family = processes.Family()
        self._sessions = {kind: Session(kind, plan, self._family, order) for kind in ("shell", "python")}
        self._calls: set[Call] = set()
        self._ends = None if plan.wall_seconds is None else time.monotonic() + plan.wall_seconds
        self._lifeline = lifeline
        self._mortal = False
        self._selector = selectors.PollSelector()  # epoll has a limit for each user, which programs could use up
        self._selector.register(control, selectors.EVENT_READ, self._accept)
        self._selector.register(lifeline, selectors.EVENT_READ, _leave)
        self._deaths = _told_of_deaths()
        self._selector.register(self._deaths, selectors.EVENT_READ, self._reap)

    def serve(self) -> None:
        """Never returns."""
        next_tick = 0.0
        while True:
            for key, _ in self._selector.select(self._patience()):
                if key.fd in self._selector.get_map():  # an earlier reaction may have unregistered it
                    react: Callable[[], None] = key.data
                    react()
            now = time.monotonic()
            for call in [call for call in self._calls if now >= call.deadline]:
                call.expire()
            if self._calls and now >= next_tick:
                next_tick = now + _TICK_SECONDS
                self._look_after()

    def _patience(self) -> float | None:
        if not self._calls:
            return None
        soonest = min(call.deadline for call in self._calls)
        return max(0.0, min(_TICK_SECONDS, soonest - time.monotonic()))

    def _reap(self) -> None:
        """Zombies count towards the limit of processes, so they go at once."""
        with suppress(BlockingIOError):
            os.read(self._deaths, 4096)
        self._family.reap()

    def _accept(self) -> None:
        """A message with one descriptor: the connection of one call."""
        word, descriptors = wire.receive_descriptors(self._control, 64, 1)
        if not word:
            _leave()
        if not self._mortal and not self.plan.prefix:  # a tracer stands between this process and the supervisor
            self._mortal = True
            _die_with_supervisor(self._lifeline)
        for descriptor in descriptors:
            self._serve_one(socket.socket(fileno=descriptor))

    def _serve_one(self, connection: socket.socket) -> None:
        connection.settimeout(_REQUEST_SECONDS)
        try:
            header, body = wire.receive(connection)
        except (OSError, ValueError, wire.ClosedError):
            connection.close()
            return
        if header["op"] == "run":
            self._run(connection, header, body)
            return
        with connection, suppress(OSError):
            if header["op"] == "open up":
                files.open_up("/workspace")
                wire.send(connection, {})
                return
            if header["op"] == "listen":
                listening.open_for_runner(connection)
                return
            _open_for_runner(connection, self.plan, header)

    def _run(self, connection: socket.socket, header: dict[str, Any], body: bytes) -> None:
        seconds = header.get("seconds") or self.plan.step_seconds
        deadline, limit = time.monotonic() + seconds, "step"
        if self._ends is not None and self._ends < deadline:
            deadline, limit = self._ends, "wall"
        most_output = float(self.plan.output_bytes * _MOST_OUTPUT_FACTOR)
        if not self.plan.protections.limits:
            deadline = most_output = float("inf")
        session = self._sessions.get(header["kind"])
        for call in [call for call in self._calls if session is not None and call.request.session is session]:
            call.stop("abandoned")  # the runner has one call a session: it hung up on the earlier one
        try:
            program = self._start(header, has_input=bool(body)) if session is None else session.running()
        except OSError as error:  # no process or no memory to be had
            refuse(connection, error)
            return
        text = bytearray(body if session is None else session.framed(body))
        request = Request(connection, program, session, text, deadline, limit, self.plan.output_bytes, most_output)
        self._calls.add(Call(request, self._selector, self._family, self._finished))

    def _start(self, header: dict[str, Any], *, has_input: bool) -> Program:
        environment = {**self.plan.environment, **header["environment"]}
        how = Start(tuple(header["argv"]), environment, header["folder"], stdin=has_input)
        program = start(how, self._order)
        self._family.adopt(program.pid)
        return program

    def _finished(self, call: Call) -> None:
        self._calls.discard(call)
        self._note_disk(call)
        if not call.limit and self._crowd(processes.listed(), own=0):
            call.limit = "processes"
        root = call.request.program.pid
        if self.plan.protections.sweep and not self._family.sweep(root, orphans_too=not self._calls):
            for session in self._sessions.values():
                session.end()
        if self.plan.protections.sweep:
            self._stop_idle_sessions()
        self._family.reap()

    def _stop_idle_sessions(self) -> None:
        busy = {call.request.session for call in self._calls}
        for session in self._sessions.values():
            if session not in busy:
                session.stop()

    def _crowd(self, table: dict[int, processes.Process], own: int) -> bool:
        """Whether the process limit is reached where nothing counts the forks that the kernel refused.

        `own`: 1 while the call's own process lives, which made room for one more when it ended.
        """
        most = self.plan.processes
        if most is None or "processes" not in self.plan.polled or not self.plan.protections.limits:
            return False
        return 1 + sum(process.threads for process in table.values()) >= most - 1 + own

    def _look_after(self) -> None:
        """Look at the limits that are only polled."""
        for call in self._calls:
            self._note_disk(call)
        if not self.plan.protections.limits or not processes.alone():
            return
        table = processes.listed()
        if self._crowd(table, own=1):
            for call in self._calls:
                call.limit = call.limit or "processes"
        if self.plan.memory_mb is not None and "memory" in self.plan.polled:
            self._look_at_memory(table, self.plan.memory_mb << 20)

    def _look_at_memory(self, table: dict[int, processes.Process], most: int) -> None:
        if sum(process.resident for process in table.values()) <= most:
            return
        sizes = {pid: processes.proportional(process) for pid, process in table.items()}
        surplus = sum(sizes.values()) - most
        if surplus <= 0:
            return
        for pid in sorted(sizes, key=sizes.__getitem__, reverse=True):
            if surplus > 0:
                processes.kill([pid])
                surplus -= sizes[pid]
        for call in self._calls:
            call.limit = "memory"

    def _note_disk(self, call: Call) -> None:
        if self.plan.files_mb is None or call.limit:
            return
        space = os.statvfs("/workspace")
        if space.f_bavail * space.f_frsize < _FULL_BYTES or space.f_favail == 0:
            call.limit = "disk" if self.plan.files_mb == self.plan.disk_mb else "memory"


_FILE_OPERATIONS: Final = {"read": files.read, "write": files.write}


_A_FILE: Final = b"f"
_NO_FILE: Final = b"-"
"""What comes before the answer: a byte with a descriptor, or a byte without."""


def _open_for_runner(connection: socket.socket, plan: Plan, header: dict[str, Any]) -> None:
    try:
        real = _pass_file(connection, plan, header)
    except OSError as error:
        connection.sendall(_NO_FILE)
        wire.send(connection, {"errno": error.errno, "text": error.strerror or str(error)})
    except RecursionError:  # a chain of links that the agent made
        connection.sendall(_NO_FILE)
        wire.send(connection, {"errno": errno.ELOOP, "text": os.strerror(errno.ELOOP)})
    else:
        wire.send(connection, {"real": real})


def _pass_file(connection: socket.socket, plan: Plan, header: dict[str, Any]) -> str:
    """Open a file and hand it to the runner; its path without links."""
    real, descriptor = _FILE_OPERATIONS[header["op"]](plan, header)
    try:
        wire.send_descriptors(connection, _A_FILE, [descriptor])
    finally:
        os.close(descriptor)
    return real


def _leave() -> None:
    """The first process ends, and the kernel ends all others with it."""
    os._exit(0)


def prepare_signals() -> None:
    """Without handlers, the kernel lets no signal of the sandbox's own processes reach its first process."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def _told_of_deaths() -> int:
    """A descriptor that becomes readable when a child ended.

    The sandbox's processes can send this signal as well: it makes the first process look, and nothing else.
    """
    reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    return reader


def _die_with_supervisor(supervisor_alive: int) -> None:
    """Ask the kernel to end this process with its parent, unless the parent is gone already."""
    system.prctl(system.PR_SET_PDEATHSIG, signal.SIGKILL)
    poller = select.poll()
    poller.register(supervisor_alive, select.POLLIN)
    if poller.poll(0):
        _leave()
