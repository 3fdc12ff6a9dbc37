"""Score a predictions file or folder against a suite."""

from __future__ import annotations

from pathlib import Path

from benchwright.errors import InputError
from benchwright.scoring.aggregate import Judged
from benchwright.scoring.attempt import has_gold
from benchwright.scoring.document import Scoring
from benchwright.scoring.jobs import Job
from benchwright.scoring.judging import USUAL, Ways, with_judge
from benchwright.scoring.predictions import Duplicates, Entry, read_predictions, require_some
from benchwright.scoring.verdicts import BOTH, Mode
from benchwright.scoring.workers import score_jobs
from benchwright.suite import Selection, Suite
from benchwright.trajectory import NotMeasured, Submission

EVERYTHING = Selection()


def score_predictions(
    suite: Suite,
    path: Path,
    modes: tuple[Mode, ...] = BOTH,
    selection: Selection = EVERYTHING,
    duplicates: Duplicates = "last",
    ways: Ways = USUAL,
) -> Scoring:
    """Verdicts over every task of the selection: a task without a prediction scores 0, as the protocol says.

    Errors: InputError where there is no prediction for any task of the suite.
    """
    ids = [task.id for task in suite.select(selection)]
    require_gold(suite, ids)
    predictions = read_predictions(path, suite.tasks.keys(), duplicates)
    require_some(predictions, path, suite)
    jobs = [_job(name, predictions.entries.get(name), modes) for name in ids]
    verdicts = score_jobs(suite.folder, jobs, spread=ways.spread)
    rows = [Judged(scores, present=scores.task_id in predictions.entries) for scores in verdicts]
    if ways.judge is not None:
        handed_in = {row.key: job.submission for row, job in zip(rows, jobs, strict=True)}
        rows = with_judge(suite, rows, handed_in, modes, ways.judge)
    return Scoring(suite, selection, modes, tuple(rows), predictions)


def _job(task_id: str, entry: Entry | None, modes: tuple[Mode, ...]) -> Job:
    if entry is None:
        return Job(task_id, Submission(accesses=NotMeasured(reason="no prediction")), None, modes)
    return Job(task_id, entry.submission, entry.claimed, modes)


def require_gold(suite: Suite, ids: list[str]) -> None:
    """An InputError where no task has a gold; single ones without are unscored."""
    if ids and not any(has_gold(suite, name) for name in ids):
        raise InputError(
            f"suite {suite.name}: no gold available for {len(ids)}/{len(ids)} tasks",
            expected="gold/gold.jsonl with answers",
            hint="score where the gold is kept; a run without gold can be exported as a submission",
        )
