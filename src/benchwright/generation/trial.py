"""A draft on trial: its first run, the suite of one task that it would be, and who judges answers to it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchwright.files import FileEntry
from benchwright.generation.executing import Bench, Ties
from benchwright.generation.workflow import Draft, Material
from benchwright.generation.writing import Proved, answers, gold_of, task_of
from benchwright.gold import Gold
from benchwright.labels import Labels
from benchwright.proving.lint.base import Case
from benchwright.proving.proofs.solution_runs import Run
from benchwright.proving.solutions import effective_lines
from benchwright.score import Scored
from benchwright.scoring.jobs import Job
from benchwright.scoring.verdicts import TaskScores
from benchwright.scoring.workers import Worker
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.suites.required import RoomFiles
from benchwright.task import Task
from benchwright.trajectory import Measured, Submission

TASK = "draft"
"""The id of the task that a draft is while it is tried."""
Judge = Callable[[Submission], TaskScores]


@dataclass(frozen=True, slots=True)
class Room:
    """A room to try drafts in: what is known of it, and the index of its files."""

    material: Material
    index: tuple[FileEntry, ...]

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return self.material.folder


@dataclass(frozen=True, slots=True)
class Tools:
    """What one thread tries drafts with; both are its own."""

    bench: Bench
    worker: Worker


@dataclass(frozen=True, slots=True)
class Trial:
    """A draft whose program ran once; `folder` is for whatever is made of it, and goes with the trial."""

    draft: Draft
    room: Room
    tools: Tools
    folder: Path
    first: Run
    suite: Suite

    @property
    def case(self) -> Case:
        """The task as it would be."""
        return Case(self.suite.tasks[TASK], self.suite.golds[TASK], self.suite.label(TASK))

    @property
    def opened(self) -> tuple[str, ...] | None:
        """The files that the first run opened; None where that was not measured."""
        return opened(self.first)

    def judge(self, submission: Submission) -> TaskScores:
        """Both verdicts of the task's own checks."""
        return self.tools.worker.score(Job(TASK, submission, suite=self.suite.folder))

    def again(self, code: str, *, ties: Ties = "first") -> Run:
        """Run another program of this draft in the room's warm Python."""
        return self.tools.bench.run_warm(self.case, self.room.folder, code, self.folder, ties=ties)

    def right(self, run: Run) -> bool:
        """Whether the task's own sound checks take what a run handed in for the right answer."""
        scores = (self.judge(submission).sound for submission in run.submissions())
        return any(isinstance(score, Scored) and score.value >= 1.0 for score in scores)


def opened(run: Run) -> tuple[str, ...] | None:
    """The files of the room that a run opened, sorted; None where that was not measured."""
    seen = run.accesses
    return tuple(sorted({file.path for file in seen.files})) if isinstance(seen, Measured) else None


def bare(draft: Draft) -> Case:
    """The task before anything is known of its answer."""
    return Case(task_of(draft, TASK), Gold(task_id=TASK, checks=draft.checks), Labels(task_id=TASK))


def outcome_of(draft: Draft, run: Run) -> Proved:
    """What a run says of a draft, before anything else is proved."""
    return Proved(
        draft=draft.name,
        answer=run.printed.strip() if answers(draft) else None,
        files=tuple(sorted(run.files)),
        opened=opened(run) or (),
        lines=effective_lines(draft.workflow.code),
    )


def begun(draft: Draft, room: Room, tools: Tools, folder: Path) -> Trial | Run:
    """Run the draft's program in a new sandbox, and make the suite of one task; the run alone where it failed."""
    case = bare(draft)
    first = tools.bench.run(case, room.folder, draft.workflow.code, folder)
    if first.failure or first.outcome.truncated:
        return first
    return Trial(draft, room, tools, folder, first, _suite(draft, room, case.task, first, folder / "suite"))


def _suite(draft: Draft, room: Room, task: Task, first: Run, folder: Path) -> Suite:
    gold = gold_of(draft, outcome_of(draft, first), TASK, RoomFiles(room.index))
    for name, path in first.files.items():
        place = folder / "gold" / "files" / TASK / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    info = SuiteInfo(name="trial", rooms={draft.room: RoomInfo.of_index(room.index, str(room.folder))})
    return Suite.write(folder, info, [task], [Labels(task_id=TASK)], [gold])
