"""Score a predictions file or folder against a suite."""

from __future__ import annotations

from pathlib import Path

from benchwright.errors import InputError
from benchwright.score import Score, Scored, Unscored
from benchwright.scoring.aggregate import Judged
from benchwright.scoring.attempt import BOTH, Discovery, Mode, TaskScores, has_gold
from benchwright.scoring.document import Scoring
from benchwright.scoring.predictions import Duplicates, Entry, read_predictions
from benchwright.scoring.workers import DEFAULT_LIMITS, Job, WorkLimits, score_jobs
from benchwright.suite import Selection, Suite

EVERYTHING = Selection()


def score_predictions(
    suite: Suite,
    path: Path,
    modes: tuple[Mode, ...] = BOTH,
    selection: Selection = EVERYTHING,
    duplicates: Duplicates = "last",
    limits: WorkLimits = DEFAULT_LIMITS,
) -> Scoring:
    """Verdicts over every task of the selection: a task without a prediction scores 0, as the protocol says."""
    ids = [task.id for task in suite.select(selection)]
    require_gold(suite, ids)
    predictions = read_predictions(path, suite.tasks.keys(), duplicates)
    found = [predictions.entries[name] for name in ids if name in predictions.entries]
    verdicts = score_jobs(suite.folder, [_job(entry, modes) for entry in found], limits)
    judged = {scores.task_id: Judged(scores) for scores in verdicts}
    rows = [judged.get(name) or Judged(nothing(suite, name, modes, "no prediction"), present=False) for name in ids]
    return Scoring(suite, selection, modes, tuple(rows), predictions)


def require_gold(suite: Suite, ids: list[str]) -> None:
    """An InputError where no task has a gold; single ones without are unscored."""
    if ids and not any(has_gold(suite, name) for name in ids):
        raise InputError(
            f"suite {suite.name}: no gold available for {len(ids)}/{len(ids)} tasks",
            expected="gold/gold.jsonl with answers",
            hint="score where the gold is kept; a run without gold can be exported as a submission",
        )


def nothing(suite: Suite, task_id: str, modes: tuple[Mode, ...], reason: str, *, broke: bool = False) -> TaskScores:
    """The verdicts where nothing was handed in: 0, or, where the attempt broke, none."""
    verdict: Score = (
        Unscored(reason=reason) if broke or not has_gold(suite, task_id) else Scored(value=0.0, reason=reason)
    )
    wanted = dict.fromkeys(modes, verdict)
    gold = suite.golds.get(task_id)
    unseen = Discovery(
        known=gold is not None and gold.discovery_known,
        measured=False,
        score=Unscored(reason=f"not measured: {reason}"),
    )
    return TaskScores(task_id=task_id, answered=False, discovery=unseen, **wanted)


def _job(entry: Entry, modes: tuple[Mode, ...]) -> Job:
    return Job(entry.task_id, entry.submission, entry.claimed, modes)
