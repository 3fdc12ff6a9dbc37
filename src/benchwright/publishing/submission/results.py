"""From what each task was worth to what a submission says: every subset over all its tasks, nothing left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

from benchwright.publishing.submission.records import Result, Rule, SuiteMade, TaskLine
from benchwright.publishing.submission.strict_json import Share
from benchwright.score import Score, Scored
from benchwright.suite import Suite


def rule_of(suite: Suite) -> Rule:
    """The verdict that Execution Accuracy is about: the benchmark's published rule, or the sound one without any."""
    return "reference" if suite.info.reference else "sound"


def line_of(suite: Suite, task_id: str, scores: Mapping[str, Score]) -> TaskLine:
    """One task's line; `scores` by the names of verdicts."""
    reference = scores.get("reference")
    numeric = reference.details.get("numeric") if reference is not None else None
    return TaskLine(
        id=task_id,
        domain=suite.label(task_id).domain[:300],
        subsets=tuple(name for name in suite.subsets if name == "full" or name in suite.label(task_id).subsets),
        reference=_value(reference),
        numeric=None if numeric is None else Share(bool(numeric)),
        sound=_value(scores.get("sound")),
        discovery=_value(scores.get("discovery")),
    )


def _value(score: Score | None) -> Share | None:
    return Share(score.value) if isinstance(score, Scored) else None


def worth(line: TaskLine, rule: Rule) -> Share | None:
    """What Execution Accuracy counts of a task."""
    return line.reference if rule == "reference" else line.sound


def is_partial(lines: Iterable[TaskLine], rule: Rule) -> bool:
    """Whether any task was worth a part of 1."""
    return any(0 < float(worth(line, rule) or 0) < 1 for line in lines)


def result_of(lines: Sequence[TaskLine], rule: Rule, *, measured: bool) -> Result:
    """What was reached over these tasks; `measured` is whether any of them says what was read."""
    n = len(lines)
    values = [float(worth(line, rule) or 0.0) for line in lines]
    found = sum(float(line.discovery or 0) == 1 for line in lines)
    return Result(
        execution_accuracy=Share(fsum(values) / n),
        discovery_accuracy=Share(found / n) if measured else None,
        n_tasks=n,
        n_correct=sum(value == 1 for value in values),
    )


def results_of(suite: Suite, lines: Sequence[TaskLine], rule: Rule, subsets: Iterable[str]) -> dict[str, Result]:
    """By subset; what was read is measured or is not, for all of them."""
    by_id = {line.id: line for line in lines}
    measured = any(line.discovery is not None for line in lines)
    return {name: result_of([by_id[task] for task in suite.subset(name)], rule, measured=measured) for name in subsets}


def complete(suite: Suite, ids: Iterable[str]) -> tuple[str, ...]:
    """The subsets of a suite of which every task is among these, the largest first."""
    here = set(ids)
    found = [name for name in suite.subsets if (tasks := suite.subset(name)) and here.issuperset(tasks)]
    return tuple(sorted(found, key=lambda name: (-len(suite.subset(name)), suite.subsets.index(name))))


def made_differently(made: SuiteMade, suite: Suite) -> str:
    """What a suite is otherwise than the one that a manifest tells of; empty: the same questions and data."""
    pairs = (
        ("name", made.name, suite.name),
        ("release", made.release, suite.info.release),
        ("digest", made.digest[:12], suite.digest[:12]),
    )
    return "; ".join(f"{what} {ours} here, {theirs} there" for what, theirs, ours in pairs if theirs != ours)
