"""A run folder: its journal is the truth about which attempts are done; tables are made from it."""

from __future__ import annotations

import fcntl
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.files import toml_text, write_atomic
from benchwright.run.artifacts import Artifacts
from benchwright.run.journal import Journal
from benchwright.run.recorded import DAMAGED, SPECIFICATION, Recorded, fitting, recorded
from benchwright.run.records import Attempt, Key, RunSpec, ScoreRow, Spend
from benchwright.run.tables import find_scores, read_score_table, write_attempt_table, write_score_table
from benchwright.run.transcripts import Transcripts
from benchwright.score import Score

_REASON = 300
"""Characters of the reason for which a file was set aside."""
_NOTED_LINES = 5


class RunFolder:
    """A run folder. `events.jsonl` is its journal, append-only, and the truth about which attempts are done.

    Every finished attempt is one line there, flushed to disk before the run goes on; `attempts.parquet` is
    made from it. What a crash or a bad disk has damaged is passed over or set aside, and never removed.
    """

    def __init__(self, path: Path, spec: RunSpec, notes: tuple[str, ...] = ()) -> None:
        self.path = path
        self.spec = spec
        self.notes = notes
        """What was found damaged when the folder was opened, and what became of it."""

    @classmethod
    def create(cls, path: Path, spec: RunSpec) -> RunFolder:
        """Make the folder, or take up the run that it holds; a changed specification is refused.

        A damaged `run.toml` is set aside and written anew, where the journal does not say that the run was another.
        """
        found = fitting(path, spec)
        if found.nothing:
            path.mkdir(parents=True, exist_ok=True)
            write_atomic(path / SPECIFICATION, toml_text(spec.to_json()))
            return cls(path, spec)
        if found.trouble is None:
            if found.spec is not None and found.spec.secret_args:  # which an earlier version wrote down
                write_atomic(path / SPECIFICATION, toml_text(spec.to_json()))
            return cls(path, spec)
        return cls(path, spec, _renew_specification(cls(path, spec), found))

    @classmethod
    def refuse(cls, path: Path, spec: RunSpec) -> None:
        """Raise the InputError that `create` would raise; leaves nothing behind."""
        fitting(path, spec)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open a run folder to read it; where its `run.toml` is damaged, by what the journal says."""
        found = recorded(path)
        if found.spec is None:
            hint = "make one with: benchwright run"
            raise found.trouble or InputError(f"not a run folder: {path}", found="no run.toml", hint=hint)
        notes = (f"{found.trouble.what}: the journal's own record is used",) if found.trouble else ()
        return cls(path, found.spec, notes)

    def set_aside(self, path: Path, why: str) -> str:
        """Move a file of this folder that cannot be used to `damaged/`; kept, written down, and said in a line."""
        inside = path.relative_to(self.path)
        place = self.path / DAMAGED / inside.name
        for number in itertools.count(2):
            if not os.path.lexists(place):
                break
            place = place.with_name(f"{inside.name}.{number}")
        place.parent.mkdir(exist_ok=True)
        os.replace(path, place)
        reason = why.partition("\n")[0][:_REASON]
        self.append("set_aside", to=f"{DAMAGED}/{place.name}", why=reason, restored_from=str(inside))
        return f"{inside} cannot be used and is set aside as {DAMAGED}/{place.name}: {reason}"

    @property
    def logs(self) -> Path:
        """The folder of the transcripts."""
        return self.path / "logs"

    @property
    def events_path(self) -> Path:
        """Where the journal lies."""
        return self.path / "events.jsonl"

    @property
    def attempts_path(self) -> Path:
        """The table of attempts."""
        return self.path / "attempts.parquet"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for one process; the kernel lets go when the process ends, however it ends."""
        handle = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InputError(
                    f"another process is at work on {self.path}",
                    found=f"process {os.pread(handle, 32, 0).decode(errors='replace') or 'unknown'}",
                    hint="wait for it to end, or give another --out",
                ) from error
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)  # a program that is just being started has the file open, too
            os.close(handle)

    @property
    def journal(self) -> Journal:
        """The journal."""
        return Journal(self.events_path)

    def append(self, event: str, *, durable: bool = False, **values: Any) -> None:
        """Add one line to the journal; `durable` waits until it is on the disk."""
        self.journal.append(event, durable=durable, **values)

    def record(self, attempt: Attempt, restored_from: str = "") -> None:
        """Write down a finished attempt; once this returns no crash can lose it."""
        values: dict[str, Any] = {"restored_from": restored_from} if restored_from else {}
        self.append("attempt", durable=True, attempt=attempt.to_json(), **values)

    def events(self, *kinds: str) -> Iterator[dict[str, Any]]:
        """The journal's events in order, of the given kinds or all; damaged lines are left out."""
        return self.journal.events(*kinds)

    def attempts(self) -> dict[Key, Attempt]:
        """Every finished attempt by its key, each once: a later record of the same key replaces an earlier one."""
        return self.journal.attempts()

    def spend(self) -> Spend:
        """What was used so far, attempts that a crash cut off included."""
        return self.journal.spend()

    @property
    def artifacts(self) -> Artifacts:
        """The files that attempts handed in."""
        return Artifacts(self.path / "artifacts")

    @property
    def transcripts(self) -> Transcripts:
        """What programs tell of attempts, imported ones and those of command-line agents; the others lie in `logs`."""
        return Transcripts(self.path / "transcripts")

    def damage(self) -> tuple[str, ...]:
        """What is damaged of the specification and the journal, and passed over, a line each."""
        lines = self.journal.damage()
        if not lines:
            return self.notes
        named = ", ".join(str(each.line) for each in lines[:_NOTED_LINES]) + (", ..." if lines[_NOTED_LINES:] else "")
        said = f"events.jsonl: {len(lines)} damaged lines passed over (line {named}): {lines[0].why}"
        return (*self.notes, said)

    def drop_unnamed_artifacts(self) -> int:
        """Remove files that no finished attempt handed in (attempts that were cut off leave some); returns how many."""
        attempts = self.attempts().values()
        named = {item.sha256 for each in attempts for kept in (each.files, each.logs) for item in kept.values()}
        kept = self.artifacts.path.iterdir() if self.artifacts.path.is_dir() else ()
        unnamed = [path for path in kept if path.name not in named]
        for path in unnamed:
            path.unlink()
        return len(unnamed)

    def write_attempts(self) -> int:
        """Make `attempts.parquet` from the journal; returns the number of attempts."""
        attempts = self.attempts().values()
        write_attempt_table(self.attempts_path, attempts, self.spec.cells)
        return len(attempts)

    def write_scores(self, mode: str, rows: Iterable[ScoreRow], stamp: Mapping[str, str]) -> None:
        """Write `scores/<mode>.parquet`; `stamp` (digests of scorers, suite and gold) goes into its metadata."""
        write_score_table(self._scores_path(mode), rows, stamp)

    def has_scores(self, mode: str) -> bool:
        """Whether verdicts of that mode are kept."""
        return self._scores_path(mode).is_file()

    def read_scores(self, mode: str) -> tuple[tuple[ScoreRow, ...], dict[str, str]]:
        """The rows of `scores/<mode>.parquet` and its stamp."""
        path = self._scores_path(mode)
        if not path.is_file():
            raise InputError(f"no {mode} scores in {self.path}", hint=f"benchwright score SUITE {self.path}")
        return read_score_table(path)

    def verdicts(self, key: Key) -> dict[str, Score]:
        """The kept verdicts on one attempt of all modes, by their names; empty where it was not scored yet."""
        kept = sorted((self.path / "scores").glob("*.parquet"))
        return {row.name: row.score for path in kept for row in find_scores(path, key)}

    def _scores_path(self, mode: str) -> Path:
        return self.path / "scores" / f"{mode}.parquet"


def _renew_specification(folder: RunFolder, found: Recorded) -> tuple[str, ...]:
    """Write `run.toml` anew; what lay there is kept."""
    place, notes = folder.path / SPECIFICATION, []
    unsure = "" if found.spec else "; whether it is the same run as before could not be checked"
    if place.exists() and found.trouble is not None:
        notes = [folder.set_aside(place, found.trouble.text())]
    write_atomic(place, toml_text(folder.spec.to_json()))
    return (*notes, f"{SPECIFICATION} is written anew{unsure}")
