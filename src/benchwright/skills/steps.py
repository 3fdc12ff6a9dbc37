"""Solutions and their steps: what skills are made from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from benchwright.errors import InputError
from benchwright.files import Record, read_jsonl

Id = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[^\r\n]+$")]
STEPS_FILE = "steps.jsonl"


class Solution(Record):
    """A question and how somebody solved it, as plain text; whatever it says is data from others.

    `id` is `<question>-<answer>` for Stack Exchange, and any text of one line elsewhere. Texts under CC BY-SA are
    credited by `author`, `url` and `licence`.
    """

    id: Id
    source: str
    question: str
    code: str = ""
    answer: str = ""
    tags: tuple[str, ...] = ()
    score: int | None = None
    accepted: bool = False
    author: str = ""
    licence: str = ""
    url: str = ""


class SkillStep(Record):
    """One step of a solution: the skill in a few words, what was done, and the code of it; `index` counts from 0."""

    solution_id: Id
    index: int = Field(ge=0)
    skill: str = Field(min_length=1)
    description: str = ""
    code: str = ""

    @property
    def id(self) -> str:
        """The step's id as AgenticDataBench writes it: `<solution>-<index>`."""
        return f"{self.solution_id}-{self.index}"

    @property
    def text(self) -> str:
        """What is embedded and shown: the skill and what was done, without the code."""
        return f"{self.skill}: {self.description}" if self.description else self.skill


def solution_of(step: str) -> str:
    """The solution of a step id: all before its last dash."""
    return step.rpartition("-")[0] or step


def read_steps(path: Path) -> tuple[SkillStep, ...]:
    """The steps of a `steps.jsonl`, or of the folder that holds one; every step once."""
    file = path / STEPS_FILE if path.is_dir() else path
    if not file.is_file():
        raise InputError("no steps", found=str(file), expected=f"{STEPS_FILE}, or the folder that holds it")
    found: dict[str, SkillStep] = {}
    for number, value in read_jsonl(file):
        step = SkillStep.from_json(value, f"{file}, line {number}")
        if step.id in found:
            raise InputError(f"{file}, line {number}: a step twice", found=step.id, expected="every step once")
        found[step.id] = step
    if not found:
        raise InputError(f"{file}: no steps", expected="at least one step")
    return tuple(found.values())
