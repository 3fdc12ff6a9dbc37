"""Writes one Harbor task folder a task, with the gold where Harbor keeps it from the agent."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchwright.errors import InputError
from benchwright.files import require_place, write_atomic
from benchwright.gold import Gold
from benchwright.publishing.harbor.rooms import SharedRooms
from benchwright.publishing.harbor.texts import (
    PROGRAMS,
    agent_dockerfile,
    compose,
    configuration,
    instruction,
    solve_script,
    verifier_dockerfile,
    verifier_script,
)
from benchwright.publishing.harbor.verifier_package import requirements, write_wheel
from benchwright.sandbox.toolbox import lock_file
from benchwright.suite import Selection, Suite
from benchwright.task import Task

Sharing = Literal["link", "mount"]
_NOT_THERE = {"chart": "its pictures are described by Benchwright's own sandbox, which Harbor has not"}
"""Outputs that cannot be judged there, and why."""


@dataclass(frozen=True, slots=True)
class HarborOptions:
    """How to export: `network` whether agents may use it; `rooms` are hard-linked into each task, or mounted."""

    out: Path
    organisation: str = "benchwright"
    network: bool = False
    rooms: Sharing = "link"


@dataclass(frozen=True, slots=True)
class HarborExport:
    """What was written: the folders of tasks by id, those left out with the reason, and sizes in bytes.

    `linked` is what all tasks' data add up to, `rooms` what they take on the disk.
    """

    folder: Path
    tasks: tuple[str, ...]
    left_out: dict[str, str] = field(default_factory=dict)
    rooms: int = 0
    linked: int = 0


def export_harbor(suite: Suite, selection: Selection, options: HarborOptions) -> HarborExport:
    """Write the tasks of a selection as Harbor task folders below `options.out`; what lay there of them is replaced.

    Raises InputError where the gold is withheld, or where no task can be exported.
    """
    golds = suite.golds
    chosen = suite.select(selection)
    left_out = {task.id: why for task in chosen if (why := _unfit(task, golds.get(task.id)))}
    fit = [task for task in chosen if task.id not in left_out]
    if not fit:
        first = "; ".join(f"{name}: {why}" for name, why in list(left_out.items())[:3])
        raise InputError(f"no task of {suite.name} can be a Harbor task", found=first or "no tasks were chosen")
    require_place(options.out, "verifier/requirements.txt")
    export = _Export(suite, options)
    linked = sum(export.write(task, golds[task.id]) for task in fit)
    return HarborExport(options.out, tuple(task.id for task in fit), left_out, export.rooms.bytes, linked)


def _unfit(task: Task, gold: Gold | None) -> str:
    """Why a task is not exported; empty where it is."""
    if gold is None or not gold.checks:
        return "it has no gold"
    return next(
        (f"{output.name}: {_NOT_THERE[output.kind]}" for output in task.outputs if output.kind in _NOT_THERE), ""
    )


class _Export:
    """One export while it is written."""

    def __init__(self, suite: Suite, options: HarborOptions) -> None:
        self._suite, self._options = suite, options
        self.rooms = SharedRooms(suite, options.out / "rooms")
        self._wheel = write_wheel(options.out / "verifier")
        self._requirements = options.out / "verifier" / "requirements.txt"
        write_atomic(self._requirements, requirements())

    def write(self, task: Task, gold: Gold) -> int:
        """One task folder; how many bytes of data its machine holds."""
        folder = self._options.out / "tasks" / task.id
        shutil.rmtree(folder, ignore_errors=True)
        write_atomic(folder / "instruction.md", instruction(task))
        write_atomic(
            folder / "task.toml",
            configuration(self._suite, task, self._options.organisation, network=self._options.network),
        )
        held = self._environment(task, folder / "environment")
        self._tests(task, gold, folder / "tests")
        _solution(task, gold, folder / "solution")
        return held

    def _environment(self, task: Task, folder: Path) -> int:
        write_atomic(folder / "requirements.txt", lock_file("core").read_bytes())
        held = sum(self.rooms.size(mount.room) for mount in task.data)
        places = [(mount.room, mount.target) for mount in task.data]
        if self._options.rooms == "mount":
            write_atomic(folder / "Dockerfile", agent_dockerfile(()))
            write_atomic(folder / "docker-compose.yaml", compose((room, to) for room, to in places))
        else:
            for room, _ in places:
                self.rooms.link(room, folder / "data" / room)
            write_atomic(folder / "Dockerfile", agent_dockerfile((f"data/{room}", to) for room, to in places))
        return held

    def _tests(self, task: Task, gold: Gold, folder: Path) -> None:
        """The verifier: a suite of this one task without its data and its solution, and what judges by it."""
        suite = self._suite
        rooms = {mount.room: suite.info.rooms[mount.room].model_copy(update={"path": ""}) for mount in task.data}
        info = suite.info.model_copy(update={"rooms": rooms, "prompt": ""})
        kept = gold.model_copy(update={"solution": None})
        Suite.write(folder / "suite", info, [task], [suite.label(task.id)], [kept])
        if suite.gold_files(task.id).is_dir():
            shutil.copytree(suite.gold_files(task.id), folder / "suite" / "gold" / "files" / task.id)
        for path in (self._wheel, self._requirements):
            os.link(path, folder / path.name)
        write_atomic(folder / "Dockerfile", verifier_dockerfile(self._wheel.name))
        _write_script(folder / "test.sh", verifier_script(task))


def _solution(task: Task, gold: Gold, folder: Path) -> None:
    """What Harbor's oracle runs; nothing for a task without a solution that can be run."""
    solution = gold.solution
    if solution is None or solution.language not in PROGRAMS:
        return
    write_atomic(folder / PROGRAMS[solution.language], solution.code.encode("utf-8", "surrogateescape"))
    _write_script(folder / "solve.sh", solve_script(task, gold, solution))


def _write_script(path: Path, text: str) -> None:
    write_atomic(path, text)
    path.chmod(0o755)
