"""Ablations: programs that lack one step's skill, and whether their answers are still right."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.generation.trial import Trial
from benchwright.generation.workflow import Step
from benchwright.generation.writing import Ablation, answers
from benchwright.proving.proofs.solution_runs import Run

_SHOWN = 200


def ablate(trial: Trial) -> Iterator[Ablation]:
    """What came of each step that can be done without; a skill is needed only where an answer came, and is wrong."""
    for step in trial.draft.workflow.steps:
        if step.without is not None:
            yield _ablated(trial, step)


def _ablated(trial: Trial, step: Step) -> Ablation:
    run = trial.again(trial.draft.workflow.without(step.id))
    if run.failure:
        return Ablation(step=step.id, skill=step.skill, outcome="failed", answer=run.failure[-_SHOWN:])
    shown = run.printed.strip()[:_SHOWN]
    if not _handed_in(trial, run):
        return Ablation(step=step.id, skill=step.skill, outcome="silent", answer=shown)
    return Ablation(step=step.id, skill=step.skill, outcome="same" if trial.right(run) else "changed", answer=shown)


def _handed_in(trial: Trial, run: Run) -> bool:
    """Whether all that the task asks for is there, right or wrong."""
    files = all(output.name in run.files for output in trial.draft.outputs if output.kind != "answer")
    return files and (bool(run.printed.strip()) or not answers(trial.draft))
