"""Score a submission's predictions again, in the processes that hostile files are judged in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchwright.publishing.submission.package import Package
from benchwright.publishing.submission.records import Prediction, ReadFiles, TaskLine
from benchwright.publishing.submission.results import line_of
from benchwright.score import Score
from benchwright.scoring.jobs import Job
from benchwright.scoring.verdicts import TaskScores
from benchwright.scoring.workers import score_jobs
from benchwright.suite import Suite
from benchwright.trajectory import Accesses, Estimated, FileAccess, Measured, NotMeasured, Submission


def rescored(suite: Suite, package: Package) -> tuple[TaskLine, ...]:
    """What each handed-in task of the suite is worth, in the order of the predictions; ids of no task are left out.

    What was read is taken from the submission: it is the submitter's word that a tracer saw it.
    """
    return tuple(line_of(suite, scores.task_id, _verdicts(scores)) for scores in judged(suite, package))


def judged(suite: Suite, package: Package) -> tuple[TaskScores, ...]:
    """All verdicts with their evidence, which may quote the gold."""
    known = [prediction for prediction in package.predictions if prediction.id in suite.tasks]
    return tuple(score_jobs(suite.folder, _jobs(known, package.files)))


def _jobs(predictions: Sequence[Prediction], files: Mapping[str, Path]) -> list[Job]:
    return [
        Job(each.id, submission_of(each, files), finished=each.metadata.ending in ("", "answered"))
        for each in predictions
    ]


def submission_of(prediction: Prediction, files: Mapping[str, Path]) -> Submission:
    """What was handed in at one task; files that did not come with it are not there."""
    return Submission(
        answer=prediction.prediction or None,
        files={name: files[item.sha256] for name, item in prediction.files.items() if item.sha256 in files},
        accesses=_accesses(prediction.metadata),
    )


def _accesses(read: ReadFiles) -> Accesses:
    if read.files_accessed is None:
        return NotMeasured(reason="the submission does not tell")
    rooms = read.rooms or ("",) * len(read.files_accessed)
    files = tuple(FileAccess(path=path, room=room) for path, room in zip(read.files_accessed, rooms, strict=False))
    if read.estimated or not read.tracer:
        return Estimated(files=files)
    return Measured(tracer=read.tracer, files=files, room_files=read.room_files)


def _verdicts(scores: TaskScores) -> dict[str, Score]:
    told = {"reference": scores.reference, "sound": scores.sound}
    seen = {} if scores.discovery.estimated else {"discovery": scores.discovery.score}
    return {**{name: score for name, score in told.items() if score is not None}, **seen}
