"""One run as it lies on disk: its specification, its attempts, its journal, artifacts and scores."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field

from benchwright.errors import InputError
from benchwright.files import (
    Record,
    canonical_json,
    read_toml,
    scan_jsonl,
    sha256,
    sha256_file,
    toml_text,
    write_atomic,
)
from benchwright.score import Score
from benchwright.trajectory import Accesses, Broke, Ending, NotMeasured, Usage

FORMAT = 1
Setting = str | int | float | bool
SandboxChoice = Literal["auto", "namespace", "podman", "docker"]

_MAY_CHANGE = frozenset({"suite_folder", "budget_usd", "budget_minutes", "max_parallel"})
"""What may differ when a run is taken up again: where the suite lies, and how much may be spent how fast."""


class Key(NamedTuple):
    """What an attempt is known by, and nothing else: its cell's id, its task, its epoch (from 1)."""

    cell: str
    task_id: str
    epoch: int


class Cell(Record):
    """One way to run a suite: an agent with its preset, model, wording of the questions and settings.

    `model` is empty for agents without one; `variant` empty for the question as the task states it;
    `generation` holds settings of the model such as temperature.
    """

    agent: str
    preset: str = ""
    model: str = ""
    variant: str = ""
    generation: dict[str, Setting] = Field(default_factory=dict)
    suite_digest: str = ""

    @cached_property
    def id(self) -> str:
        """Twelve hexadecimal digits over everything above; equal cells have equal ids on every machine."""
        return sha256(canonical_json(self.model_dump(mode="json")))[:12]

    @property
    def title(self) -> str:
        """The cell in words, for tables and progress lines."""
        settings = ",".join(f"{name}={value}" for name, value in sorted(self.generation.items()))
        return " ".join(part for part in (self.agent, self.preset, self.model, self.variant, settings) if part)


class RunSpec(Record):
    """Everything that decides what a run does, resolved; `run.toml` holds it.

    `limits` are overrides of every task's limits by name; `prompts` are SHA-256 digests by prompt name;
    `versions` are those of benchwright, inspect_ai and python: another version is another run.
    """

    format: int = FORMAT
    suite: str
    suite_folder: str
    suite_digest: str
    cells: tuple[Cell, ...] = Field(min_length=1)
    model_roles: dict[str, str] = Field(default_factory=dict)
    model_args: dict[str, Setting] = Field(default_factory=dict)
    subset: str = "full"
    ids: tuple[str, ...] = ()
    limit: int | None = Field(None, gt=0)
    epochs: int = Field(1, gt=0)
    seed: int = 0
    limits: dict[str, float] = Field(default_factory=dict)
    sandbox: SandboxChoice = "auto"
    packages: Literal["none", "wheelhouse"] = "none"
    tracing: Literal["auto", "fanotify", "strace", "off"] = "auto"
    budget_usd: float | None = Field(None, gt=0)
    budget_minutes: float | None = Field(None, gt=0)
    max_parallel: int | None = Field(None, gt=0)
    prompts: dict[str, str] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)

    def differences(self, other: RunSpec) -> tuple[str, ...]:
        """One line for each setting that makes the other a different run."""
        mine, theirs = self.model_dump(mode="json"), other.model_dump(mode="json")
        return tuple(
            f"{name}: {json.dumps(mine[name], ensure_ascii=False)} -> {json.dumps(theirs[name], ensure_ascii=False)}"
            for name in mine
            if name not in _MAY_CHANGE and mine[name] != theirs[name]
        )


class Artifact(Record):
    """A file that an attempt handed in, kept in the run folder by its content's hash."""

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int


class Attempt(Record):
    """One attempt from start to end: what scoring and analysis need, without the transcript.

    `started` is UTC in ISO 8601; `wall_seconds` counts all time, `working_seconds` leaves out waiting for
    rate limits and for a free slot. `model` is the model that was served. `error` is the text behind an
    ending `broke`. The transcript lies in `logs/`, under `uuid`.
    """

    cell: str
    task_id: str
    epoch: int = Field(1, gt=0)
    uuid: str = ""
    ending: Ending
    answer: str | None = None
    files: dict[str, Artifact] = Field(default_factory=dict)
    accesses: Accesses = NotMeasured(reason="no tracer ran")
    usage: Usage = Usage()
    steps: int = 0
    started: str = ""
    wall_seconds: float = 0.0
    working_seconds: float = 0.0
    isolation: dict[str, Any] = Field(default_factory=dict)
    model: str = ""
    error: str = ""

    @property
    def key(self) -> Key:
        """What the attempt is known by."""
        return Key(self.cell, self.task_id, self.epoch)

    @property
    def runs_again(self) -> bool:
        """Whether a resumed run tries again: the model or the sandbox broke, which says nothing of the agent."""
        return isinstance(self.ending, Broke) and self.ending.fault in ("model", "sandbox")


class ScoreRow(Record):
    """One verdict on one attempt: `name` is the verdict (e.g. `sound`, `exact`, `discovery`)."""

    cell: str
    task_id: str
    epoch: int
    name: str
    score: Score


@dataclass(frozen=True, slots=True)
class Spend:
    """What a run has used over all its sessions. `unpriced` counts tokens whose price is not known."""

    usd: float = 0.0
    unpriced: int = 0
    tokens: int = 0
    seconds: float = 0.0


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
            path.mkdir(parents=True, exist_ok=True)
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

    def keep(self, source: Path) -> Artifact:
        """Keep a regular file by its content's hash; equal files are kept once."""
        digest, size = sha256_file(source), source.stat().st_size
        target = self.artifact(digest)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_name(f".{digest}.{os.getpid()}")
            shutil.copyfile(source, partial, follow_symlinks=False)
            os.replace(partial, target)
        return Artifact(sha256=digest, bytes=size)

    def artifact(self, digest: str) -> Path:
        """Where the artifact with this hash lies."""
        return self.path / "artifacts" / digest

    def write_attempts(self) -> int:
        """Make `attempts.parquet` from the journal; returns the number of attempts."""
        cells = {cell.id: cell for cell in self.spec.cells}
        rows = [_attempt_row(attempt, cells.get(attempt.cell)) for attempt in self.attempts().values()]
        _write_parquet(self.path / "attempts.parquet", _ATTEMPT_COLUMNS, rows, {})
        return len(rows)

    def write_scores(self, mode: str, rows: Iterable[ScoreRow], stamp: Mapping[str, str]) -> None:
        """Write `scores/<mode>.parquet`; `stamp` (digests of scorers, suite and gold) goes into its metadata."""
        values = [_score_row(row) for row in sorted(rows, key=lambda row: (row.cell, row.task_id, row.epoch, row.name))]
        _write_parquet(self.path / "scores" / f"{mode}.parquet", _SCORE_COLUMNS, values, stamp)

    def read_scores(self, mode: str) -> tuple[tuple[ScoreRow, ...], dict[str, str]]:
        """The rows of `scores/<mode>.parquet` and its stamp."""
        path = self.path / "scores" / f"{mode}.parquet"
        if not path.is_file():
            raise InputError(f"no {mode} scores in {self.path}", hint=f"benchwright score SUITE {self.path}")
        from pyarrow import parquet

        table = parquet.read_table(path)
        stamp = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
        rows = tuple(ScoreRow.from_json(_without_columns(row), str(path)) for row in table.to_pylist())
        return rows, {key: value for key, value in stamp.items() if not key.startswith("ARROW:")}


_ATTEMPT_COLUMNS = {
    **dict.fromkeys(("cell", "agent", "preset", "model", "variant", "generation", "task_id"), "string"),
    "epoch": "int64",
    **dict.fromkeys(("uuid", "ending", "which", "detail", "answer"), "string"),
    **dict.fromkeys(("input_tokens", "output_tokens", "cache_read_tokens", "steps"), "int64"),
    **dict.fromkeys(("cost_usd", "wall_seconds", "working_seconds"), "float64"),
    **dict.fromkeys(("started", "model_served", "error", "files", "accesses", "isolation"), "string"),
}
_SCORE_COLUMNS = {
    **dict.fromkeys(("cell", "task_id"), "string"),
    "epoch": "int64",
    "name": "string",
    "value": "float64",
    **dict.fromkeys(("reason", "score"), "string"),
}


def _attempt_row(attempt: Attempt, cell: Cell | None) -> dict[str, Any]:
    """One row: what is often asked for as columns, the rest as JSON text."""
    plain = attempt.model_dump(mode="json")
    usage, ending = plain.pop("usage"), plain.pop("ending")
    return {
        **{name: plain.get(name, usage.get(name)) for name in _ATTEMPT_COLUMNS},
        **(cell.model_dump(mode="json", include={"agent", "preset", "model", "variant"}) if cell else {"model": ""}),
        "generation": canonical_json(cell.generation) if cell else "{}",
        "ending": ending["kind"],
        "which": ending.get("which") or ending.get("fault") or "",
        "detail": ending.get("detail", ""),
        "model_served": attempt.model,
        **{name: canonical_json(plain[name]) for name in ("files", "accesses", "isolation")},
    }


def _score_row(row: ScoreRow) -> dict[str, Any]:
    value = row.score.value if row.score.kind == "scored" else None
    plain = row.model_dump(mode="json", exclude={"score"})
    return {**plain, "value": value, "reason": row.score.reason, "score": canonical_json(row.score.to_json())}


def _without_columns(row: dict[str, Any]) -> dict[str, Any]:
    plain = {name: row[name] for name in ("cell", "task_id", "epoch", "name")}
    return {**plain, "score": json.loads(row["score"])}


def _write_parquet(
    path: Path, columns: Mapping[str, str], rows: list[dict[str, Any]], metadata: Mapping[str, str]
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([(name, kind) for name, kind in columns.items()], metadata=dict(metadata))
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    parquet.write_table(pa.Table.from_pylist(rows, schema=schema), partial, compression="zstd")
    os.replace(partial, path)
