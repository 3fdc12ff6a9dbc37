"""A predictions file as a run folder, so that it is analysed, compared and reported like any run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright import __version__
from benchwright.files import sha256
from benchwright.importers import Imported
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring.predictions import Entry, Predictions, read_predictions, require_some
from benchwright.suite import Suite
from benchwright.trajectory import Answered, GaveUp, NotMeasured

_NOT_SEEN = "a predictions file says nothing that was measured"


@dataclass(frozen=True, slots=True)
class Predictor:
    """Whose predictions they are, as tables show it."""

    agent: str = "predictions"
    model: str = ""


def import_predictions(paths: Sequence[Path], suite: Suite, out: Path, whose: Predictor) -> Imported:
    """A run folder of predictions files, the epochs of a run one file each.

    A task without a prediction is an attempt that gave up and scores 0, as the published protocol counts it. Odd lines
    are left out with their reason. Errors: InputError where a file cannot be read or holds nothing.
    """
    read = [(path, read_predictions(path, suite.tasks.keys())) for path in paths]
    for path, found in read:
        require_some(found, path, suite)
    cell = Cell(agent=whose.agent, preset="imported", model=whose.model, suite_digest=suite.digest)
    spec = RunSpec(
        suite=suite.name,
        suite_folder=str(suite.folder.absolute()),
        suite_digest=suite.digest,
        cells=(cell,),
        epochs=len(read),
        tracing="off",
        versions={"benchwright": __version__, "imported_from": "predictions"},
    )
    folder = RunFolder.create(out, spec)
    with folder.lock():
        known = set(folder.attempts())
        for epoch, (_, found) in enumerate(read, start=1):
            for name in suite.tasks:
                attempt = _attempt(folder, cell, (name, epoch), found.entries.get(name))
                if attempt.key not in known:
                    folder.record(attempt)
        folder.write_attempts()
    odd = [(str(path), why) for path, found in read for why in _odd(found)]
    notes = [(str(path), note) for path, found in read for note in found.notes]
    return Imported(folder, list(folder.attempts().values()), odd, notes)


def _attempt(folder: RunFolder, cell: Cell, place: tuple[str, int], entry: Entry | None) -> Attempt:
    task_id, epoch = place
    submission = entry.submission if entry else None
    answer = submission.answer if submission else None
    files = {name: folder.artifacts.keep(path) for name, path in submission.files.items()} if submission else {}
    claims = f"; it claims {len(entry.claimed)} files read" if entry and entry.claimed is not None else ""
    told = answer is not None or bool(files)
    return Attempt(
        cell=cell.id,
        task_id=task_id,
        epoch=epoch,
        uuid=sha256(f"{cell.id}\n{task_id}\n{epoch}\n{answer}")[:32],
        ending=Answered() if told else GaveUp(detail="no prediction in the file"),
        answer=answer,
        files=files,
        accesses=NotMeasured(reason=_NOT_SEEN + claims),
        isolation={"imported": True},
        model=cell.model,
    )


def _odd(found: Predictions) -> list[str]:
    return [
        *(f"line {line.line}: {line.reason}" for line in found.bad_lines),
        *(f"no task {name!r} in the suite" for name in found.extra_ids),
        *(f"more than one prediction for task {name}: the last counts" for name in found.duplicate_ids),
    ]
