"""What a model has to reply when tasks are written: steps, where they go, verdicts, repairs, and questions."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from benchwright.files import Record

AnswerKind = Literal["number", "text", "list", "table"]
"""What a workflow hands in: what its last step prints, or a table that it writes into TABLE_FILE."""
TABLE_FILE = "result.csv"

Cause = Literal["skill_not_applicable", "dependency_failed", "output_not_consumed", "step_generation_error"]
"""Why a step with a skill did not get into a workflow.

`skill_not_applicable`: no step on these data would show the skill. `dependency_failed`: what it would work on is not
there (yet). `output_not_consumed`: no later step uses what it makes. `step_generation_error`: the step is wrong.
"""
Criterion = Literal["solvable", "skills_necessary", "concise", "clear", "actionable", "verifiable"]
"""What a question has to be (section 5.2 of AgenticDataBench's paper)."""

Name = str


class Given(Record):
    """A reply; `case` repeats the token of the prompt, which no text of others can hold."""

    case: str


class StepForm(Record):
    """One step, without its id, skill and dependencies."""

    description: str = Field(min_length=10, max_length=1_000)
    code: str = Field(min_length=1, max_length=10_000)
    reads: tuple[str, ...] = Field(default=(), max_length=200)
    columns: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    inputs: tuple[str, ...] = Field(default=(), max_length=100)
    outputs: tuple[str, ...] = Field(default=(), max_length=100)
    random: bool = False


class ChangedStep(StepForm):
    """A step anew that is there already; `number` counts from 1, as the prompt does."""

    number: int


class InitialForm(Given):
    """The final step: the number of its skill among those offered, what it hands in, and the step."""

    skill: int
    answer: AnswerKind
    step: StepForm


class InsertionForm(Given):
    """A step for a skill: before which step it goes, on which it works, and which steps change to use it.

    Where no step on these data would show the skill, `applicable` is false, and `reason` says why.
    """

    applicable: bool = True
    reason: str = Field(default="", max_length=2_000)
    step: StepForm | None = None
    before: int = 0
    depends_on: tuple[int, ...] = ()
    changed: tuple[ChangedStep, ...] = ()


class VerdictForm(Given):
    """Whether somebody could carry out a step as it stands, and whether it fits those before and after it."""

    actionable: bool
    coherent: bool
    cause: Cause | None = None
    reason: str = Field(default="", max_length=2_000)

    @property
    def good(self) -> bool:
        """Whether the step may stay."""
        return self.actionable and self.coherent


class RepairForm(Given):
    """Steps anew, so that the workflow runs or is no longer wrong."""

    steps: tuple[ChangedStep, ...] = Field(min_length=1, max_length=50)


class AblationForm(Given):
    """What a program without a step's skill does in its place; `possible` is false where nothing could stand there."""

    possible: bool = True
    reason: str = Field(default="", max_length=2_000)
    code: str = Field(default="", max_length=10_000)


class QuestionForm(Given):
    """The question, and how an answer has to look."""

    question: str = Field(min_length=20, max_length=4_000)
    guidelines: str = Field(min_length=5, max_length=2_000)
    ordered: bool = False


class CriterionForm(Given):
    """Whether a question meets one criterion, and why (not)."""

    passed: bool
    reason: str = Field(default="", max_length=2_000)
