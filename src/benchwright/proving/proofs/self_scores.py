"""What a task's own checks give its gold, nothing at all, and files that know nothing, under both verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from benchwright.proving.findings import Mode
from benchwright.proving.gold_outputs import as_handed_in
from benchwright.proving.lint.base import Case, quoted
from benchwright.proving.proofs.records import Outcome, Step, StepName
from benchwright.score import Score, Scored
from benchwright.scoring.verdicts import TaskScores
from benchwright.suite import Suite
from benchwright.trajectory import Submission

Judge = Callable[[Submission], TaskScores]
"""Scores one submission for the task at hand."""
_LITTLE = 0.02
Complaint = tuple[Mode, str]


def gold_submission(suite: Suite, case: Case, answer: str | None) -> Submission:
    """What an agent would hand in that answers with the gold: its text, and the gold file of each output."""
    return Submission(answer=answer, files=as_handed_in(suite, case.task, case.gold))


def self_scores(suite: Suite, case: Case, judge: Judge) -> tuple[Step, ...]:
    """The two steps that need no data."""
    if not (case.answer or case.gold.files):
        return (Step(name="gold-scores-one", outcome="failed", evidence="the task has no gold"),)
    wrong = [*_below_one(case.gold.answer, judge(gold_submission(suite, case, case.gold.answer)))]
    for other in case.gold.alternatives:  # published rules know no alternatives
        scores = judge(gold_submission(suite, case, other)).model_copy(update={"reference": None})
        wrong.extend(_below_one(other, scores))
    credited = [text for empty in (None, "") for text in _above_zero(judge(Submission(answer=empty)))]
    return _step("gold-scores-one", wrong), _step("empty-scores-zero", credited)


def fixed_file_score(files: dict[str, Path], judge: Judge) -> Step:
    """Whether files that were made without any data are refused: full credit fails, more than very little is noted."""
    scores = _verdicts(judge(Submission(files=files)))
    given = [(mode, score.value) for mode, score in scores if isinstance(score, Scored) and score.value > _LITTLE]
    full = [(mode, f"{mode} gives files that know nothing of the data 1") for mode, value in given if value >= 1.0]
    some = [(mode, f"{mode} gives files that know nothing of the data {value:.2g}") for mode, value in given]
    return _step("fixed-file-fails", full) if full else _step("fixed-file-fails", some, "noted")


def _step(name: StepName, complaints: Iterable[Complaint], otherwise: Outcome = "failed") -> Step:
    found = [*complaints]
    modes = {mode for mode, _ in found}
    return Step(
        name=name,
        outcome=otherwise if found else "passed",
        evidence="; ".join(text for _, text in found),
        modes=() if len(modes) != 1 else tuple(modes),
    )


def _below_one(answer: str | None, scores: TaskScores) -> Iterator[Complaint]:
    for mode, score in _verdicts(scores):
        if isinstance(score, Scored):
            if score.value < 1.0:
                yield mode, f"{mode} gives {_shown(answer)} {score.value:g}: {_reason(score)}"
        elif mode == "sound":
            yield mode, f"{mode} does not score {_shown(answer)}: {score.reason}"


def _above_zero(scores: TaskScores) -> Iterator[Complaint]:
    for mode, score in _verdicts(scores):
        if isinstance(score, Scored) and score.value > 0.0:
            yield mode, f"{mode} gives an empty submission {score.value:g}: {_reason(score)}"


def _verdicts(scores: TaskScores) -> Iterator[tuple[Mode, Score]]:
    modes: tuple[tuple[Mode, Score | None], ...] = (("reference", scores.reference), ("sound", scores.sound))
    for mode, score in modes:
        if score is not None:
            yield mode, score


def _shown(answer: str | None) -> str:
    return "the gold files" if answer is None else f"the gold {quoted(answer, 80)}"


def _reason(score: Scored) -> str:
    wrong = [f"{item.part} {item.reason}".strip() for item in score.evidence if item.verdict == "wrong"]
    return "; ".join(part for part in (score.reason, *wrong[:3]) if part) or "no reason given"
