"""The gold of a task: the right answer, how it is checked, the reference solution, the required files."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from benchwright.files import Record
from benchwright.task import RoomName, TaskId

RequiredStatus = Literal[
    "declared", "static", "glob", "basename_only", "embedded_or_none", "remote", "unparsable", "unknown"
]
KNOWN_STATUSES: frozenset[RequiredStatus] = frozenset({"declared", "static", "glob", "basename_only"})
"""The statuses under which the required files are known, so that discovery can be scored soundly."""


class RequiredFile(Record):
    """A file that a right solution has to read.

    `path` is relative to the room; it may hold `*`, `?` and `**/` where `glob` is set: every match is required.
    `expression` is the text of the reference solution that the path was derived from. A path without a folder
    whose status is `basename_only` means any file of that name.

    `matches` are the files of the room that the path means, and `copies` other files of the room with the content of
    one of them; both are found when a suite is built with its data, and are empty otherwise.
    """

    path: str = Field(min_length=1)
    room: RoomName | None = None
    glob: bool = False
    conditional: bool = False
    reader: str = ""
    convention: str = ""
    expression: str = ""
    alternatives: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()


class Check(Record):
    """One scorer call: the scorer, the output it looks at, the golds it compares with, and its options."""

    scorer: str
    output: str = "answer.txt"
    golds: tuple[str, ...] = ()
    options: dict[str, Any] = Field(default_factory=dict)


class Solution(Record):
    """A reference solution: a program that prints the answer or writes the outputs."""

    code: str
    language: Literal["python", "sql", "shell"] = "python"


class Gold(Record):
    """All that an agent may not see."""

    task_id: TaskId
    answer: str | None = None
    alternatives: tuple[str, ...] = ()
    checks: tuple[Check, ...] = (Check(scorer="answer"),)
    combine: str = "mean"
    files: tuple[str, ...] = ()
    """Names of gold files in `gold/files/<task_id>/`."""
    required_files: tuple[RequiredFile, ...] = ()
    required_files_status: RequiredStatus = "unknown"
    required_files_note: str = ""
    solution: Solution | None = None

    @property
    def discovery_known(self) -> bool:
        """Whether the required files are known and at least one."""
        return self.required_files_status in KNOWN_STATUSES and bool(self.required_files)
