"""A run folder is made fit to go on: logs are made whole or set aside, and lost records are found again."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from zipfile import ZipFile

from inspect_ai.log import (
    RecoveryNotAvailable,
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
    recover_eval_log,
)

from benchwright.errors import InputError
from benchwright.live.convert import attempt_of
from benchwright.run import Attempt, Key, RunFolder
from benchwright.run.tables import read_attempt_table


def restore(folder: RunFolder, planned: Collection[Key]) -> tuple[str, ...]:
    """Make a run folder fit to be taken up again; returns a line for each thing that was damaged.

    Of the planned attempts, those that are finished and whose record the journal has lost are written into it again,
    from the transcripts or else from the table of attempts. What no record is left of is to be made again.
    """
    notes = list(folder.damage())
    for log in _transcripts(folder):
        _recover(log)
        if why := _unreadable(log):
            notes.append(folder.set_aside(log, why))
    _clear_identity(folder)
    wanted = set(planned) - set(folder.attempts())
    for log in _transcripts(folder):
        notes.extend(_find(folder, wanted, log, _finished_in(log, wanted)))
    if wanted and folder.attempts_path.exists():
        try:
            kept = read_attempt_table(folder.attempts_path)
        except InputError as error:
            notes.append(folder.set_aside(folder.attempts_path, error.text().replace("\n ", ";")))
        else:
            notes.extend(_find(folder, wanted, folder.attempts_path, kept))
    return tuple(notes)


def _transcripts(folder: RunFolder) -> tuple[Path, ...]:
    return tuple(sorted(folder.logs.glob("*.eval")))


def _recover(log: Path) -> bool:
    """Finish the log of a sitting that did not end by itself, from Inspect's crash buffer."""
    whole = log.with_name(f".{log.stem}.partial.eval")
    try:
        if read_eval_log(str(log), header_only=True).status != "started":
            return False
        recover_eval_log(str(log), output=str(whole))
    except RecoveryNotAvailable:  # killed before anything was written: there is nothing to make whole
        whole.unlink(missing_ok=True)
        return False
    except Exception:  # noqa: BLE001 - a damaged log or buffer fails in any way; the log itself is looked at next
        whole.unlink(missing_ok=True)
        return False
    os.replace(whole, log)
    return True


def _unreadable(log: Path) -> str:
    """Why a log cannot be read in full; empty where it can. A log that was begun and holds no attempt yet is whole."""
    try:
        read_eval_log(str(log), header_only=True)
        with ZipFile(log) as archive:
            if (member := archive.testzip()) is not None:
                return f"{member} is damaged"
        read_eval_log_sample_summaries(str(log))
    except Exception as error:  # noqa: BLE001 - what a damaged log makes of its readers is any error
        return f"{type(error).__name__}: {error}"
    return ""


def _clear_identity(folder: RunFolder) -> None:
    """Inspect's name for the set of logs means nothing to us, and damaged it would stop every sitting."""
    (folder.logs / ".eval-set-id").unlink(missing_ok=True)


def _finished_in(log: Path, wanted: Collection[Key]) -> Iterator[Attempt]:
    """The finished attempts of a log that are wanted."""
    if not wanted:
        return
    cell = (read_eval_log(str(log), header_only=True).eval.metadata or {}).get("cell", "")
    for summary in read_eval_log_sample_summaries(str(log)):
        parts = summary.metadata
        if summary.completed and Key(cell, parts.get("task_id", ""), parts.get("epoch") or summary.epoch) in wanted:
            with suppress(InputError):  # a record of another version, which says nothing to this one
                attempt = attempt_of(read_eval_log_sample(str(log), summary.id, summary.epoch), cell)
                if attempt is not None:
                    yield attempt


def _find(folder: RunFolder, wanted: set[Key], source: Path, kept: Iterable[Attempt]) -> Iterator[str]:
    """Write attempts that are wanted and need not run again into the journal; what was found is no longer wanted."""
    name, count = str(source.relative_to(folder.path)), 0
    for attempt in kept:
        if attempt.key in wanted and not attempt.runs_again:
            wanted.remove(attempt.key)
            folder.record(attempt, restored_from=name)
            count += 1
    if count:
        yield f"{count} finished attempts that the journal had lost were found in {name}"
