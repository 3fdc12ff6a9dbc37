"""Workflows put together from replies: steps inserted and changed, and which depends on which read off their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchwright.generation.modelled.forms import ChangedStep, InsertionForm, StepForm
from benchwright.generation.workflow import Step, Workflow


def begin(skill: str, form: StepForm) -> Workflow:
    """The workflow of one step."""
    return _numbered([_step(skill, form)])


def insert(workflow: Workflow, skill: str, form: InsertionForm) -> Workflow:
    """With the step of a reply before the one that it names, and others changed; the last one stays the last."""
    assert form.step is not None, "the reply was checked"
    steps = _changed(workflow.steps, form.changed)
    place = form.before - 1
    return _numbered([*steps[:place], _step(skill, form.step), *steps[place:]])


def change(workflow: Workflow, changed: Iterable[ChangedStep]) -> Workflow:
    """With steps that were written anew; what is known of leaving them out no longer holds."""
    return _numbered(_changed(workflow.steps, changed))


def place_of(workflow: Workflow, skill: str) -> int:
    """The number of the step with a skill, from 1."""
    return 1 + next(place for place, step in enumerate(workflow.steps) if step.skill == skill)


def undeclared(workflow: Workflow, form: InsertionForm) -> str:
    """Whether a new step says that it works on a step of whose outputs it takes none; empty: it does not."""
    step = workflow.steps[form.before - 1]
    false = [number for number in form.depends_on if workflow.steps[number - 1].id not in step.depends_on]
    return f'"depends_on" names step {false[0]}, and no output of that step is among the inputs' if false else ""


def _changed(steps: Sequence[Step], changed: Iterable[ChangedStep]) -> list[Step]:
    by_place = {form.number - 1: form for form in changed}
    return [_step(step.skill, by_place[at]) if at in by_place else step for at, step in enumerate(steps)]


def _step(skill: str, form: StepForm) -> Step:
    return Step(
        id="s1",
        skill=skill,
        description=" ".join(form.description.split()),
        code=form.code,
        reads=tuple(dict.fromkeys(form.reads)),
        columns={path: tuple(dict.fromkeys(columns)) for path, columns in form.columns.items()},
        inputs=tuple(dict.fromkeys(form.inputs)),
        outputs=tuple(dict.fromkeys(form.outputs)),
        random=form.random,
    )


def _numbered(steps: Sequence[Step]) -> Workflow:
    """Steps with ids by their places; each depends on those that define its inputs last before it."""
    made: dict[str, str] = {}
    done: list[Step] = []
    for number, step in enumerate(steps, 1):
        after = {made[name] for name in step.inputs if name in made}
        order = tuple(other.id for other in done if other.id in after)
        done.append(step.model_copy(update={"id": f"s{number}", "depends_on": order}))
        made |= dict.fromkeys(step.outputs, f"s{number}")
    return Workflow(steps=tuple(done))
