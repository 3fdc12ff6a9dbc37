"""What a baseline is: a program without a model that turns a task into a submission, and sees no gold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from benchwright.sandbox.base import Sandbox
from benchwright.task import Task
from benchwright.trajectory import Submission


class Baseline(Protocol):
    """Deterministic from the task and a seed. `sandbox` is None for baselines that touch no data."""

    name: str
    needs_sandbox: bool

    def attempt(self, task: Task, sandbox: Sandbox | None, seed: int) -> Submission:
        """What the baseline hands in for a task, but for files."""

    def files(self, task: Task) -> Mapping[str, bytes]:
        """The files that it hands in without a sandbox, by the outputs' names."""
