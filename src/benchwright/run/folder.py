"""A run folder: its journal is the truth about which attempts are done; tables are made from it."""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.files import arriving, read_toml, sha256_file, toml_text, write_atomic
from benchwright.run.journal import Journal
from benchwright.run.records import FORMAT, Artifact, Attempt, Key, RunSpec, ScoreRow, Spend
from benchwright.run.tables import find_scores, read_score_table, write_attempt_table, write_score_table
from benchwright.run.transcripts import Transcripts
from benchwright.score import Score

_SPECIFICATION = "run.toml"
_DAMAGED = "damaged"
_SHOWN = 5
"""Names of things that lie where a run folder was wanted, as far as they are told."""
_OURS = frozenset(
    (
        "run.toml",
        "events.jsonl",
        "attempts.parquet",
        "artifacts",
        "logs",
        "transcripts",
        "buffer",
        "parts",
        "scores",
        _DAMAGED,
    )
)
_EVENTS = ("session", "attempt", "usage", "end", "set_aside")
"""What only a run's journal tells."""
_REASON = 300
"""Characters of the reason for which a file was set aside."""


class Artifacts:
    """A folder of files kept by the SHA-256 of their content; equal files are kept once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def keep(self, source: Path) -> Artifact:
        """Copy a regular file in; never follows a link."""
        digest, size = sha256_file(source), source.stat().st_size
        target = self.locate(digest)
        if not target.exists():
            with arriving(target) as partial:
                shutil.copyfile(source, partial, follow_symlinks=False)
        return Artifact(sha256=digest, bytes=size)

    def locate(self, digest: str) -> Path:
        """Where the file with this hash lies."""
        return self.path / digest


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
        recorded = _fitting(path, spec)
        if recorded.nothing:
            path.mkdir(parents=True, exist_ok=True)
            write_atomic(path / _SPECIFICATION, toml_text(spec.to_json()))
            return cls(path, spec)
        if recorded.trouble is None:
            if recorded.spec is not None and recorded.spec.secret_args:  # which an earlier version wrote down
                write_atomic(path / _SPECIFICATION, toml_text(spec.to_json()))
            return cls(path, spec)
        return cls(path, spec, _renew_specification(cls(path, spec), recorded))

    @classmethod
    def refuse(cls, path: Path, spec: RunSpec) -> None:
        """Raise the InputError that `create` would raise; leaves nothing behind."""
        _fitting(path, spec)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open a run folder to read it; where its `run.toml` is damaged, by what the journal says."""
        recorded = _recorded(path)
        if recorded.spec is None:
            hint = "make one with: benchwright run"
            raise recorded.trouble or InputError(f"not a run folder: {path}", found="no run.toml", hint=hint)
        notes = (f"{recorded.trouble.what}: the journal's own record is used",) if recorded.trouble else ()
        return cls(path, recorded.spec, notes)

    def set_aside(self, path: Path, why: str) -> str:
        """Move a file of this folder that cannot be used to `damaged/`; kept, written down, and said in a line."""
        inside = path.relative_to(self.path)
        place = self.path / _DAMAGED / inside.name
        for number in itertools.count(2):
            if not os.path.lexists(place):
                break
            place = place.with_name(f"{inside.name}.{number}")
        place.parent.mkdir(exist_ok=True)
        os.replace(path, place)
        reason = why.partition("\n")[0][:_REASON]
        self.append("set_aside", to=f"{_DAMAGED}/{place.name}", why=reason, restored_from=str(inside))
        return f"{inside} cannot be used and is set aside as {_DAMAGED}/{place.name}: {reason}"

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


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What a folder says of the run in it: its specification, its journal's, and what is wrong with `run.toml`."""

    spec: RunSpec | None
    journal: RunSpec | None
    trouble: InputError | None
    is_run: bool

    @property
    def nothing(self) -> bool:
        """Whether no run was ever started here."""
        return self.spec is None and self.trouble is None and not self.is_run


def _recorded(path: Path) -> _Recorded:
    events = path / "events.jsonl"
    is_run = events.is_file() or (path / "logs").is_dir()
    said = Journal(events).spec() if events.is_file() else None
    if not (path / _SPECIFICATION).is_file():
        missing = InputError(f"{path} holds a run without its {_SPECIFICATION}") if is_run else None
        return _Recorded(said, said, missing, is_run)
    try:
        values = read_toml(path / _SPECIFICATION)
    except InputError as error:
        return _Recorded(said, said, error, is_run)
    try:
        return _Recorded(_specification(path, values), said, None, is_run)
    except InputError as error:
        if said is None:  # as likely of another version as damaged
            raise
        return _Recorded(said, said, error, is_run)


def _fitting(path: Path, spec: RunSpec) -> _Recorded:
    """What a folder says of the run in it, where this specification can be run there.

    Errors: InputError where it holds another run or other things, or no folder can be made there.
    """
    recorded = _recorded(path)
    if recorded.nothing:
        _require_room_for_a_run(path)
        return recorded
    if recorded.spec is None and not recorded.is_run:
        raise recorded.trouble or InputError(f"not a run folder: {path}")
    if recorded.spec is None and (foreign := sorted(_foreign(path))):
        raise _other_things(path, foreign)
    changed = recorded.spec.differences(spec) if recorded.spec else ()
    if changed and recorded.journal and not recorded.journal.differences(spec):
        return replace(recorded, trouble=InputError("it differs from what the journal says was run"))
    if changed:
        raise InputError(
            f"the run in {path} was started with another specification",
            found="\n    ".join(changed),
            expected="the same settings, to resume it",
            hint="give another --out to start a new run",
        )
    return recorded


def _require_room_for_a_run(path: Path) -> None:
    """That a new folder can be made and written here, which only making it shows, or an empty one written."""
    made = [folder for folder in (path, *path.parents) if not os.path.lexists(folder)]
    try:
        path.mkdir(parents=True, exist_ok=True)
        there = sorted(name for name in os.listdir(path) if not name.startswith("."))
        if not there:
            tempfile.TemporaryFile(dir=path).close()
    except OSError as error:
        raise InputError(
            f"no run folder can be made at {path}",
            found=error.strerror or str(error),
            expected="a new folder",
            hint="give another --out",
        ) from error
    finally:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
    if there:  # hidden files are what a run that was killed at its first breath has left, or a file manager
        raise _other_things(path, there)


def _foreign(path: Path) -> Iterator[str]:
    """What lies in a folder and is of no run, where neither `run.toml` nor the journal says that there is one."""
    logs, journal = path / "logs", path / "events.jsonl"
    yield from (name for name in os.listdir(path) if not name.startswith(".") and name not in _OURS)
    told = [name for name in os.listdir(logs) if not name.startswith(".")] if logs.is_dir() else []
    yield from (f"logs/{name}" for name in told if not name.endswith((".eval", ".json")))
    logged = any(name.endswith(".eval") for name in told)
    if journal.is_file() and journal.stat().st_size and not logged and not any(Journal(journal).events(*_EVENTS)):
        yield journal.name


def _other_things(path: Path, there: Sequence[str]) -> InputError:
    return InputError(
        f"{path} holds other things, and no run",
        found=", ".join(there[:_SHOWN]) + (f" and {len(there) - _SHOWN} more" if there[_SHOWN:] else ""),
        expected="a new or empty folder, or that of the run to go on with",
        hint="give another --out",
    )


def _renew_specification(folder: RunFolder, recorded: _Recorded) -> tuple[str, ...]:
    """Write `run.toml` anew; what lay there is kept."""
    place, notes = folder.path / _SPECIFICATION, []
    unsure = "" if recorded.spec else "; whether it is the same run as before could not be checked"
    if place.exists() and recorded.trouble is not None:
        notes = [folder.set_aside(place, recorded.trouble.text())]
    write_atomic(place, toml_text(folder.spec.to_json()))
    return (*notes, f"{_SPECIFICATION} is written anew{unsure}")


def _specification(path: Path, values: dict[str, Any]) -> RunSpec:
    if values.get("format", FORMAT) != FORMAT:
        raise InputError(f"{path}: unknown run format", found=str(values["format"]), expected=str(FORMAT))
    return RunSpec.from_json(values, str(path / _SPECIFICATION))
