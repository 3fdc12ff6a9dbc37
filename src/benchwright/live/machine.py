"""The sandbox of one attempt as live agents reach it: made at the first use, closed once, from any thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, TypeVarTuple

import anyio
import anyio.to_thread
from pydantic import BaseModel, ConfigDict

from benchwright.run.limits import in_force
from benchwright.run.records import Packages, SandboxChoice
from benchwright.sandbox import wheelhouse
from benchwright.sandbox.base import Command, Isolation, Outcome, Sandbox, SandboxSpec, Tracing
from benchwright.sandbox.store import rooms_of
from benchwright.suite import Suite
from benchwright.task import Limits, Task
from benchwright.trajectory import Accesses, Measured, NotMeasured

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
Opener = Callable[[SandboxSpec, SandboxChoice], Sandbox]

_THREADS = anyio.CapacityLimiter(512)
"""Threads that wait for sandboxes. Attempts are bounded elsewhere; a thread that waits costs next to nothing."""


class MachineConfig(BaseModel):
    """Which sandbox an attempt gets, as it stands in the log: names, never the content of anything.

    `limits` are overrides of the task's limits, all of which are then multiplied by `raised`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    suite: str
    task_id: str
    choice: SandboxChoice = "auto"
    tracing: Tracing = "auto"
    limits: tuple[tuple[str, float], ...] = ()
    raised: float = 1.0
    programs: tuple[str, ...] = ()
    """Host folders of programs that the agent starts."""
    packages: Packages = "none"


def limits_of(task: Task, config: MachineConfig) -> Limits:
    """The task's limits as this run sets them."""
    return in_force(task.limits, dict(config.limits), config.raised)


def machine_spec(suite: Suite, config: MachineConfig) -> SandboxSpec:
    """What the sandbox holds: the task's rooms where it expects them, its limits, and what its agent may start.

    Errors: EnvironmentFault where the wheelhouse is asked for and is not on this machine.
    """
    task = suite.tasks[config.task_id]
    rooms = rooms_of(suite, task)
    return SandboxSpec(
        rooms=rooms,
        limits=limits_of(task, config),
        tracing=config.tracing,
        programs=tuple(map(Path, config.programs)),
        wheelhouse=wheelhouse.need() if config.packages == "wheelhouse" else None,
        hidden=(suite.folder,),
    )


class Machine:
    """A sandbox that starts when it is first needed: an attempt that uses none costs none."""

    def __init__(self, spec: SandboxSpec, choice: SandboxChoice, opener: Opener) -> None:
        self.spec = spec
        self._choice, self._opener = choice, opener
        self._lock = Lock()
        self._sandbox: Sandbox | None = None
        self._step: int | None = None
        self._files: dict[str, bytes] = {}
        self._closed = False

    @property
    def started(self) -> bool:
        """Whether anything has used it."""
        return self._sandbox is not None

    def sandbox(self) -> Sandbox:
        """The sandbox itself, started if it is not. Blocks: call it in a thread."""
        with self._lock:
            if self._sandbox is None:
                if self._closed:
                    raise RuntimeError("the sandbox is closed")
                self._sandbox = self._opener(self.spec, self._choice)
                if self._step is not None:
                    self._sandbox.mark(self._step)
            return self._sandbox

    def mark(self, step: int) -> None:
        """What is read from now on belongs to this step."""
        self._step = step
        if self._sandbox is not None:
            self._sandbox.mark(step)

    def accessed(self) -> Accesses:
        """The data files read so far."""
        if self._sandbox is not None:
            return self._sandbox.accessed()
        if self.spec.tracing == "off":
            return NotMeasured(reason="tracing was switched off")
        return Measured(tracer="log")  # no process of the attempt has ever run: that it read nothing is certain

    def isolation(self) -> Isolation | None:
        """What protects the host; None where no sandbox was used."""
        return self._sandbox.isolation if self._sandbox is not None else None

    def hand_in(self, name: str, data: bytes) -> None:
        """A file that is handed in without a sandbox, in the place of one of the workspace with that name."""
        self._files[name] = data

    @property
    def handed_in(self) -> bool:
        """Whether anything was handed in without a place in the workspace."""
        return bool(self._files)

    def collect(self, into: Path, *, workspace: bool = True) -> tuple[Path, ...]:
        """Copy the workspace's files out, and those that were handed in without it; their paths below `into`.

        Without `workspace` only the latter.
        """
        most = self.spec.limits.artifacts_mb
        found = self._sandbox.collect(into, most) if workspace and self._sandbox is not None else ()
        into.mkdir(parents=True, exist_ok=True)
        for name, data in self._files.items():
            (into / name).write_bytes(data)
        return tuple(dict.fromkeys((*found, *map(Path, self._files))))

    def close(self) -> None:
        """End everything; a command that runs ends at once."""
        with self._lock:
            self._closed = True
            sandbox = self._sandbox
        if sandbox is not None:
            sandbox.close()

    async def run(self, command: Command) -> Outcome:
        """Run a command without blocking the other attempts."""
        return await in_thread(lambda: self.sandbox().run(command))


async def in_thread(work: Callable[[*Ts], T], *arguments: *Ts) -> T:
    """Wait for blocking work in a thread; cancelled, the waiting ends and whoever closes the sandbox ends the work."""
    return await anyio.to_thread.run_sync(work, *arguments, limiter=_THREADS, abandon_on_cancel=True)


def isolation_record(isolation: Isolation | None) -> dict[str, Any]:
    """The isolation as it is written into the attempt's record."""
    if isolation is None:
        return {}
    return {
        "provider": isolation.provider,
        "level": isolation.level,
        "network": isolation.network,
        "tracer": isolation.tracer,
        "seccomp": isolation.seccomp,
        "limits": dict(isolation.limits),
        "notes": list(isolation.notes),
    }
