"""The official task records of CoDA-Bench, as both data releases write them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from benchwright.errors import SuiteError
from benchwright.files import read_json
from benchwright.suites.published import record_of

_Text = Annotated[str, StringConstraints(min_length=1)]


class CodaTask(BaseModel):
    """One official record. Release v1.0.0 lacks the last three fields; keys that are not known are kept out.

    The official loader insists on `data_path` and so fails on all of v1.0.0's own data; this one does not.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    instance_id: int = Field(ge=0)
    question: _Text
    answer: str
    answer_guidelines: str = ""
    reference_code: str = ""
    dataset: str = ""
    notebook: str = ""
    release_community: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    data_path: str = ""
    source_type: str = ""
    source_community: str = ""


class Content(NamedTuple):
    """What makes two records the same task in two files, whatever their numbers."""

    question: str
    answer: str
    guidelines: str
    code: str

    @classmethod
    def of(cls, task: CodaTask) -> Content:
        """The content of a record."""
        return cls(task.question, task.answer, task.answer_guidelines, task.reference_code)


def read_tasks(path: Path) -> list[CodaTask]:
    """Every record of a file, each id once; a SuiteError names the record and field that is wrong."""
    tasks = read_records(path)
    _refuse_duplicates(tasks, path)
    if not tasks:
        raise SuiteError(f"{path}: no tasks", found="an empty array", expected="at least one task")
    return tasks


def read_records(path: Path) -> list[CodaTask]:
    """Every record of a file as it stands, duplicates included."""
    values = read_json(path)
    if not isinstance(values, list):
        raise SuiteError(
            f"{path}: not a CoDA-Bench file", found=type(values).__name__, expected="a JSON array of tasks"
        )
    return [
        record_of(CodaTask, value, f"{path}, record {position}", "instance_id") for position, value in enumerate(values)
    ]


def _refuse_duplicates(tasks: list[CodaTask], path: Path) -> None:
    seen: dict[int, int] = {}
    for position, task in enumerate(tasks):
        if task.instance_id in seen:
            raise SuiteError(
                f"{path}, record {position}: instance_id {task.instance_id} stands twice",
                found=f"also record {seen[task.instance_id]}",
                expected="every id once",
            )
        seen[task.instance_id] = position


def hard_members(full: list[CodaTask], hard: list[CodaTask], path: Path) -> set[int]:
    """The ids, in the full file, of the hard file's tasks: found by content, for the hard file numbers them anew."""
    by_content = {Content.of(task): task.instance_id for task in full}
    by_words = {(task.question, task.answer, task.answer_guidelines): task.instance_id for task in full}
    members: set[int] = set()
    for position, task in enumerate(hard):
        found = by_content.get(Content.of(task), by_words.get((task.question, task.answer, task.answer_guidelines)))
        if found is None:
            raise SuiteError(
                f"{path}, record {position} (instance_id {task.instance_id}): no such task in the full file",
                found=task.question[:100],
                expected="a task with the same question, answer and guidelines",
                hint="use both files of one release",
            )
        members.add(found)
    return members
