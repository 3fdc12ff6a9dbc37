"""The labels of a task: what analysis groups by."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from benchwright.files import Record
from benchwright.task import TaskId


class Labels(Record):
    """Domain, categories, skills, difficulty, subsets and where the task came from."""

    task_id: TaskId
    domain: str = ""
    categories: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    difficulty: str = ""
    answer_type: str = ""
    subsets: tuple[str, ...] = ("full",)
    dataset: str = ""
    source: str = ""
    extra: dict[str, Any] = Field(default_factory=dict)
