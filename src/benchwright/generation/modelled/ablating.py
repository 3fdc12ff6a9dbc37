"""What a program without each step's skill would do, asked of a model and measured: only what ran counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchwright.chat.asking import Asked
from benchwright.generation.modelled.answers import fault_of, items_of
from benchwright.generation.modelled.building import Built
from benchwright.generation.modelled.desk import Desk
from benchwright.generation.modelled.forms import AblationForm
from benchwright.generation.workflow import Rejection, Step, Workflow


@dataclass(slots=True)
class _Lacking:
    """What is known of leaving one step's skill out: the code that ran in its place, or what was wrong with others."""

    number: int
    step: Step
    code: str | None = None
    same: bool = False
    problems: list[str] = field(default_factory=list)
    impossible: bool = False

    @property
    def open(self) -> bool:
        return self.code is None and not self.impossible

    def told(self) -> str:
        """For the record."""
        if self.code is not None:
            return f"step {self.number}: the same answer without it"
        return f"step {self.number}: {self.problems[-1] if self.problems else 'nothing was given'}"


def ablate(desk: Desk, built: Built) -> Workflow | Rejection:
    """The workflow with `without` in every step where it was measured to run to an answer.

    Rejected where no answer without a skill differs from the workflow's: nothing would show that a skill is necessary.
    """
    all_ = [_Lacking(number, step) for number, step in enumerate(built.workflow.steps, 1)]
    for _ in range(1 + desk.rules.ablations):
        waiting = [each for each in all_ if each.open]
        for lacking, asked in zip(waiting, _asked(desk, built.workflow, waiting), strict=True):
            _take(desk, built, lacking, asked)
    if all(lacking.code is None or lacking.same for lacking in all_):
        return desk.rejection(("no_skill_necessary", "; ".join(lacking.told() for lacking in all_)))
    return Workflow(steps=tuple(lacking.step.model_copy(update={"without": lacking.code}) for lacking in all_))


def _asked(desk: Desk, workflow: Workflow, waiting: Sequence[_Lacking]) -> list[Asked]:
    return desk.writer.ask_all([desk.briefing.ablation(workflow, each.number, each.problems) for each in waiting])


def _take(desk: Desk, built: Built, lacking: _Lacking, asked: Asked) -> None:
    """Measure what was given for one step."""
    skill = lacking.step.skill
    if asked.status != "done":
        lacking.problems.append(f"unreadable_reply: {asked.reason}")
        lacking.impossible = True
        desk.decide("ablation", "discarded", skill, "unreadable_reply", asked.reason)
        return
    form = asked.read(AblationForm)
    if not form.possible:
        lacking.problems.append(f"nothing could stand there: {form.reason}")
        lacking.impossible = True
        desk.decide("ablation", "discarded", skill, detail=form.reason)
        return
    if problem := _measured(desk, built, lacking, form.code):
        lacking.problems.append(problem)
        desk.decide("ablation", "again", skill, problem.split(":")[0], problem)
        return
    desk.decide("ablation", "kept", skill, detail="the same answer" if lacking.same else "another answer")


def _measured(desk: Desk, built: Built, lacking: _Lacking, code: str) -> str:
    """Run the program with this in the step's place; what is wrong with that, or empty where it came to an answer."""
    step = lacking.step.model_copy(update={"without": code})
    workflow = Workflow(steps=tuple(step if each.id == step.id else each for each in built.workflow.steps))
    if fault := desk.static_fault(workflow):
        return f"{fault[0]}: {fault[1]}"
    ran = desk.execute(workflow.without(step.id))
    if fault := fault_of(built.kind, ran):
        return f"{fault[0]}: {fault[1]}"
    lacking.code = code
    lacking.same = sorted(items_of(built.kind, ran)) == sorted(items_of(built.kind, built.ran))
    return ""
