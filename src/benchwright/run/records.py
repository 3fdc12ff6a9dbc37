"""What a run is made of: its specification, its cells, its attempts, and the verdicts on them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from pydantic import Field, model_validator

from benchwright.files import Record, canonical_json, sha256
from benchwright.run.secrecy import HIDDEN, is_secret
from benchwright.score import Score
from benchwright.trajectory import Accesses, Broke, Ending, LimitHit, NotMeasured, Usage

FORMAT = 1
Setting = str | int | float | bool
Packages = Literal["none", "wheelhouse"]
SandboxChoice = Literal["auto", "namespace", "podman", "docker"]

MAY_CHANGE = frozenset({"suite_folder", "budget_usd", "budget_minutes", "max_parallel", "calls_per_minute"})
"""What may differ when a run is taken up again: where the suite lies, and how much may be spent how fast."""


class Key(NamedTuple):
    """What an attempt is known by, and nothing else: its cell's id, its task, its epoch (from 1)."""

    cell: str
    task_id: str
    epoch: int

    def __str__(self) -> str:
        """In one word, as `RunSpec.only` lists it."""
        return f"{self.cell}/{self.task_id}/{self.epoch}"


class Cell(Record):
    """One way to run a suite: an agent with its preset, model, wording of the questions and settings.

    `model` is empty for agents without one; `variant` empty for the question as the task states it;
    `generation` holds settings of the model such as temperature.
    """

    agent: str
    preset: str = ""
    model: str = ""
    variant: str = ""
    generation: dict[str, Setting] = Field(default_factory=dict)
    suite_digest: str = ""

    @cached_property
    def id(self) -> str:
        """Twelve hexadecimal digits over everything above; equal cells have equal ids on every machine."""
        return sha256(canonical_json(self.model_dump(mode="json")))[:12]

    @property
    def is_reference(self) -> bool:
        """Whether the reference solutions are run: what was handed in, opened and written is the gold itself."""
        return self.agent == "oracle"

    @property
    def title(self) -> str:
        """The cell in words, for tables and progress lines."""
        settings = ",".join(f"{name}={_shown(value)}" for name, value in sorted(self.generation.items()))
        return " ".join(part for part in (self.agent, self.preset, self.model, self.variant, settings) if part)


def _shown(value: Setting) -> str:
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


class RunSpec(Record):
    """Everything that decides what a run does, resolved; `run.toml` holds it.

    `limits` are overrides of every task's limits by name, over those that a cell's preset sets (`cell_limits`, by the
    cell's id), and every limit is then multiplied by `raised`; `only`
    names the attempts to make (`cell/task/epoch`), where not all are to be made; `prompts` are SHA-256 digests by
    prompt name, `own_prompts` the names of those that the user gave; `versions` are those of benchwright, inspect_ai
    and python: another version is another run.
    `secret_args` are the values of those `model_args` that are keys or passwords: they are in no record and no
    comparison, and stand hidden in `model_args`.
    """

    format: int = FORMAT
    suite: str
    suite_folder: str
    suite_digest: str
    cells: tuple[Cell, ...] = Field(min_length=1)
    model_roles: dict[str, str] = Field(default_factory=dict)
    model_args: dict[str, Setting] = Field(default_factory=dict)
    secret_args: dict[str, Setting] = Field(default_factory=dict, exclude=True, repr=False)
    subset: str = "full"
    ids: tuple[str, ...] = ()
    limit: int | None = Field(default=None, gt=0)
    epochs: int = Field(default=1, gt=0)
    seed: int = 0
    limits: dict[str, float] = Field(default_factory=dict)
    cell_limits: dict[str, dict[str, float]] = Field(default_factory=dict)
    raised: float = Field(default=1.0, gt=0)
    only: tuple[str, ...] = ()
    sandbox: SandboxChoice = "auto"
    packages: Packages = "none"
    tracing: Literal["auto", "fanotify", "strace", "off"] = "auto"
    budget_usd: float | None = Field(default=None, gt=0)
    budget_minutes: float | None = Field(default=None, gt=0)
    max_parallel: int | None = Field(default=None, gt=0)
    calls_per_minute: float | None = Field(default=None, gt=0)
    prompts: dict[str, str] = Field(default_factory=dict)
    own_prompts: tuple[str, ...] = ()
    versions: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _keep_secrets_apart(cls, values: Any) -> Any:
        if not isinstance(values, dict) or not isinstance(values.get("model_args"), dict):
            return values
        given = values["model_args"]
        secret = {name: value for name, value in given.items() if value != HIDDEN and is_secret(name, value)}
        hidden = {name: HIDDEN if name in secret else value for name, value in given.items()}
        return {**values, "model_args": hidden, "secret_args": {**values.get("secret_args", {}), **secret}}

    def wording(self, prompt: str) -> str:
        """Whose words a prompt is in: the SHA-256 of the user's own file, or `reworded`: ours, not a paper's."""
        return self.prompts[prompt] if prompt in self.own_prompts else "reworded"

    def titled(self, cell: Cell) -> str:
        """A cell in words, with what its agent might install, which scores are not to be compared without."""
        return cell.title if self.packages == "none" else f"{cell.title} packages={self.packages}"

    def keys(self, task_ids: Iterable[str]) -> tuple[Key, ...]:
        """Every attempt to be made at these tasks, cell by cell."""
        ids, epochs, chosen = tuple(task_ids), range(1, self.epochs + 1), frozenset(self.only)
        every = (Key(cell.id, name, epoch) for cell in self.cells for name in ids for epoch in epochs)
        return tuple(key for key in every if not chosen or str(key) in chosen)

    def differences(self, other: RunSpec) -> tuple[str, ...]:
        """One line for each setting that makes the other a different run."""
        mine, theirs = self.model_dump(mode="json"), other.model_dump(mode="json")
        return tuple(
            f"{name}: {json.dumps(mine[name], ensure_ascii=False)} -> {json.dumps(theirs[name], ensure_ascii=False)}"
            for name in mine
            if name not in MAY_CHANGE and mine[name] != theirs[name]
        )


class Artifact(Record):
    """A file that an attempt handed in, kept in the run folder by its content's hash."""

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int


class Attempt(Record):
    """One attempt from start to end: what scoring and analysis need, without the transcript.

    `started` is UTC in ISO 8601; `wall_seconds` counts all time, `working_seconds` leaves out waiting for
    rate limits and for a free slot. In `successful_steps` the agent acted and nothing failed that it ran; None where
    that is not known. `model` is the model that was served. `error` is the text behind an ending `broke`. `logs` is
    what a program that was the agent wrote of itself. The transcript lies in the run's `logs/`, under `uuid`.
    """

    cell: str
    task_id: str
    epoch: int = Field(default=1, gt=0)
    uuid: str = ""
    ending: Ending
    answer: str | None = None
    files: dict[str, Artifact] = Field(default_factory=dict)
    logs: dict[str, Artifact] = Field(default_factory=dict)
    accesses: Accesses = NotMeasured(reason="no tracer ran")
    usage: Usage = Usage()
    steps: int = 0
    successful_steps: int | None = None
    started: str = ""
    wall_seconds: float = 0.0
    working_seconds: float = 0.0
    isolation: dict[str, Any] = Field(default_factory=dict)
    model: str = ""
    error: str = ""

    @property
    def key(self) -> Key:
        """What the attempt is known by."""
        return Key(self.cell, self.task_id, self.epoch)

    @property
    def ended(self) -> str:
        """How it ended, in one word: `answered`, `gave_up`, `limit:wall`, `broke:model`."""
        match self.ending:
            case LimitHit(which=what) | Broke(fault=what) if what:
                return f"{self.ending.kind}:{what}"
        return self.ending.kind

    @property
    def runs_again(self) -> bool:
        """Whether a resumed run tries again: the model or the sandbox broke, which says nothing of the agent."""
        return isinstance(self.ending, Broke) and self.ending.fault in ("model", "sandbox")


class ScoreRow(Record):
    """One verdict on one attempt: `name` is the verdict (e.g. `sound`, `exact`, `discovery`)."""

    cell: str
    task_id: str
    epoch: int
    name: str
    score: Score


@dataclass(frozen=True, slots=True)
class Spend:
    """What a run has used over all its sittings.

    `unpriced` counts tokens whose price is not known, `uncounted` replies that did not say their tokens: of neither is
    it known what it cost.
    """

    usd: float = 0.0
    unpriced: int = 0
    tokens: int = 0
    seconds: float = 0.0
    uncounted: int = 0

    def plus(self, tokens: int | None, usd: float | None) -> Spend:
        """With one more call; None where the reply did not say its tokens, or where the price is not known."""
        if tokens is None:
            return replace(self, uncounted=self.uncounted + 1)
        unpriced = tokens if usd is None else 0
        return replace(
            self, usd=self.usd + (usd or 0.0), unpriced=self.unpriced + unpriced, tokens=self.tokens + tokens
        )

    def together(self, other: Spend) -> Spend:
        """Both, added up."""
        return Spend(
            self.usd + other.usd,
            self.unpriced + other.unpriced,
            self.tokens + other.tokens,
            self.seconds + other.seconds,
            self.uncounted + other.uncounted,
        )
