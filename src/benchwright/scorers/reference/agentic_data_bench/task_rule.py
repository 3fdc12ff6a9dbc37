"""How AgenticDataBench's published evaluator makes a task's score from its calls."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.score import Score, Scored, Unscored
from benchwright.scorers.base import TaskRule


def _july(scores: Sequence[Score], finished: bool) -> Score:  # noqa: ARG001 - what is there is scored, finished or not
    """The mean over the calls that are made. One that raises counts 0.0 and is the last; a file that is not found
    counts 0.0, and the calls go on.

    A call that takes too long raises, there as here. A gold that is not here counts as the published evaluator counts
    it, unless all are missing. Unscored where a scorer of ours failed.
    """
    last = next((place for place, score in enumerate(scores, start=1) if _ends(score)), len(scores))
    made = scores[:last]
    faults = [
        score for score in made if isinstance(score, Unscored) and "gold" not in score.details and not _ends(score)
    ]
    if faults or not scores:
        return faults[0] if faults else Unscored(reason="suite: the task has no checks")
    if len(scores) == 1 or all(isinstance(score, Unscored) for score in scores):
        return scores[0]
    values = [score.value if isinstance(score, Scored) else 0.0 for score in made]
    reasons = [f"check {place}: {score.reason}" for place, score in enumerate(made, start=1) if score.reason]
    error = {"error": made[-1].details.get("error", made[-1].reason)} if _ends(made[-1]) else {}
    details = {"calls": len(made), "of": len(scores), **error}
    return Scored(value=sum(values) / len(values), reason="; ".join(reasons)[:1000], details=details)


def _april(scores: Sequence[Score], finished: bool) -> Score:
    """As in July; an attempt that did not come to its end is 0."""
    score = _july(scores, finished)
    return score if finished or isinstance(score, Unscored) else Scored(value=0.0, reason="the attempt did not finish")


def _ends(score: Score) -> bool:
    if isinstance(score, Unscored) and score.reason.startswith("scorer: time limit"):
        return True
    error = str(score.details.get("error", ""))
    return bool(score.details.get("raised")) and not error.startswith("FileNotFoundError")


JULY = TaskRule(_july, absent_leave=True)
"""The evaluator of 2026-07-03."""
APRIL = TaskRule(_april, absent_leave=True)
"""The evaluator of 2026-04-11."""
