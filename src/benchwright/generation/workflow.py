"""The values of generated tasks: steps, workflows, drafts, why a draft was refused, and what writers are given."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from pydantic import Field

from benchwright.files import Record
from benchwright.gold import Check
from benchwright.profiles.entries import FileProfile
from benchwright.profiles.relations import Relation
from benchwright.task import OutputSpec

Reason = Literal[
    "does_not_parse",
    "module_not_in_toolbox",
    "unknown_file",
    "unknown_column",
    "unknown_skill",
    "cycle",
    "undefined_input",
    "not_one_output",
    "failed_to_run",
    "runs_differ",
    "seeds_differ",
    "depends_on_ties",
    "empty_answer",
    "trivial_answer",
    "unfit_answer",
    "gold_does_not_score_1",
    "empty_scores",
    "know_nothing_scores",
    "constant_scores",
    "answer_leaks",
    "join_hint_leaks",
    "lint_fault",
    "no_skill_necessary",
    "no_distractor",
    "files_not_measured",
    "files_not_as_declared",
    "duplicate_question",
    "near_duplicate",
    "no_material",
    "unreadable_reply",
    "skill_not_applicable",
    "step_not_actionable",
    "step_not_coherent",
    "too_few_steps",
    "criterion_not_met",
    "budget_spent",
]
"""Why a draft is no task; from `no_material` on only writers find them."""


class Step(Record):
    """One step of a workflow: Python that runs in one namespace after the steps before it.

    `code` reads files under `/data/<path>` and defines `outputs`; the last one prints the answer or writes the output
    files. `reads` are files of the room by their paths below it, `columns` the columns that are used of each.
    `without` is what a program that lacks the skill would do in its place, and it must run; None: nothing is shown by
    leaving the step out, and its skill does not count. `random`: the code reads the variable SEED.
    """

    id: str = Field(pattern=r"^s[1-9][0-9]*$")
    skill: str
    description: str
    code: str
    depends_on: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    columns: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    without: str | None = None
    random: bool = False


class Workflow(Record):
    """Steps in the order in which they run."""

    steps: tuple[Step, ...]

    @property
    def skills(self) -> tuple[str, ...]:
        """The skills of the steps in order, each once."""
        return tuple(dict.fromkeys(step.skill for step in self.steps))

    @property
    def reads(self) -> tuple[str, ...]:
        """The files that the steps say they read, sorted."""
        return tuple(sorted({path for step in self.steps for path in step.reads}))

    @property
    def random(self) -> bool:
        """Whether any step reads SEED."""
        return any(step.random for step in self.steps)

    @property
    def code(self) -> str:
        """The whole program, each step under its description."""
        return self.program()

    def program(self, seed: int = 0) -> str:
        """The whole program with this seed, where a step reads one."""
        return self._joined({step.id: step.code for step in self.steps}, seed)

    def without(self, step_id: str) -> str:
        """The program of somebody who lacks this step's skill; ValueError where the step does not say what that is."""
        codes = {step.id: step.code for step in self.steps}
        replaced = next((step.without for step in self.steps if step.id == step_id), None)
        if replaced is None:
            raise ValueError(f"step {step_id} cannot be done without")
        return self._joined({**codes, step_id: replaced}, 0)

    def _joined(self, codes: Mapping[str, str], seed: int) -> str:
        parts = [f"# {' '.join(step.description.split())}\n{codes[step.id].strip()}\n" for step in self.steps]
        return "\n".join([f"SEED = {seed}\n", *parts] if self.random else parts)


class Draft(Record):
    """A task that is not proved yet: `checks` say how an answer is judged, their golds come from running the workflow.

    `name` is a stable key of the draft, `writer` who wrote it: "template:<name>" or "model:<name>".
    """

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$")
    writer: str
    room: str
    question: str = Field(min_length=1)
    guidelines: str = ""
    outputs: tuple[OutputSpec, ...] = (OutputSpec(),)
    checks: tuple[Check, ...] = (Check(scorer="answer"),)
    workflow: Workflow
    domain: str = ""
    notes: tuple[str, ...] = ()


class Rejection(Record):
    """Why a draft, or a try at one, became no task."""

    draft: str
    reason: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """One room: its folder, the profiles of its files, and their relations, all by paths below the folder."""

    room: str
    folder: Path
    profiles: tuple[FileProfile, ...]
    relations: tuple[Relation, ...] = ()
    domain: str = ""

    @property
    def files(self) -> dict[str, FileProfile]:
        """The profiles by path."""
        return {profile.path: profile for profile in self.profiles}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a writer is asked for: about `number` drafts, drawn by `seed` alone, for these skills.

    `skills` are all that may be named, with their descriptions ("" where there is none). `weights` say how much each
    is wanted; one without a weight counts 1, and 0 is covered well enough.
    """

    skills: Mapping[str, str]
    number: int
    seed: int = 0
    weights: Mapping[str, float] = field(default_factory=dict)
    covered: Collection[str] = ()


class Writer(Protocol):
    """Who writes drafts. The same material and wants give the same drafts in the same order."""

    @property
    def name(self) -> str:
        """How the writer is named in records, with whatever its drafts depend on."""

    def drafts(self, material: Material, wanted: Wanted) -> Iterator[Draft | Rejection]:
        """Drafts for this room, and tries that failed, as they come."""
