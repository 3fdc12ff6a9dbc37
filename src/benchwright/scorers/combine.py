"""The one way in which scores compose: the checks of a task become the score of the task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum

from benchwright.score import Evidence, Score, Scored, Unscored, unscorable

Rule = Callable[[Sequence[float]], float]


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _all(values: Sequence[float]) -> float:
    return 1.0 if all(value == 1.0 for value in values) else 0.0


RULES: Mapping[str, Rule] = {"mean": _mean, "all": _all, "min": min}


def combine(scores: Sequence[Score], rule: str = "mean") -> Score:
    """The score of a task from those of its checks, by `mean`, `all` (1 only if every one is 1) or `min`.

    The number of checks never changes. A check that the suite leaves without a verdict, whoever is judged, leaves the
    task without one. A check whose scorer failed on what was handed in counts 0, and the details say how many did
    (`unscored_checks`): were it left out, or the task with it, a file that breaks a scorer would be worth more than a
    wrong one. Where no check has a verdict the task has none. A single check's score is passed on unchanged.
    """
    if rule not in RULES:
        return Unscored(reason=f"suite: unknown rule to combine checks: {rule!r}, expected one of {', '.join(RULES)}")
    if not scores:
        return Unscored(reason="suite: the task has no checks")
    if len(scores) == 1:
        return scores[0]
    missing = [score for score in scores if isinstance(score, Unscored)]
    by_suite = [score for score in missing if unscorable(score)]
    if by_suite or len(missing) == len(scores):
        told = by_suite or missing
        return Unscored(reason="; ".join(score.reason for score in told), details=told[0].details)
    return _combined(scores, RULES[rule])


def _combined(scores: Sequence[Score], rule: Rule) -> Scored:
    evidence: list[Evidence] = []
    reasons: list[str] = []
    unscored: list[int] = []
    for number, score in enumerate(scores, start=1):
        if isinstance(score, Unscored):
            unscored.append(number)
            reasons.append(f"check {number}: no verdict, counted as 0 ({score.reason})")
            evidence.append(Evidence(part=f"check {number}", verdict="wrong", reason=f"no verdict: {score.reason}"))
            continue
        evidence += (
            item.model_copy(update={"part": f"check {number}: {item.part}".rstrip(": ")}) for item in score.evidence
        )
        reasons += [f"check {number}: {score.reason}"] if score.reason else []
    return Scored(
        value=rule([score.value if isinstance(score, Scored) else 0.0 for score in scores]),
        reason="; ".join(reasons),
        evidence=tuple(evidence),
        details={"unscored_checks": len(unscored)} if unscored else {},
    )
