"""What an agent has before it while it attempts a task, and what the attempt leaves behind in Inspect's store."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai.model import ModelUsage
from inspect_ai.util import Store

from benchwright.live.machine import Machine, in_thread
from benchwright.live.steps import Steps
from benchwright.sandbox.base import Command, Outcome, Sandbox
from benchwright.task import Task
from benchwright.trajectory import LimitHit, Trajectory

_ATTEMPT, _ARTIFACTS = "AttemptRecord:attempt", "AttemptRecord:artifacts"
"""By these names they lie in every log of ours, older ones too."""


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """What an attempt leaves in the store: enough to score it from the log alone, without a sandbox.

    `attempt` is an `Attempt` as JSON but for its cell, usage and uuid; empty where the attempt was cut off.
    `artifacts` is the folder that holds its files.
    """

    attempt: Mapping[str, Any] = field(default_factory=dict)
    artifacts: str = ""

    @classmethod
    def of(cls, store: Store | Mapping[str, Any]) -> AttemptRecord:
        """What a store holds, that of an attempt under way or that of a log."""
        return cls(store.get(_ATTEMPT) or {}, store.get(_ARTIFACTS) or "")

    def keep(self, store: Store) -> None:
        """Write it into the store, and so into the log."""
        store.set(_ATTEMPT, self.attempt)
        store.set(_ARTIFACTS, self.artifacts)


class LimitReached(Exception):
    """An agent ran into a limit that it keeps itself, or that its sandbox keeps."""

    def __init__(self, which: str, detail: str = "") -> None:
        super().__init__(f"{which}: {detail}")
        self.ending = LimitHit(which=which, detail=detail)


@dataclass(slots=True)
class Live:
    """One attempt under way: the task, a machine, a seed, and the way to hand in an answer."""

    task: Task
    suite: Path
    seed: int
    machine: Machine
    raised: float = 1.0
    """What limits that an agent keeps itself are multiplied by."""
    uuid: str = ""
    variant: str = ""
    uncounted: int = 0
    """Replies that did not say their tokens."""
    unpaid: list[tuple[str, ModelUsage]] = field(default_factory=list)
    """What calls used, by the model's name, that the run's journal does not hold yet."""
    steps: int = 0
    made: Steps = field(default_factory=Steps)
    """What was said, used and run in each step."""
    answer: str | None = None
    handed_in: bool = False
    logs: dict[str, str] = field(default_factory=dict)
    """What programs wrote of themselves, by name; kept beside what is handed in."""
    unseen: bool = False
    """Whether the agent runs things by itself, and all that is known of them is what it tells."""
    told: Trajectory | None = None
    """What an agent that runs things by itself tells of them."""

    @property
    def question(self) -> str:
        """The question in the wording that this attempt gets."""
        return self.task.variants[self.variant] if self.variant else self.task.question

    def step(self) -> int:
        """Begin the next step: files that are read from now on belong to it."""
        self.steps += 1
        self.made.begin(self.steps)
        self.machine.mark(self.steps)
        return self.steps

    async def run(self, command: Command) -> Outcome:
        """Run a command in the attempt's sandbox; whether it succeeds decides whether the step does."""
        outcome = None
        try:
            outcome = await self.machine.run(command)
        finally:
            self.made.did(command, outcome)
        return outcome

    async def look(self, command: Command) -> Outcome:
        """Run a command that the agent did not ask for, and that says nothing of its step."""
        return await self.machine.run(command)

    async def write(self, path: str, data: bytes) -> None:
        """Write a file inside; errors are those of `Sandbox.write`."""
        await in_thread(lambda: self.machine.sandbox().write(path, data))

    async def read(self, path: str) -> bytes:
        """A file inside; errors are those of `Sandbox.read`."""
        return await in_thread(lambda: self.machine.sandbox().read(path))

    async def sandbox(self) -> Sandbox:
        """The attempt's sandbox, started if it was not."""
        return await in_thread(self.machine.sandbox)

    def submit(self, answer: str | None) -> None:
        """Hand in the final answer; None where the output files are the answer."""
        self.answer, self.handed_in = answer, True
        self.made.ran("submit", answer or "", failed=False)

    def keep_log(self, name: str, text: str) -> None:
        """Keep what a program wrote of itself."""
        self.logs[name] = text


_LIVE: ContextVar[Live] = ContextVar("benchwright_live")


def live() -> Live:
    """The attempt under way, for agents."""
    return _LIVE.get()


def current_attempt() -> Live | None:
    """The attempt under way, if there is one."""
    return _LIVE.get(None)


def enter(attempt: Live) -> None:
    """Make an attempt the one under way, for all that this sample's task starts from now on."""
    _LIVE.set(attempt)
