"""What every scorer is: a pure function of what was handed in and what was expected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benchwright.gold import Check, Gold
from benchwright.score import Score
from benchwright.task import Task
from benchwright.trajectory import Submission


@dataclass(frozen=True, slots=True)
class Expected:
    """What a scorer compares with: the task as stated, its gold, the check in force, and the gold files' folder."""

    task: Task
    gold: Gold
    check: Check
    files: Path


class Scorer(Protocol):
    """One way to judge one output. Never raises on anything an agent can hand in.

    `name` is what `Check.scorer` says; `version` is raised whenever a verdict may change.
    """

    name: str
    version: int

    def score(self, submission: Submission, expected: Expected) -> Score:
        """A value with evidence, or the reason why there is none."""


@dataclass(frozen=True, slots=True)
class TaskRule:
    """How a published evaluator makes a task's score of its checks' scores, where no plain rule says it.

    `score` takes the checks' scores in their order, and whether the attempt came to its end by itself. `absent_leave`:
    a task without a result leaves the published mean, as if it had not been asked.
    """

    score: Callable[[Sequence[Score], bool], Score]
    absent_leave: bool = False
