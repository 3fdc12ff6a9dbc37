"""Starting one container, hearing from its first process, and ending it without a trace."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from benchwright.errors import EnvironmentFault
from benchwright.files import home
from benchwright.sandbox import container_engine
from benchwright.sandbox.container_command import Container, command
from benchwright.sandbox.container_engine import Engine, environment
from benchwright.sandbox.container_seccomp import profile
from benchwright.sandbox.holder import cgroups
from benchwright.sandbox.holder.first import restart_command
from benchwright.sandbox.holder.launcher import Launch
from benchwright.sandbox.holder.plan import Plan

_START_SECONDS: Final = 90.0
_KNOCK_SECONDS: Final = 60.0
_END_SECONDS: Final = 10.0
_CLEANUP_SECONDS: Final = 30.0
_CREDENTIALS: Final = struct.Struct("=iII")
_PRIVATE_STAGE: Final = Path("/run/benchwright/stage")
STAGES: Final = Path("/run/benchwright/stages")
"""Where stages lie that the host sees, each by the name of its container."""


def stage(engine: Engine, name: str) -> str:
    """Where a container's folders are laid out: out of the host's sight for podman, in a folder of its own else."""
    private = _PRIVATE_STAGE if os.geteuid() == 0 else home() / "stage"
    folder = private if engine.serves_alone else STAGES / name
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    return str(folder)


@dataclass(frozen=True, slots=True)
class Begun:
    """A container whose first process has the plan. `groups`: controller -> the control group that keeps its limit."""

    control: socket.socket
    pid: int
    groups: dict[str, str]


def start(container: Container, plan: Plan) -> Begun:
    """Start a container. Errors: EnvironmentFault with what the engine said."""
    launch = Launch(plan, container.stage, container.engine.serves_alone, profile(), command(container, plan))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door, _Launcher(container.engine, launch, door) as by:
        overlays = by.answer(_START_SECONDS)["overlays"]
        control = by.wait_for_knock(door)
        try:
            pid = _knocker(control, plan)
            groups = cgroups.keeping(pid, plan) if plan.protections.limits else {}
            inside = replace(plan, uid=None, polled=cgroups.unkept(groups))
            control.send(json.dumps({"plan": inside.to_json(), "overlays": overlays}).encode())
            by.wait_for_engine()
        except BaseException:
            control.close()
            raise
    return Begun(control, pid, groups)


def _knocker(control: socket.socket, plan: Plan) -> int:
    """The process at the other end, as the host numbers it; it must be the user that the container was given."""
    size = _CREDENTIALS.size
    pid, uid, _ = _CREDENTIALS.unpack(control.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    if os.geteuid() == 0 and uid != (plan.uid or 0):
        raise EnvironmentFault("a stranger answered instead of the container", found=f"host user {uid}")
    return int(pid)


class _Launcher:
    """The process that lays out the folders and calls the engine."""

    def __init__(self, engine: Engine, launch: Launch, door: socket.socket) -> None:
        unshare = (*engine.command, "unshare") if engine.serves_alone and os.geteuid() != 0 else ()
        self._engine = engine
        self._started = False
        self._process = subprocess.Popen(
            [*unshare, *restart_command("launcher"), str(door.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
            cwd="/",
            pass_fds=[door.fileno()],
            start_new_session=True,
        )
        assert self._process.stdin is not None
        with self._process.stdin as stream, suppress(BrokenPipeError):
            stream.write(launch.to_json().encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for its end, which follows on the engine's."""
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process.wait()

    def answer(self, seconds: float) -> dict[str, Any]:
        """The next thing that it says. Errors: EnvironmentFault when that is an error, or nothing."""
        assert self._process.stdout is not None
        readable, _, _ = select.select([self._process.stdout], [], [], seconds)
        line = self._process.stdout.readline() if readable else b""
        said: dict[str, Any] = json.loads(line) if line else {"error": "no answer"}
        if "error" in said:
            raise EnvironmentFault(f"{self._engine.name} could not start a sandbox", found=str(said["error"]))
        return said

    def wait_for_knock(self, door: socket.socket) -> socket.socket:
        """The connection of the container's first process."""
        assert self._process.stdout is not None
        deadline = time.monotonic() + _START_SECONDS
        while True:
            watched: list[Any] = [door] if self._started else [door, self._process.stdout]
            readable, _, _ = select.select(watched, [], [], max(0.0, deadline - time.monotonic()))
            if door in readable:
                return door.accept()[0]
            if not readable:
                raise EnvironmentFault(
                    "the container's first process died at once", hint="is its python3 3.11 or newer?"
                )
            self.wait_for_engine()
            deadline = time.monotonic() + _KNOCK_SECONDS

    def wait_for_engine(self) -> None:
        """Return when the engine says that the container runs."""
        if not self._started:
            self.answer(_START_SECONDS)
            self._started = True


class Life:
    """A running container: its first process, and the engine's process that waits for it and removes what is left."""

    def __init__(self, container: Container, begun: Begun) -> None:
        self._container, self._control, self._groups = container, begun.control, begun.groups
        self._first = _open(begun.pid)
        self._keeper = _open(_parent(begun.pid))

    def end(self) -> dict[str, int]:
        """End the first process, and by that every other; wait until the engine has removed the container.

        Returns how often each control group's limit was hit: none where the engine was faster to remove it.
        """
        counts = {controller: cgroups.count(folder, controller) for controller, folder in self._groups.items()}
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)  # an ordinary user may not signal it, but it leaves by itself
        with suppress(OSError):
            signal.pidfd_send_signal(self._first, signal.SIGKILL)
        gone = _ended(self._first, _END_SECONDS)
        cleaned = self._container.engine.serves_alone and _ended(self._keeper, _CLEANUP_SECONDS)
        for descriptor in {self._first, self._keeper} - {-1}:
            os.close(descriptor)
        self._first = self._keeper = -1
        if not (gone and cleaned):
            with suppress(EnvironmentFault):  # the engine may be removing it already; the provider looks again
                container_engine.remove(self._container.engine, [self._container.name])
        return counts


def _open(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except OSError:
        return -1


def _parent(pid: int) -> int:
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2].split()
    except OSError:
        return -1
    return int(words[1])


def _ended(descriptor: int, seconds: float) -> bool:
    if descriptor < 0:
        return True
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(seconds * 1000))
