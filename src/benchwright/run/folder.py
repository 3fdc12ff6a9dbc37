"""A run folder: its journal is the truth about which attempts are done; tables are made from it."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.files import canonical_json, read_toml, scan_jsonl, sha256_file, toml_text, write_atomic
from benchwright.run.records import FORMAT, Artifact, Attempt, Key, RunSpec, ScoreRow, Spend
from benchwright.run.tables import read_score_table, write_attempt_table, write_score_table


class Artifacts:
    """A folder of files kept by the SHA-256 of their content; equal files are kept once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def keep(self, source: Path) -> Artifact:
        """Copy a regular file in; never follows a link."""
        digest, size = sha256_file(source), source.stat().st_size
        target = self.locate(digest)
        if not target.exists():
            self.path.mkdir(parents=True, exist_ok=True)
            partial = target.with_name(f".{digest}.{os.getpid()}")
            shutil.copyfile(source, partial, follow_symlinks=False)
            os.replace(partial, target)
        return Artifact(sha256=digest, bytes=size)

    def locate(self, digest: str) -> Path:
        """Where the file with this hash lies."""
        return self.path / digest


class RunFolder:
    """A run folder. `events.jsonl` is its journal, append-only, and the truth about which attempts are done.

    Every finished attempt is one line there, flushed to disk before the run goes on; `attempts.parquet` is
    made from it. A line that a crash cut short is passed over.
    """

    def __init__(self, path: Path, spec: RunSpec) -> None:
        self.path = path
        self.spec = spec

    @classmethod
    def create(cls, path: Path, spec: RunSpec) -> RunFolder:
        """Make the folder, or take up the run that it holds; a changed specification is refused."""
        if not (path / "run.toml").exists():
            try:
                path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(
                    f"no run folder can be made at {path}", found=error.strerror or str(error), expected="a new folder"
                ) from error
            write_atomic(path / "run.toml", toml_text(spec.to_json()))
            return cls(path, spec)
        recorded = cls.open(path).spec
        if changed := recorded.differences(spec):
            raise InputError(
                f"the run in {path} was started with another specification",
                found="\n    ".join(changed),
                expected="the same settings, to resume it",
                hint="give another --out to start a new run",
            )
        return cls(path, spec)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open a run folder to read it."""
        if not (path / "run.toml").is_file():
            raise InputError(f"not a run folder: {path}", found="no run.toml", hint="make one with: benchwright run")
        values = read_toml(path / "run.toml")
        if values.get("format", FORMAT) != FORMAT:
            raise InputError(f"{path}: unknown run format", found=str(values["format"]), expected=str(FORMAT))
        return cls(path, RunSpec.from_json(values, str(path / "run.toml")))

    @property
    def logs(self) -> Path:
        """The folder of the transcripts."""
        return self.path / "logs"

    @property
    def events_path(self) -> Path:
        """The journal."""
        return self.path / "events.jsonl"

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
            os.close(handle)

    def append(self, event: str, *, durable: bool = False, **values: Any) -> None:
        """Add one line to the journal in one write; `durable` waits until it is on the disk.

        A line that a crash left without its end is first closed, so that it cannot swallow this one.
        """
        line = canonical_json({"event": event, "at": round(time.time(), 3), **values}) + "\n"
        handle = os.open(self.events_path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            os.write(handle, (("\n" if torn else "") + line).encode("utf-8", errors="replace"))
            if durable:
                os.fsync(handle)
        finally:
            os.close(handle)

    def record(self, attempt: Attempt) -> None:
        """Write down a finished attempt; once this returns no crash can lose it."""
        self.append("attempt", durable=True, attempt=attempt.to_json())

    def events(self, *kinds: str) -> Iterator[dict[str, Any]]:
        """The journal's events in order, of the given kinds or all."""
        if not self.events_path.exists():
            return
        for line in scan_jsonl(self.events_path):
            if not line.error and isinstance(line.value, dict) and (not kinds or line.value.get("event") in kinds):
                yield line.value

    def attempts(self) -> dict[Key, Attempt]:
        """Every finished attempt by its key, each once: a later record of the same key replaces an earlier one."""
        found: dict[Key, Attempt] = {}
        for event in self.events("attempt"):
            attempt = Attempt.from_json(event["attempt"], str(self.events_path))
            found[attempt.key] = attempt
        return found

    def spend(self) -> Spend:
        """What was used so far, attempts that a crash cut off included."""
        usd, unpriced, tokens, seconds = 0.0, 0, 0, 0.0
        opened = 0.0
        for event in self.events():
            if event["event"] == "session":
                opened = event["at"]
            seconds, opened = seconds + max(0.0, event["at"] - opened) if opened else seconds, event["at"]
            if event["event"] == "usage":
                used = event.get("tokens", 0)
                tokens += used
                usd += event.get("usd") or 0.0
                unpriced += used if event.get("usd") is None else 0
        return Spend(usd, unpriced, tokens, seconds)

    @property
    def artifacts(self) -> Artifacts:
        """The files that attempts handed in."""
        return Artifacts(self.path / "artifacts")

    def drop_unnamed_artifacts(self) -> int:
        """Remove files that no finished attempt handed in (attempts that were cut off leave some); returns how many."""
        named = {item.sha256 for attempt in self.attempts().values() for item in attempt.files.values()}
        kept = self.artifacts.path.iterdir() if self.artifacts.path.is_dir() else ()
        unnamed = [path for path in kept if path.name not in named]
        for path in unnamed:
            path.unlink()
        return len(unnamed)

    def write_attempts(self) -> int:
        """Make `attempts.parquet` from the journal; returns the number of attempts."""
        attempts = self.attempts().values()
        write_attempt_table(self.path / "attempts.parquet", attempts, self.spec.cells)
        return len(attempts)

    def write_scores(self, mode: str, rows: Iterable[ScoreRow], stamp: Mapping[str, str]) -> None:
        """Write `scores/<mode>.parquet`; `stamp` (digests of scorers, suite and gold) goes into its metadata."""
        write_score_table(self._scores_path(mode), rows, stamp)

    def read_scores(self, mode: str) -> tuple[tuple[ScoreRow, ...], dict[str, str]]:
        """The rows of `scores/<mode>.parquet` and its stamp."""
        path = self._scores_path(mode)
        if not path.is_file():
            raise InputError(f"no {mode} scores in {self.path}", hint=f"benchwright score SUITE {self.path}")
        return read_score_table(path)

    def _scores_path(self, mode: str) -> Path:
        return self.path / "scores" / f"{mode}.parquet"
