"""The lake's tasks: `tasks/<room>.toml` and `solutions/<task>.py` as Task, Gold and Labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from benchwright.errors import SuiteError
from benchwright.files import Record, read_text, read_toml
from benchwright.gold import Check, Gold, RequiredFile, Solution
from benchwright.labels import Labels
from benchwright.task import DataMount, OutputSpec, Task

HERE = Path(__file__).parent
_HARD_LINES = 30


class TableAnswer(Record):
    """A table to hand in: its file name, what it holds, the gold as CSV text, and the scorer's options."""

    name: str
    description: str
    csv: str
    options: dict[str, Any] = Field(default_factory=dict)


class LakeTask(Record):
    """One task as its room's file states it."""

    id: str
    question: str
    guidelines: str
    answer: str = ""
    table: TableAnswer | None = None
    required: tuple[str, ...] = Field(min_length=1)
    categories: tuple[str, ...]
    skills: tuple[str, ...]
    difficulty: str
    answer_type: str
    demo: bool = False
    trap: str = ""
    """What in the data leads a hasty reader to `naive`, a wrong answer; empty: nothing does."""
    naive: str = ""

    def task(self, room: str) -> Task:
        """What an agent may see."""
        output = OutputSpec()
        if self.table:
            output = OutputSpec(kind="table", name=self.table.name, description=self.table.description)
        return Task(
            id=self.id,
            question=_one_line(self.question),
            guidelines=_one_line(self.guidelines),
            data=(DataMount(room=room),),
            outputs=(output,),
        )

    def gold(self) -> Gold:
        """What an agent may not see."""
        checks: tuple[Check, ...] = (Check(scorer="answer"),)
        if self.table:
            name = self.table.name
            checks = (Check(scorer="table", output=name, golds=(name,), options=self.table.options),)
        return Gold(
            task_id=self.id,
            answer=self.answer or None,
            checks=checks,
            files=(self.table.name,) if self.table else (),
            required_files=tuple(RequiredFile(path=path) for path in self.required),
            required_files_status="declared",
            solution=Solution(code=self.code),
        )

    def labels(self, domain: str) -> Labels:
        """What analysis groups by."""
        extra = {"trap": self.trap, "naive_answer": self.naive} if self.trap else {}
        return Labels(
            task_id=self.id,
            domain=domain,
            categories=self.categories,
            skills=self.skills,
            difficulty=self.difficulty,
            answer_type=self.answer_type,
            subsets=self.subsets,
            extra=extra,
        )

    @property
    def code(self) -> str:
        """The reference solution."""
        return read_text(HERE / "solutions" / f"{self.id}.py")

    @property
    def effective_lines(self) -> int:
        """Lines of the solution that are neither blank nor a comment."""
        return sum(1 for line in self.code.splitlines() if line.strip() and not line.strip().startswith("#"))

    @property
    def subsets(self) -> tuple[str, ...]:
        """`full`; `demo` where chosen; `hard` by CoDA-Bench's rule: two files or more, over 30 effective lines."""
        hard = len(self.required) > 1 and self.effective_lines > _HARD_LINES
        return ("full", *(["demo"] if self.demo else []), *(["hard"] if hard else []))


def _one_line(text: str) -> str:
    """Text without the line breaks that keep the task files readable."""
    return " ".join(text.split())


def read_tasks() -> dict[str, tuple[LakeTask, ...]]:
    """Every task by room, in order."""
    return {path.stem: _read(path) for path in sorted((HERE / "tasks").glob("*.toml"))}


def _read(path: Path) -> tuple[LakeTask, ...]:
    tasks = tuple(
        LakeTask.from_json(value, f"{path.name}, task {number}")
        for number, value in enumerate(read_toml(path).get("task", []), start=1)
    )
    for task in tasks:
        if bool(task.answer) == bool(task.table):
            raise SuiteError(f"{path.name}: task {task.id} needs either an answer or a table")
    return tasks
