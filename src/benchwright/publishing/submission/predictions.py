"""One attempt as a submission tells it: what was handed in, and what is known of how it came about."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchwright.publishing.submission.names import fit
from benchwright.publishing.submission.records import ANSWER_CHARACTERS, MOST_FILES, HandedIn, Prediction, ReadFiles
from benchwright.run import Attempt
from benchwright.suite import Suite
from benchwright.trajectory import Estimated, Measured


def prediction_of(suite: Suite, task_id: str, attempt: Attempt, files: Mapping[str, Path]) -> Prediction:
    """What was handed in at a task; `files` are those that go along, by SHA-256."""
    number = task_id.isascii() and task_id.isdigit() and str(int(task_id)) == task_id
    answer = (attempt.answer or "").encode("utf-8", "replace").decode()
    task = suite.tasks[task_id]
    here = (name for name, item in attempt.files.items() if item.sha256 in files)
    names = fit(here, (output.name for output in task.outputs))[:MOST_FILES]
    gone = len(attempt.files) - len(names) + (len(answer) > ANSWER_CHARACTERS)
    return Prediction(
        instance_id=int(task_id) if number else None,
        task_id=None if number else task_id,
        prediction=answer[:ANSWER_CHARACTERS],
        files={name: HandedIn(sha256=attempt.files[name].sha256, bytes=attempt.files[name].bytes) for name in names},
        metadata=told_of(attempt, several=len(task.data) > 1).model_copy(update={"left_out": gone}),
    )


def told_of(attempt: Attempt, *, several: bool) -> ReadFiles:
    """How an attempt ended, what it took, and which files it read; `several`: of more rooms than one."""
    seen, usage = attempt.accesses, attempt.usage
    told = ReadFiles(
        ending=attempt.ended,
        steps=attempt.steps,
        seconds=round(attempt.wall_seconds, 3),
        cost_usd=usage.cost_usd,
    )
    if not isinstance(seen, Measured | Estimated):
        return told
    files = sorted(seen.files, key=lambda file: (file.room, file.path))
    return told.model_copy(
        update={
            "files_accessed": tuple(file.path for file in files),
            "rooms": tuple(file.room for file in files) if several else (),
            "tracer": seen.tracer if isinstance(seen, Measured) else "",
            "estimated": isinstance(seen, Estimated),
            "room_files": seen.room_files if isinstance(seen, Measured) else None,
        }
    )
