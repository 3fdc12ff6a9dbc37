"""What a check finds: one thing that is wrong, or may be, with a task or the whole suite."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from benchwright.files import Record

Mode = Literal["reference", "sound"]


class Severity(StrEnum):
    """How bad a finding is: an error voids a task's score, a warning should be looked at, a note is worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Finding(Record):
    """One finding; `task_id` is empty where it concerns the whole suite.

    `evidence` quotes what a person needs to see to judge it; `related` are other tasks that it involves. `modes` are
    the verdicts that it concerns; empty: both.
    """

    task_id: str = ""
    rule: str
    severity: Severity
    evidence: str = Field(min_length=1)
    hint: str = ""
    related: tuple[str, ...] = ()
    modes: tuple[Mode, ...] = ()

    @property
    def alarming(self) -> bool:
        """Whether it is more than a note."""
        return self.severity is not Severity.NOTE
