"""What was decided while a task was written, one record a decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from benchwright.files import Record

Stage = Literal["initial", "insert", "whole", "repair", "ablation", "question", "criteria"]
Outcome = Literal["kept", "again", "later", "discarded"]


class Decision(Record):
    """One decision about a draft: `again` has it written anew, `later` tries the skill after the others once more.

    `reason` is a reason of a rejection, a cause or a criterion; `prompts` the digest of the prompts in force.
    """

    draft: str
    stage: Stage
    outcome: Outcome
    skill: str = ""
    reason: str = ""
    detail: str = ""
    prompts: str = ""


Telling = Callable[[Decision], None]


def untold(_: Decision) -> None:
    """Tells nobody."""
