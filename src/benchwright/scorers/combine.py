"""The one way in which scores compose: the checks of a task become the score of the task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum

from benchwright.score import Evidence, Score, Scored, Unscored

Rule = Callable[[Sequence[float]], float]


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _all(values: Sequence[float]) -> float:
    return 1.0 if all(value == 1.0 for value in values) else 0.0


RULES: Mapping[str, Rule] = {"mean": _mean, "all": _all, "min": min}


def combine(scores: Sequence[Score], rule: str = "mean") -> Score:
    """The score of a task from those of its checks, by `mean`, `all` (1 only if every one is 1) or `min`.

    One check without a score leaves the task without one: a mean over what is left would flatter.
    A single check's score is passed on unchanged.
    """
    if rule not in RULES:
        return Unscored(reason=f"suite: unknown rule to combine checks: {rule!r}, expected one of {', '.join(RULES)}")
    if not scores:
        return Unscored(reason="suite: the task has no checks")
    if len(scores) == 1:
        return scores[0]
    missing = [score for score in scores if isinstance(score, Unscored)]
    if missing:
        return Unscored(reason="; ".join(score.reason for score in missing), details=missing[0].details)
    return _combined([score for score in scores if isinstance(score, Scored)], RULES[rule])


def _combined(scores: Sequence[Scored], rule: Rule) -> Scored:
    evidence: list[Evidence] = [
        item.model_copy(update={"part": f"check {number}: {item.part}".rstrip(": ")})
        for number, score in enumerate(scores, start=1)
        for item in score.evidence
    ]
    reasons = [f"check {number}: {score.reason}" for number, score in enumerate(scores, start=1) if score.reason]
    return Scored(value=rule([score.value for score in scores]), reason="; ".join(reasons), evidence=tuple(evidence))
