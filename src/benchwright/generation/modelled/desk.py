"""What all parts of writing one draft share: the models, the room, the rules, and a run that is repaired."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from benchwright.generation.modelled.answers import fault_of
from benchwright.generation.modelled.assembling import change
from benchwright.generation.modelled.briefing import Briefing, prompts_digest
from benchwright.generation.modelled.decisions import Decision, Outcome, Stage, Telling
from benchwright.generation.modelled.forms import AnswerKind
from benchwright.generation.modelled.kept import Execute, Prove, Ran
from benchwright.generation.modelled.talking import Talk
from benchwright.generation.static_checks import Fault, refused
from benchwright.generation.workflow import Draft, Material, Rejection, Workflow


@dataclass(frozen=True, slots=True)
class Rules:
    """How often a model may try again, and what a draft needs at least.

    `regenerations`: of a step, `repairs`: of a workflow that fails to run or does not fit together, `ablations`: of
    what stands in a step's place, `rewrites`: of a question. `same_judge`: the writer may judge what it wrote. Without
    `values` the profiles that models are told hold no value of the data; errors of programs still may.
    """

    regenerations: int = 3
    repairs: int = 2
    ablations: int = 1
    rewrites: int = 3
    least_steps: int = 3
    least_files: int = 1
    same_judge: bool = False
    values: bool = True


@dataclass(frozen=True, slots=True)
class Running:
    """A workflow that runs, and what it came to."""

    workflow: Workflow
    ran: Ran


@dataclass(frozen=True, slots=True)
class Desk:
    """One draft being written.

    `execute` runs a program on the room, `prove` proves a whole draft; `skills` are those that steps may name.
    """

    writer: Talk
    judge: Talk
    briefing: Briefing
    material: Material
    skills: Collection[str]
    execute: Execute
    prove: Prove
    rules: Rules
    telling: Telling

    @property
    def draft(self) -> str:
        """The draft's name."""
        return self.briefing.draft

    def decide(self, stage: Stage, outcome: Outcome, skill: str = "", reason: str = "", detail: str = "") -> None:
        """Tell of a decision."""
        self.telling(
            Decision(
                draft=self.draft,
                stage=stage,
                outcome=outcome,
                skill=skill,
                reason=reason,
                detail=detail[:2_000],
                prompts=prompts_digest(),
            )
        )

    def rejection(self, fault: Fault) -> Rejection:
        """The draft's end."""
        return Rejection(draft=self.draft, reason=fault[0], detail=fault[1][:2_000])

    def static_fault(self, workflow: Workflow) -> Fault | None:
        """What is wrong with a workflow before anything is run."""
        # The question is not there yet, and no static check looks at it.
        draft = Draft(name="draft", writer="model", room=self.material.room, question="?", workflow=workflow)
        found = refused(draft, self.material, self.skills)
        return None if found is None else (found.reason, found.detail)

    def ran(self, workflow: Workflow, kind: AnswerKind) -> Running | Fault:
        """A workflow that runs to an answer of its kind, repaired where it did not, and what it came to.

        At each repair the model sees the error; one that is wrong before it is run is fed back in its place.
        """
        ran = self.execute(workflow.code)
        fault = fault_of(kind, ran)
        for _ in range(self.rules.repairs):
            if fault is None:
                break
            self.decide("repair", "again", "", *fault)
            mended = self.writer.ask(self.briefing.repair(workflow, f"{fault[0]}: {fault[1]}"))
            if isinstance(mended, str):
                break
            candidate = change(workflow, mended.steps)
            if wrong := self.static_fault(candidate):
                fault = fault[0], f"{fault[1]}\nA repair was refused: {wrong[0]}: {wrong[1]}"
                continue
            workflow, ran = candidate, self.execute(candidate.code)
            fault = fault_of(kind, ran)
        return fault or Running(workflow, ran)
