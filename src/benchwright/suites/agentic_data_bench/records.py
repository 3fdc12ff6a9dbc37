"""The published task records of AgenticDataBench, read line by line."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from benchwright.errors import SuiteError
from benchwright.files import read_jsonl
from benchwright.suites.published import record_of
from benchwright.task import RoomName, TaskId

_Text = Annotated[str, StringConstraints(min_length=1)]
_FileName = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^/\x00-\x1f]+$")]


class AgenticTask(BaseModel):
    """One published record; keys that are not known are left out.

    File names are the last part of the published paths: nothing else of a path is ever looked at by the published
    evaluator. `domain` is `domain` or `domain/sub`, the folder of data that belongs to the task.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: TaskId
    question: _Text
    domain: RoomName
    skills: tuple[_Text, ...] = ()
    data_sources: tuple[_Text, ...] | None = None
    output_file_name: Annotated[tuple[_FileName, ...], Field(min_length=1)]
    gold_file_name: Annotated[tuple[_FileName, ...], Field(min_length=1)]
    eval_func: Annotated[tuple[_Text, ...], Field(min_length=1)]
    post_process_func: tuple[_Text, ...] = ()

    @field_validator("output_file_name", "gold_file_name", "eval_func", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("output_file_name", "gold_file_name", mode="before")
    @classmethod
    def _last_parts(cls, value: object) -> object:
        if not isinstance(value, list | tuple):
            return value
        names = [posixpath.basename(item) if isinstance(item, str) else item for item in value]
        if "." in names or ".." in names:
            raise ValueError("not the name of a file")
        return names

    @field_validator("post_process_func", mode="before")
    @classmethod
    def _without_nothing(cls, value: object) -> object:
        """The field may be absent, null, or a list with null in it."""
        listed = (value,) if isinstance(value, str) else () if value is None else value
        return [item for item in listed if item is not None] if isinstance(listed, list | tuple) else listed

    @model_validator(mode="after")
    def _paired(self) -> AgenticTask:
        if len(self.output_file_name) != len(self.gold_file_name):
            raise ValueError("output_file_name and gold_file_name differ in length")
        return self

    @property
    def pairs(self) -> dict[str, str]:
        """The gold of each output by position, as the published evaluator pairs them; the first of a name counts."""
        paired = zip(self.output_file_name, self.gold_file_name, strict=True)
        return dict(reversed([*paired]))

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the files to hand in, each once, in order."""
        return tuple(dict.fromkeys(self.output_file_name))

    @property
    def golds(self) -> tuple[str, ...]:
        """The gold of each output, in the outputs' order, then golds that no output is paired with."""
        return tuple(dict.fromkeys((*(self.pairs[name] for name in self.outputs), *self.gold_file_name)))


def read_tasks(path: Path) -> list[AgenticTask]:
    """Every record of a file, each id once; a SuiteError names the line and field that is wrong."""
    found: dict[str, AgenticTask] = {}
    for number, value in read_jsonl(path):
        task = record_of(AgenticTask, value, f"{path}, line {number}", "id")
        if task.id in found:
            raise SuiteError(f"{path}, line {number}: task {task.id} stands twice", expected="every id once")
        found[task.id] = task
    if not found:
        raise SuiteError(f"{path}: no tasks", expected="one JSON object a line")
    return list(found.values())
