"""Ablations: programs that lack one step's skill, and whether their answers are still right."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.generation.trial import Trial
from benchwright.generation.workflow import Step
from benchwright.generation.writing import Ablation, answers
from benchwright.proving.guideline import split_parts
from benchwright.proving.proofs.solution_runs import Run

_SHOWN = 200
_NUMBER = re.compile(r"^[+-]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?\s*%?$")
_MISSING = re.compile(r"(?i)^(?:nan|none|null|nat|<na>|n/a|[+-]?inf)?$")


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
    if not _handed_in(trial, run) or not _of_its_form(trial, run):
        return Ablation(step=step.id, skill=step.skill, outcome="silent", answer=shown)
    return Ablation(step=step.id, skill=step.skill, outcome="same" if trial.right(run) else "changed", answer=shown)


def _of_its_form(trial: Trial, run: Run) -> bool:
    """Whether an answer is of the right one's form: as many parts, numbers where it has numbers, nothing missing.

    Whoever lacks a skill still answers the question; a program that answers another one, or nan, shows nothing.
    """
    if not answers(trial.draft):
        heads = [
            (path.read_bytes().splitlines() or [b""])[0] for path in (*trial.first.files.values(), *run.files.values())
        ]
        return len(set(heads)) <= len(trial.first.files)
    mine, right = split_parts(run.printed.strip()), split_parts(trial.first.printed.strip())
    alike = len(mine) == len(right) and all(_number(a) == _number(b) for a, b in zip(mine, right, strict=True))
    return alike and not any(_MISSING.match(part) for part in mine)


def _number(part: str) -> bool:
    return _NUMBER.match(part) is not None


def _handed_in(trial: Trial, run: Run) -> bool:
    """Whether all that the task asks for is there, right or wrong."""
    files = all(output.name in run.files for output in trial.draft.outputs if output.kind != "answer")
    return files and (bool(run.printed.strip()) or not answers(trial.draft))
