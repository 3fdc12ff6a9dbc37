"""Running the programs of workflows in sandboxes: once in a new one that measures files, then in warm ones."""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from benchwright.closing import Closing
from benchwright.gold import Solution
from benchwright.proving import Opener
from benchwright.proving.lint.base import Case
from benchwright.proving.proofs.solution_runs import Run, run_solution
from benchwright.sandbox.base import Outcome, OutputsTooLarge, Python, Room, Sandbox, SandboxSpec, Spent, Tracing
from benchwright.task import Limits
from benchwright.trajectory import NotMeasured

Ties = Literal["first", "last"]
_INSIDE = Path(__file__).with_name("inside.py")
_MOST_WARM = 4
"""Warm Pythons that one bench keeps: a fifth room ends the one that was not needed for longest."""
_UNMEASURED = NotMeasured(reason="the run was made in a sandbox that others had used")
SECONDS = 60.0
"""How long a program of a workflow may take."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What sandboxes are made with; `hidden` are host folders that must not show in them.

    A program may take so many `seconds`.
    """

    open: Opener
    toolbox: Path | None = None
    tracing: Tracing = "auto"
    hidden: tuple[Path, ...] = ()
    seconds: float = SECONDS

    def spec(self, rooms: tuple[Room, ...], limits: Limits) -> SandboxSpec:
        """A sandbox with these rooms."""
        return SandboxSpec(rooms=rooms, limits=limits, toolbox=self.toolbox, tracing=self.tracing, hidden=self.hidden)


class Bench(Closing):
    """Where one thread runs programs.

    A warm Python serves many programs of one room, each in a fork and an empty workspace. What it says decides whether
    a second run agrees and what an ablation answers; the gold, and which files are required, come from new sandboxes.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._warm: OrderedDict[str, Sandbox] = OrderedDict()

    def run(self, case: Case, room: Path, code: str, into: Path) -> Run:
        """Run a program in a sandbox of its own, as a suite's check will; outputs are copied below `into`."""
        spec = self._machine.spec(_rooms(case, room), self._limits(case))
        with self._machine.open(spec) as sandbox:
            try:
                return run_solution(sandbox, case, Solution(code=code), into)
            except OutputsTooLarge as error:
                return _failed(str(error))

    def run_warm(self, case: Case, room: Path, code: str, into: Path, *, ties: Ties = "first") -> Run:
        """Run a program in the room's warm Python; its accesses are not measured. `ties`: see `inside.run`."""
        key = str(room)
        try:
            sandbox = self._sandbox(key, case, room)
            outcome = sandbox.run(Python(f"run({code!r}, ties={ties!r})", seconds=self._machine.seconds))
            files = _collected(sandbox, case, into)
        except (Spent, OutputsTooLarge) as error:
            self._end(key)
            return _failed(str(error))
        if outcome.limit or (outcome.exit_code and not _answers(sandbox)):
            self._end(key)
        return Run(outcome, outcome.stdout.decode("utf-8", errors="replace"), files, _UNMEASURED)

    def _sandbox(self, key: str, case: Case, room: Path) -> Sandbox:
        if key not in self._warm:
            while len(self._warm) >= _MOST_WARM:
                self._end(next(iter(self._warm)))
            limits = self._limits(case).model_copy(update={"wall_seconds": None})
            spec = replace(self._machine.spec(_rooms(case, room), limits), tracing="off")
            self._warm[key] = sandbox = self._machine.open(spec)
            sandbox.run(Python(f"{_INSIDE.read_text(encoding='utf-8')}\nwarm()\n"))
        self._warm.move_to_end(key)
        return self._warm[key]

    def _end(self, key: str) -> None:
        if key in self._warm:
            self._warm.pop(key).close()

    def _limits(self, case: Case) -> Limits:
        seconds = self._machine.seconds
        return case.task.limits.model_copy(update={"wall_seconds": seconds, "step_seconds": seconds})

    def close(self) -> None:
        """End the warm Pythons. Idempotent."""
        for key in list(self._warm):
            self._end(key)


def _answers(sandbox: Sandbox) -> bool:
    """Whether the warm Python is there still: a program may have killed it, and a new one knows nothing."""
    return sandbox.run(Python("assert callable(warm)")).exit_code == 0


def _rooms(case: Case, room: Path) -> tuple[Room, ...]:
    mount = case.task.data[0]
    return (Room(mount.room, room, mount.target),)


def _collected(sandbox: Sandbox, case: Case, into: Path) -> dict[str, Path]:
    folder = Path(tempfile.mkdtemp(dir=into))
    copied = {path.as_posix(): folder / path for path in sandbox.collect(folder, case.task.limits.artifacts_mb)}
    wanted = {output.name for output in case.task.outputs}
    return {name: path for name, path in copied.items() if name in wanted}


def _failed(why: str) -> Run:
    return Run(Outcome(1, b"", why.encode()), "", {}, _UNMEASURED)
