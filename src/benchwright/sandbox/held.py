"""The runner's side of a sandbox: what it asks of the first process inside, however that process was started."""

from __future__ import annotations

import errno
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from benchwright.closing import Closing
from benchwright.errors import Broken, EnvironmentFault, Fault
from benchwright.sandbox import workspace
from benchwright.sandbox.base import Command, Exec, Isolation, Outcome, Python, SandboxSpec, Shell, Spent
from benchwright.sandbox.holder import cgroups, wire
from benchwright.sandbox.holder.plan import Plan
from benchwright.sandbox.tracing import MountedRoom, Tracer
from benchwright.trajectory import Accesses

_READY_BYTES: Final = 64 * 1024
_READY_SECONDS: Final = 30.0
_MOST_READ: Final = 256 << 20
_SLACK_SECONDS: Final = 30.0
"""How much longer than a command's own limit the runner waits before it calls the sandbox broken."""


@dataclass(frozen=True, slots=True)
class Started:
    """A sandbox whose first process lives, as its provider started it.

    `pid` and `uid` are the host's numbers (`uid` None: that of whoever started the runner). `groups` maps a controller
    to the folder of the control group that keeps its limit. `control` is the socket to the first process. `end` ends
    every process of the sandbox, returns when none is left, and says how often each control group's limit was hit.
    """

    pid: int
    uid: int | None
    groups: Mapping[str, str]
    isolation: Isolation
    control: socket.socket
    end: Callable[[], Mapping[str, int]]


class HeldSandbox(Closing):
    """One attempt's machine. See `benchwright.sandbox.base.Sandbox`."""

    def __init__(self, plan: Plan, started: Started, tracer: Tracer) -> None:
        self.pid = started.pid
        """Its first process, as the host numbers it."""
        self.uid = started.uid
        """The host uid of its processes; None: that of whoever started the runner."""
        self.overlays = False
        """Whether every room is an overlay of its own; else some are read-only binds."""
        self._plan, self._started, self._tracer = plan, started, tracer
        self._control = started.control
        self._isolation = started.isolation
        self._workspace = -1
        self._hit: dict[str, None] = {}
        self._counted = dict.fromkeys(started.groups, 0)
        self._sessions = {Shell: threading.Lock(), Python: threading.Lock()}
        self._closing = threading.Lock()
        self._closed = False
        self._ending = threading.Lock()
        self._last: Mapping[str, int] | None = None

    def wait_until_ready(self, spec: SandboxSpec) -> None:
        """Hear from the first process that all stands, and let the tracer begin."""
        self._control.settimeout(_READY_SECONDS)
        message, descriptors = wire.receive_descriptors(self._control, _READY_BYTES, wire.MOST_ROOMS + 1)
        self._control.settimeout(None)
        if not message and self._starved():
            raise Spent("memory")
        answer: dict[str, Any] = json.loads(message) if message else {"error": "its first process died at once"}
        if "error" in answer:
            raise EnvironmentFault(
                "a sandbox could not be built", found=answer["error"], hint="`benchwright doctor` says what is missing"
            )
        *rooms, self._workspace = descriptors
        self.overlays = all(answer["overlays"])
        self._isolation = replace(self._isolation, notes=(*self._isolation.notes, *answer.get("notes", ())))
        try:
            mounted = zip(spec.rooms, rooms, answer["overlays"], strict=True)
            self._tracer.start([MountedRoom(*parts) for parts in mounted], self.pid)
        finally:
            for descriptor in rooms:
                os.close(descriptor)

    @property
    def isolation(self) -> Isolation:
        """What protects the host and the gold from this attempt."""
        return self._isolation

    @property
    def limits_hit(self) -> tuple[str, ...]:
        """The limits that this attempt ran into so far, in the order they were first hit."""
        return tuple(self._hit)

    def run(self, command: Command) -> Outcome:
        """Run one command to its end or to its limit; everything it started is then gone."""
        header, body = _request(command)
        if isinstance(command, Python) and not self._plan.python:
            return Outcome(127, b"", b"[this sandbox has no Python toolbox]\n")
        lock = None if isinstance(command, Exec) else self._sessions[type(command)]
        if lock is None:
            return self._outcome(header, body)
        with lock:
            return self._outcome(header, body)

    def _outcome(self, header: dict[str, Any], body: bytes) -> Outcome:
        seconds = header["seconds"] or self._plan.step_seconds
        answer, output = self._call(header, body, seconds + _SLACK_SECONDS)
        limit = self._kernel_limit() or str(answer["limit"])
        if limit:
            self._hit[limit] = None
        cut = int(answer["stdout"])
        return Outcome(
            exit_code=int(answer["exit_code"]),
            stdout=output[:cut],
            stderr=output[cut:],
            limit=limit,
            truncated=bool(answer["truncated"]),
            seconds=float(answer["seconds"]),
        )

    def _kernel_limit(self) -> str:
        """The limit that control groups counted a hit of since the last look."""
        found = ""
        for controller, limit in (("pids", "processes"), ("memory", "memory")):
            if controller in self._started.groups:
                count = cgroups.count(self._started.groups[controller], controller)
                if count > self._counted[controller]:
                    self._counted[controller], found = count, limit
        return found

    def read(self, path: str) -> bytes:
        """A file as the agent would read it, by its path inside."""
        with self._opened("read", path) as stream:
            data: bytes = stream.read(_MOST_READ + 1)
        if len(data) > _MOST_READ:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
        return data

    def write(self, path: str, data: bytes) -> None:
        """Write a file inside, making its folders; PermissionError outside what the agent may write."""
        with self._opened("write", path) as stream:
            stream.write(data)

    @contextmanager
    def _opened(self, operation: str, path: str) -> Iterator[BinaryIO]:
        """A regular file that the first process opened with the agent's rights."""
        answer, descriptor = self._passed({"op": operation, "path": path})
        with os.fdopen(descriptor, "rb" if operation == "read" else "wb") as stream:
            self._tracer.touched(answer["real"], written=operation == "write")
            yield stream

    def listen(self) -> socket.socket:
        """A socket that listens on the sandbox's own loopback, for programs inside to call."""
        _, descriptor = self._passed({"op": "listen"})
        return socket.socket(fileno=descriptor)

    def _passed(self, header: dict[str, Any]) -> tuple[dict[str, Any], int]:
        """What the first process opened and hands over: its answer, and the descriptor."""
        with self._connection(_SLACK_SECONDS) as connection, self._answering():
            wire.send(connection, header)
            _, descriptors = wire.receive_descriptors(connection, 1, 1)
            answer, _ = wire.receive(connection)
        if "errno" in answer:
            raise OSError(answer["errno"], answer["text"], header.get("path"))
        [descriptor] = descriptors
        return answer, descriptor

    def _call(self, header: dict[str, Any], body: bytes, seconds: float) -> tuple[dict[str, Any], bytes]:
        """One request and its answer."""
        with self._connection(seconds) as connection, self._answering():
            wire.send(connection, header, body)
            return wire.receive(connection)

    @contextmanager
    def _connection(self, seconds: float) -> Iterator[socket.socket]:
        """A connection for one request, on which nothing may take longer than `seconds`."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs, self._answering():
                wire.send_descriptors(self._control, b"call", [theirs.fileno()])
            ours.settimeout(seconds)
            yield ours

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Whatever goes wrong on the wire means that the sandbox is gone."""
        try:
            yield
        except (OSError, ValueError, wire.ClosedError) as error:
            if self._closed:
                raise Broken(Fault.SANDBOX, "the sandbox was closed", found=str(error)) from error
            if self._starved():
                raise Spent("memory") from error
            raise Broken(Fault.SANDBOX, "the sandbox does not answer", found=str(error)) from error

    def _starved(self) -> bool:
        """End what is left of the sandbox, and say whether it was for want of memory that it fell silent."""
        starved = self._end().get("memory", 0) > self._counted.get("memory", 0)
        if starved:
            self._hit["memory"] = None
        return starved

    def _end(self) -> Mapping[str, int]:
        """End every process, once; how often each control group's limit was hit until then."""
        with self._ending:
            if self._last is None:
                self._last = self._started.end()
            return self._last

    def accessed(self) -> Accesses:
        """The data files read so far, or why that is not known."""
        return self._tracer.finish() if self._closed else self._tracer.accesses()

    def mark(self, step: int) -> None:
        """Say that what is read from now on belongs to this step."""
        self._tracer.mark(step)

    def collect(self, into: Path, limit_mb: int) -> tuple[Path, ...]:
        """Copy the workspace's regular files into a host folder; raises `OutputsTooLarge` past the limit."""
        with self._closing:
            if self._closed:
                raise Broken(Fault.SANDBOX, "the sandbox was closed before its outputs were collected")
            if os.geteuid() != 0:  # root reads whatever the agent made unreadable
                with suppress(Broken, Spent):  # outputs outlive the first process, as they do for root
                    self._call({"op": "open up"}, b"", _SLACK_SECONDS)
            return workspace.collect(self._workspace, into, limit_mb)

    def close(self) -> None:
        """End every process; the kernel then drops every mount. Idempotent."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        with ExitStack() as last:  # whatever fails, the rest is still closed
            last.callback(self._tracer.finish)
            if self._workspace >= 0:
                last.callback(os.close, self._workspace)
            last.callback(self._control.close)
            self._end()

    @property
    def closed(self) -> bool:
        """Whether it has been ended, or is being ended."""
        return self._closed


class Living:
    """The sandboxes of a provider that nobody has closed yet, so that none outlives the provider."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sandboxes: list[HeldSandbox] = []

    def begin(self, spec: SandboxSpec, plan: Plan, tracer: Tracer, start: Callable[[], Started]) -> HeldSandbox:
        """Start one, remember it, and return when it is ready; what fails on the way leaves nothing running."""
        try:
            started = start()
        except BaseException:
            tracer.finish()
            raise
        sandbox = HeldSandbox(plan, started, tracer)
        self._add(sandbox)
        try:
            sandbox.wait_until_ready(spec)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def _add(self, sandbox: HeldSandbox) -> None:
        """Remember one, and forget those that were closed meanwhile."""
        with self._lock:
            self._sandboxes = [*(each for each in self._sandboxes if not each.closed), sandbox]

    def close(self) -> None:
        """Close them all."""
        with self._lock:
            living, self._sandboxes = self._sandboxes, []
        for sandbox in living:
            sandbox.close()


def _request(command: Command) -> tuple[dict[str, Any], bytes]:
    header: dict[str, Any] = {"op": "run", "seconds": command.seconds}
    match command:
        case Exec():
            environment = dict(command.environment)
            return header | {
                "kind": "exec",
                "argv": command.argv,
                "folder": command.cwd,
                "environment": environment,
            }, command.input
        case Shell():
            return header | {"kind": "shell"}, _encoded(command.text)
        case Python():
            return header | {"kind": "python"}, _encoded(command.code)


def _encoded(text: str) -> bytes:
    """Text as programs get it; a model may write halves of surrogate pairs, which stand for no bytes."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")
