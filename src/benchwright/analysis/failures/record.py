"""What became of a planned attempt, and why."""

from __future__ import annotations

from typing import Literal

from benchwright.files import Record
from benchwright.run import Key

Basis = Literal["", "rule", "estimate", "model"]


class Finding(Record):
    """A class of failure with its evidence: the step (from 1) and a cut text of the transcript, which is hostile.

    `rule` is the rule that found it; `basis` is `estimate` where it is the best guess without a model.
    """

    failure: str
    rule: str
    basis: Basis = "rule"
    step: int | None = None
    evidence: str = ""


class Failure(Record):
    """One planned attempt. `failure` is empty where it is right, else a class of `failures.CLASSES`.

    `counted`: whether it is in denominators (a task that the suite leaves without a verdict is in none); `failed`:
    counted and worth less than 1. `by_rules` and `by_model` are what either says alone, empty where it was not asked.
    `timeouts` and `failed_steps` count calls that their time limit ended, and steps in which something failed; None
    without a transcript.
    """

    run: str = ""
    cell: str
    task_id: str
    epoch: int
    domain: str = ""
    value: float | None = None
    counted: bool = True
    failed: bool = False
    failure: str = ""
    basis: Basis = ""
    rule: str = ""
    step: int | None = None
    evidence: str = ""
    by_rules: str = ""
    by_model: str = ""
    timeouts: int | None = None
    failed_steps: int | None = None

    @property
    def key(self) -> Key:
        """What the attempt is known by."""
        return Key(self.cell, self.task_id, self.epoch)
