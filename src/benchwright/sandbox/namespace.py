"""The namespace provider: one attempt's machine made of kernel namespaces, as root or as an ordinary user."""

from __future__ import annotations

import json
import os
import socket
import threading
import weakref
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from benchwright.errors import Broken, EnvironmentFault, Fault
from benchwright.sandbox import planning, workspace
from benchwright.sandbox.access import choose
from benchwright.sandbox.base import Command, Exec, Isolation, Outcome, Python, SandboxSpec, Shell
from benchwright.sandbox.holder import cgroups, wire
from benchwright.sandbox.holder.plan import Plan, Protections
from benchwright.sandbox.store import RoomStore
from benchwright.sandbox.supervision import Supervision
from benchwright.sandbox.tracing import MountedRoom, Tracer
from benchwright.trajectory import Accesses

_READY_BYTES: Final = 64 * 1024
_READY_SECONDS: Final = 30.0
_MOST_ROOMS: Final = 200
_SLACK_SECONDS: Final = 30.0
"""How much longer than a command's own limit the runner waits before it calls the sandbox broken."""


class NamespaceProvider:
    """Makes namespace sandboxes; one supervisor process serves them all.

    `user`: root may have them built by an ordinary user instead, with that user's means. `protections` exist for
    tests, which switch one off to see that it is what stops an attack.
    """

    name = "namespace"

    def __init__(self, user: int | None = None, protections: Protections | None = None) -> None:
        self._protections = protections or Protections()
        self._supervision = Supervision(user)
        self._store = RoomStore()
        self._open: weakref.WeakSet[NamespaceSandbox] = weakref.WeakSet()

    def open(self, spec: SandboxSpec, tracer: Tracer | None = None) -> NamespaceSandbox:
        """Start one sandbox. Errors: EnvironmentFault where this machine cannot, Broken(SANDBOX) otherwise."""
        for room in spec.rooms:
            self._store.check(room)
        watcher = tracer if tracer is not None else choose(spec.tracing)
        plan = planning.plan(spec, watcher.prefix, self._protections)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                started = self._supervision.start(plan, theirs)
            except BaseException:
                ours.close()
                watcher.finish()
                raise
        sandbox = NamespaceSandbox(self._supervision, ours, plan, started, watcher)
        self._open.add(sandbox)
        try:
            sandbox.wait_until_ready(spec)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    @property
    def supervisor(self) -> int | None:
        """The process number of the supervisor, while it runs."""
        return self._supervision.pid

    def close(self) -> None:
        """End every sandbox that is still open. Idempotent."""
        for sandbox in list(self._open):
            sandbox.close()
        self._supervision.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class NamespaceSandbox:
    """One attempt's machine. See `benchwright.sandbox.base.Sandbox`."""

    def __init__(
        self, supervision: Supervision, control: socket.socket, plan: Plan, started: dict[str, Any], tracer: Tracer
    ) -> None:
        self.pid: int = started["pid"]
        """Its first process, as the host numbers it."""
        self.uid: int | None = started["uid"]
        """The host uid of its processes; None: that of whoever started the runner."""
        self.overlays = False
        """Whether every room is an overlay of its own; else some are read-only binds."""
        self._supervision, self._control, self._plan, self._tracer = supervision, control, plan, tracer
        self._cgroups: dict[str, str] = started["cgroups"]
        self._isolation = planning.isolation(plan, started, tracer.name)
        self._workspace = -1
        self._hit: dict[str, None] = {}
        self._counted = dict.fromkeys(self._cgroups, 0)
        self._sessions = {Shell: threading.Lock(), Python: threading.Lock()}
        self._closing = threading.Lock()
        self._closed = False

    def wait_until_ready(self, spec: SandboxSpec) -> None:
        """Hear from the first process that all stands, and let the tracer begin."""
        self._control.settimeout(_READY_SECONDS)
        message, descriptors = wire.receive_descriptors(self._control, _READY_BYTES, _MOST_ROOMS)
        self._control.settimeout(None)
        answer: dict[str, Any] = json.loads(message) if message else {"error": "its first process died at once"}
        if "error" in answer:
            raise EnvironmentFault(
                "a sandbox could not be built", found=answer["error"], hint="`benchwright doctor` says what is missing"
            )
        *rooms, self._workspace = descriptors
        self.overlays = all(answer["overlays"])
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
            if controller in self._cgroups:
                count = cgroups.count(self._cgroups[controller], controller)
                if count > self._counted[controller]:
                    self._counted[controller], found = count, limit
        return found

    def read(self, path: str) -> bytes:
        """A file as the agent would read it, by its path inside."""
        answer, data = self._call({"op": "read", "path": path}, b"", _SLACK_SECONDS)
        self._tracer.touched(answer["real"], written=False)
        return data

    def write(self, path: str, data: bytes) -> None:
        """Write a file inside, making its folders; PermissionError outside what the agent may write."""
        answer, _ = self._call({"op": "write", "path": path}, data, _SLACK_SECONDS)
        self._tracer.touched(answer["real"], written=True)

    def _call(self, header: dict[str, Any], body: bytes, seconds: float) -> tuple[dict[str, Any], bytes]:
        """One request and its answer, on a connection of their own."""
        ours, theirs = socket.socketpair()
        with ours:
            try:
                with theirs:
                    socket.send_fds(self._control, [b"call"], [theirs.fileno()])
                ours.settimeout(seconds)
                wire.send(ours, header, body)
                answer, data = wire.receive(ours)
            except (OSError, wire.ClosedError) as error:
                raise Broken(
                    Fault.SANDBOX,
                    "the sandbox was closed" if self._closed else "the sandbox does not answer",
                    found=str(error),
                ) from error
        if "errno" in answer:
            raise OSError(answer["errno"], answer["text"])
        return answer, data

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
            return workspace.collect(self._workspace, into, limit_mb)

    def close(self) -> None:
        """End every process; the kernel then drops every mount. Idempotent."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        self._supervision.end(self.pid)
        self._control.close()
        if self._workspace >= 0:
            os.close(self._workspace)
        self._tracer.finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


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
            return header | {"kind": "shell"}, command.text.encode("utf-8", "surrogateescape")
        case Python():
            return header | {"kind": "python"}, command.code.encode("utf-8", "surrogateescape")
