"""Whether a task's own checks give its gold 1 and nothing at all 0, under both verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchwright.proving.lint.base import Case, quoted
from benchwright.proving.proofs.records import Step
from benchwright.score import Score, Scored
from benchwright.scoring.attempt import TaskScores
from benchwright.suite import Suite
from benchwright.trajectory import Submission

Judge = Callable[[Submission], TaskScores]
"""Scores one submission for the task at hand."""


def gold_submission(suite: Suite, case: Case, answer: str | None) -> Submission:
    """What an agent would hand in that answers with the gold: its text, and the first gold file of each check."""
    folder = suite.gold_files(case.task.id)
    files = {check.output: folder / check.golds[0] for check in case.gold.checks if check.golds}
    return Submission(answer=answer, files=files)


def self_scores(suite: Suite, case: Case, judge: Judge) -> tuple[Step, ...]:
    """The two steps that need no data."""
    if not (case.answer or case.gold.files):
        return (Step(name="gold-scores-one", outcome="failed", evidence="the task has no gold"),)
    wrong = [*_below_one(case.gold.answer, judge(gold_submission(suite, case, case.gold.answer)))]
    for other in case.gold.alternatives:  # published rules know no alternatives
        scores = judge(gold_submission(suite, case, other)).model_copy(update={"reference": None})
        wrong.extend(_below_one(other, scores))
    credited = [text for empty in (None, "") for text in _above_zero(judge(Submission(answer=empty)))]
    return (
        Step(name="gold-scores-one", outcome="failed" if wrong else "passed", evidence="; ".join(wrong)),
        Step(name="empty-scores-zero", outcome="failed" if credited else "passed", evidence="; ".join(credited)),
    )


def _below_one(answer: str | None, scores: TaskScores) -> Iterator[str]:
    for mode, score in _verdicts(scores):
        if isinstance(score, Scored):
            if score.value < 1.0:
                yield f"{mode} gives {_shown(answer)} {score.value:g}: {_reason(score)}"
        elif mode == "sound":
            yield f"{mode} does not score {_shown(answer)}: {score.reason}"


def _above_zero(scores: TaskScores) -> Iterator[str]:
    for mode, score in _verdicts(scores):
        if isinstance(score, Scored) and score.value > 0.0:
            yield f"{mode} gives an empty submission {score.value:g}: {_reason(score)}"


def _verdicts(scores: TaskScores) -> Iterator[tuple[str, Score]]:
    for mode, score in (("reference", scores.reference), ("sound", scores.sound)):
        if score is not None:
            yield mode, score


def _shown(answer: str | None) -> str:
    return "the gold files" if answer is None else f"the gold {quoted(answer, 80)}"


def _reason(score: Scored) -> str:
    wrong = [f"{item.part} {item.reason}".strip() for item in score.evidence if item.verdict == "wrong"]
    return "; ".join(part for part in (score.reason, *wrong[:3]) if part) or "no reason given"
