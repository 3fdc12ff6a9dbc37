"""From skills to a workflow: the last step first, then the other skills one by one, each verified or discarded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchwright.generation.modelled.assembling import begin, change, insert, place_of, undeclared
from benchwright.generation.modelled.briefing import Skill
from benchwright.generation.modelled.desk import Desk, Running
from benchwright.generation.modelled.forms import AnswerKind, Cause, VerdictForm
from benchwright.generation.modelled.kept import Ran
from benchwright.generation.static_checks import Fault
from benchwright.generation.workflow import Reason, Rejection, Workflow


@dataclass(frozen=True, slots=True)
class Built:
    """A workflow that runs, what it came to, and why skills of its composition are not in it."""

    workflow: Workflow
    kind: AnswerKind
    ran: Ran
    discarded: tuple[str, ...] = ()


Discard = tuple[Cause, str]


def build(desk: Desk, skills: Sequence[Skill]) -> Built | Rejection:
    """The workflow for a composition of skills, in its order; a skill that fails for want of another is tried twice."""
    built = _begun(desk, skills)
    if isinstance(built, Rejection):
        return built
    waiting = [skill for skill in skills if skill.name not in built.workflow.skills]
    later: list[Skill] = []
    for skill in waiting:
        found = _extended(desk, built, skill)
        if isinstance(found, Built):
            built = found
        elif found[0] == "dependency_failed":
            desk.decide("insert", "later", skill.name, *found)
            later.append(skill)
        else:
            built = _without(desk, built, skill, found)
    for skill in later:
        found = _extended(desk, built, skill)
        built = found if isinstance(found, Built) else _without(desk, built, skill, found)
    return _whole(desk, built)


def _begun(desk: Desk, skills: Sequence[Skill]) -> Built | Rejection:
    """The last step, for whichever of the skills the model chooses."""
    feedback: list[str] = []
    fault: Fault = ("no_material", "no try was allowed")
    for _ in range(1 + desk.rules.regenerations):
        form = desk.writer.ask(desk.briefing.initial(skills, feedback))
        if isinstance(form, str):
            return desk.rejection(("unreadable_reply", f"the last step: {form}"))
        name = skills[form.skill - 1].name
        found = _tried(desk, begin(name, form.step), form.answer)
        verdict = _verdict(desk, found.workflow, 1) if isinstance(found, Built) else None
        if isinstance(found, Built) and verdict is None:
            desk.decide("initial", "kept", name)
            return found
        fault = verdict or (found if not isinstance(found, Built) else fault)
        desk.decide("initial", "again", name, *fault)
        feedback.append(f"a last step with the skill {name} was refused: {fault[0]}: {fault[1]}")
    return desk.rejection(fault)


def _tried(desk: Desk, workflow: Workflow, kind: AnswerKind) -> Built | Fault:
    """A workflow that passes the static checks and runs."""
    if fault := desk.static_fault(workflow):
        return fault
    found = desk.ran(workflow, kind)
    return Built(found.workflow, kind, found.ran) if isinstance(found, Running) else found


def _extended(desk: Desk, built: Built, skill: Skill) -> Built | Discard:
    """The workflow with a step for one more skill, or why it is not to be had."""
    feedback: list[str] = []
    discard: Discard = ("step_generation_error", "no try was allowed")
    for _ in range(1 + desk.rules.regenerations):
        found = _inserted(desk, built, skill, feedback)
        if isinstance(found, Built):
            desk.decide("insert", "kept", skill.name)
            return found
        discard = found
        if discard[0] in ("skill_not_applicable", "dependency_failed"):
            return discard
        desk.decide("insert", "again", skill.name, *discard)
        feedback.append(f"{discard[0]}: {discard[1]}")
    return discard


def _inserted(desk: Desk, built: Built, skill: Skill, feedback: Sequence[str]) -> Built | Discard:
    """One try at a step for a skill."""
    form = desk.writer.ask(desk.briefing.insert(built.workflow, skill, feedback))
    if isinstance(form, str):
        return "step_generation_error", f"unreadable reply: {form}"
    if not form.applicable:
        return "skill_not_applicable", form.reason
    candidate = insert(built.workflow, skill.name, form)
    if false := undeclared(candidate, form):
        return "step_generation_error", false
    return _verified(desk, built, skill, candidate)


def _verified(desk: Desk, built: Built, skill: Skill, candidate: Workflow) -> Built | Discard:
    """A workflow with one more step: checked without a run, run, and verified by the model, in this order."""
    tried = _tried(desk, candidate, built.kind)
    if not isinstance(tried, Built):
        cause: Cause = "output_not_consumed" if tried[0] == "not_one_output" else "step_generation_error"
        return cause, f"{tried[0]}: {tried[1]}"
    place = place_of(tried.workflow, skill.name)
    verdict = desk.writer.ask(desk.briefing.verify(tried.workflow, place))
    if isinstance(verdict, str):
        return "step_generation_error", f"the step could not be verified: {verdict}"
    if not verdict.good:
        return verdict.cause or "step_generation_error", verdict.reason
    return replace(tried, discarded=built.discarded)


def _without(desk: Desk, built: Built, skill: Skill, discard: Discard) -> Built:
    desk.decide("insert", "discarded", skill.name, *discard)
    note = f"skill left out: {skill.name}: {discard[0]}: {discard[1]}"[:500]
    return replace(built, discarded=(*built.discarded, note))


def _whole(desk: Desk, built: Built) -> Built | Rejection:
    """The workflow verified once more at its last step, with all that came before it by now; repaired to a limit."""
    steps = len(built.workflow.steps)
    if steps < desk.rules.least_steps:
        fault: Fault = ("too_few_steps", f"{steps} steps; {'; '.join(built.discarded) or 'no skill was left out'}")
        return desk.rejection(fault)
    for _ in range(1 + desk.rules.repairs):
        found = _wrong(desk, built)
        if found is None:
            desk.decide("whole", "kept")
            return built
        fault = found
        desk.decide("whole", "again", "", *fault)
        mended = _mended(desk, built, fault)
        built = mended or built
    return desk.rejection(fault)


def _wrong(desk: Desk, built: Built) -> Fault | None:
    files = built.workflow.reads
    if len(files) < desk.rules.least_files:
        return "step_not_coherent", f"it reads {len(files)} files; expected at least {desk.rules.least_files}"
    opened = desk.execute(built.workflow.code, fresh=True).opened
    if opened is not None and set(opened) != set(files):
        return "files_not_as_declared", f"it says that it reads {_listed(files)}, and opens {_listed(opened)}"
    return _verdict(desk, built.workflow, len(built.workflow.steps))


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(sorted(paths)[:20]) or "nothing"


def _mended(desk: Desk, built: Built, fault: Fault) -> Built | None:
    form = desk.writer.ask(desk.briefing.repair(built.workflow, f"{fault[0]}: {fault[1]}"))
    if isinstance(form, str):
        return None
    tried = _tried(desk, change(built.workflow, form.steps), built.kind)
    return replace(tried, discarded=built.discarded) if isinstance(tried, Built) else None


def _verdict(desk: Desk, workflow: Workflow, number: int) -> Fault | None:
    """Why the model does not take a step as it stands; None where it does."""
    verdict = desk.writer.ask(desk.briefing.verify(workflow, number))
    if isinstance(verdict, str):
        return "unreadable_reply", f"the verdict on step {number}: {verdict}"
    return None if verdict.good else (_reason(verdict), verdict.reason)


def _reason(verdict: VerdictForm) -> Reason:
    if verdict.cause == "skill_not_applicable":
        return "skill_not_applicable"
    return "step_not_coherent" if verdict.actionable else "step_not_actionable"
