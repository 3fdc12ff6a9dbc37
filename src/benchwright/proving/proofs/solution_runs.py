"""Running a reference solution as an agent would: in the sandbox, on the task's rooms, with its limits."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchwright.gold import Gold, Solution
from benchwright.proving.lint.base import Case
from benchwright.sandbox.base import Exec, Outcome, Sandbox, SandboxSpec, Spent, Tracing
from benchwright.sandbox.store import rooms_of
from benchwright.suite import Suite
from benchwright.task import Task
from benchwright.trajectory import Accesses, Submission

_PROGRAMS = {"python": ("python3", "-"), "shell": ("sh", "-s")}
"""Programs that read a solution from their input, so that it never lies in the workspace."""
_TAIL = 600
_KILLED = 137


@dataclass(frozen=True, slots=True)
class Run:
    """What one run did: how it ended, what it printed, the outputs that it left, and the files that it read."""

    outcome: Outcome
    printed: str
    files: dict[str, Path]
    accesses: Accesses

    @property
    def failure(self) -> str:
        """Why the run did not succeed; empty where it did."""
        if self.outcome.limit:
            return f"limit {self.outcome.limit} after {self.outcome.seconds:.1f} s"
        if self.outcome.exit_code != 0:
            complaint = self.outcome.stderr.decode(errors="replace").strip()[-_TAIL:]
            return f"exit code {self.outcome.exit_code}: {complaint}"
        return ""

    def submissions(self) -> Iterator[Submission]:
        """What the run hands in: all that it printed; else its last line, where it printed more than the answer."""
        text = self.printed.strip()
        yield Submission(answer=text or None, files=self.files, accesses=self.accesses)
        last = text.rpartition("\n")[2].strip()
        if last != text:
            yield Submission(answer=last, files=self.files, accesses=self.accesses)


def cannot_run(suite: Suite, case: Case) -> str:
    """Why a task's solution cannot be run here; empty where it can."""
    solution = case.gold.solution
    if solution is None or not solution.code.strip():
        return "there is no reference solution"
    if solution.language not in _PROGRAMS:
        return f"solutions in {solution.language} are not run"
    away = [mount.room for mount in case.task.data if not suite.room_path(mount.room).is_dir()]
    return "a room is not on this machine" if away else ""


def spec_of(suite: Suite, case: Case, tracing: Tracing, toolbox: Path | None) -> SandboxSpec:
    """The machine that an attempt at the task would get."""
    rooms = rooms_of(suite, case.task)
    return SandboxSpec(rooms=rooms, limits=case.task.limits, toolbox=toolbox, tracing=tracing, hidden=(suite.folder,))


def run_solution(sandbox: Sandbox, case: Case, solution: Solution, into: Path) -> Run:
    """Run the solution to its end; outputs are copied below `into`."""
    try:
        outcome = sandbox.run(program_of(case.task, case.gold, solution))
    except Spent as spent:
        outcome = Outcome(_KILLED, b"", str(spent).encode(), limit=spent.limit)
    folder = Path(tempfile.mkdtemp(dir=into))
    collected = {path.as_posix(): folder / path for path in sandbox.collect(folder, case.task.limits.artifacts_mb)}
    wanted = {output.name for output in case.task.outputs}
    return Run(
        outcome=outcome,
        printed=outcome.stdout.decode("utf-8", errors="replace"),
        files={name: path for name, path in collected.items() if name in wanted},
        accesses=sandbox.accessed(),
    )


def program_of(task: Task, gold: Gold, solution: Solution) -> Exec:
    """How a solution is run inside; the agent `oracle` runs it in the same way."""
    return Exec(
        _PROGRAMS[solution.language],
        solution.code.encode("utf-8", "surrogateescape"),
        cwd=_folder(task, gold, solution),
        seconds=task.limits.wall_seconds,
    )


def _folder(task: Task, gold: Gold, solution: Solution) -> str:
    """The workspace; or the room itself for solutions that name their files by paths relative to it."""
    targets = [mount.target for mount in task.data]
    relative = any(_names_relatively(solution.code, file.expression or file.path) for file in gold.required_files)
    names_room = any(target in solution.code for target in targets)
    return targets[0] if len(targets) == 1 and relative and not names_room else "/workspace"


def _names_relatively(code: str, text: str) -> bool:
    return not text.startswith("/") and (text in code or text.partition("/")[0] in code)
