"""Run folders as they are now: each is read again as far as it has grown since it was last looked at."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.analysis.failures import failures, title_of
from benchwright.errors import BenchwrightError, InputError
from benchwright.publishing.pages import FailureNote
from benchwright.run import Attempt, Key, RunFolder
from benchwright.run.journal import Tail, attempt_at, attempt_of
from benchwright.run.tables import find_attempt
from benchwright.suite import Selection, Suite
from benchwright.viewer.rows import KEY, Named, means_of, rows_in, rows_of, with_failures, with_verdicts

if TYPE_CHECKING:
    import polars as pl

_MOST_EXPLAINED = 20_000
"""Attempts of a run whose failures are worked out: each takes the reading of its transcript."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A run as it was at one moment. `rows` are its finished attempts; `version` changes whenever anything does.

    `planned` is None where the suite is not here to say. `heard` is when something was last written down, in seconds
    since the epoch; `left` the seconds that the rest will take at this sitting's pace; `explaining` whether failures
    are still being worked out; `means` are the sound ones by cell, over all planned attempts.
    """

    version: str
    rows: pl.DataFrame
    planned: int | None
    going_on: bool
    stopped: str
    heard: float
    left: float | None
    scored: bool
    explaining: bool
    means: Mapping[str, float]


class Watched:
    """One run folder that is being watched, and its suite where that is here. Any thread may ask."""

    def __init__(self, name: str, run: RunFolder, suite: Suite | None, *, with_gold: bool = False) -> None:
        self.name, self.run, self.suite = name, run, suite
        self.named = Named.of(run.spec.cells, with_gold=with_gold)
        self._lock = threading.Lock()
        self._tail = Tail(run.events_path)
        self._signs: object = None
        self._seen: Seen | None = None
        self._rows: pl.DataFrame | None = None
        self._from_table = False
        self._last: dict[str, Any] = {}
        self._sitting = (0.0, 0)
        """When the present sitting began, and how many attempts there were then."""
        self._failures: Mapping[Key, FailureNote] = {}
        self._explained = ""

    def look(self) -> Seen:
        """The run as it is now; what has not changed is not read again."""
        with self._lock:
            signs = (*_signs(self.run), self._explained)
            if self._seen is None or signs != self._signs:
                self._seen = self._look(signs)
                self._signs = signs
            return self._seen

    def attempt(self, key: Key) -> Attempt:
        """One finished attempt. Errors: InputError where there is none."""
        import polars as pl

        rows = self.look().rows.filter(*[pl.col(name) == value for name, value in key._asdict().items()])
        if rows.height:
            place = int(rows["place"][0])
            found = find_attempt(self.run.attempts_path, key) if place < 0 else attempt_at(self.run.events_path, place)
            if found is not None and found.key == key:
                return found
        raise InputError(f"no finished attempt {key} in {self.name}")

    def failure(self, key: Key) -> FailureNote | None:
        """What is known of an attempt's failure; None: it did not fail, or that is not known yet."""
        return self._failures.get(key)

    def explain(self) -> None:
        """Work out why attempts failed, where they were scored anew since; takes its time."""
        seen = self.look()
        scored = _digest(_signs(self.run)[1:])
        if self.suite is None or not self.suite.has_gold or not seen.scored or scored == self._explained:
            return
        if seen.rows.height > _MOST_EXPLAINED:
            return
        try:
            found = failures(self.suite, self.run, "sound")
        except BenchwrightError:  # scores of another suite, a table that is being written: the next look tells
            found = ()
        notes = ((row, FailureNote(title_of(row.failure), row.evidence, row.step, row.basis)) for row in found)
        told = {row.key: note for row, note in notes if row.failure}
        with self._lock:
            self._failures, self._explained = told, scored

    def _look(self, signs: Sequence[object]) -> Seen:
        self._read()
        assert self._rows is not None
        scored = self.run.has_scores("sound")
        named = {key: note.name for key, note in self._failures.items()}
        rows = with_failures(with_verdicts(self._rows, self.run), named)
        fits = self.suite is not None and self.suite.has_gold and rows.height <= _MOST_EXPLAINED
        return Seen(
            version=_digest(signs),
            rows=rows,
            planned=self._planned(rows.height),
            going_on=self._last.get("event") != "end" and self.run.events_path.is_file() and not self._from_table,
            stopped=str(self._last.get("stopped") or ""),
            heard=float(self._last.get("at") or 0.0),
            left=self._left(rows.height),
            scored=scored,
            means=means_of(self.run) if scored else {},
            explaining=scored and fits and self._explained != _digest(_signs(self.run)[1:]),
        )

    def _read(self) -> None:
        """A finished run by its table, at once; one that grows by what its journal has more than before."""
        import polars as pl

        if self._rows is None and _settled(self.run):
            self._rows, self._from_table = rows_in(self.run.attempts_path, self.named), True
            self._last = {"at": self.run.attempts_path.stat().st_mtime, "event": "end"}
            return
        if self._from_table and _settled(self.run):
            return
        if self._from_table:  # the run was taken up again
            self._rows, self._from_table = None, False
        added: list[tuple[int, Attempt]] = []
        for place, event in self._tail.read() if self.run.events_path.is_file() else ():
            if event["event"] != "set_aside":
                self._last = event
            if event["event"] == "session":
                self._sitting = event["at"], len(added) + (0 if self._rows is None else self._rows.height)
            attempt = attempt_of(event) if event["event"] == "attempt" else None
            if attempt is not None:
                added.append((place, attempt))
        new = rows_of(added, self.named)
        whole = new if self._rows is None else pl.concat([self._rows, new])
        self._rows = whole.unique(KEY, keep="last", maintain_order=True)

    def _left(self, done: int) -> float | None:
        planned, (began, before) = self._planned(done), self._sitting
        if planned is None or done <= before or self._last.get("event") == "end":
            return None
        passed = max(0.0, float(self._last["at"]) - began)
        return passed / (done - before) * max(0, planned - done)

    def _planned(self, done: int) -> int | None:
        if self.suite is None:
            return None if self._last.get("event") != "end" else done
        return self._all

    @cached_property
    def _all(self) -> int:
        """How many attempts the specification asks for."""
        assert self.suite is not None
        spec = self.run.spec
        chosen = self.suite.select(Selection(spec.subset, spec.ids, spec.limit))
        return len(spec.keys(task.id for task in chosen))


def _settled(run: RunFolder) -> bool:
    """Whether the table of attempts holds all that the journal does: it is written after the journal's last line."""
    try:
        return run.attempts_path.stat().st_mtime_ns >= run.events_path.stat().st_mtime_ns
    except OSError:
        return run.attempts_path.is_file() and not run.events_path.is_file()


def _signs(run: RunFolder) -> tuple[object, ...]:
    """What changes when the run does: sizes and times of its journal, and of its scores."""
    paths = (run.events_path, *sorted((run.path / "scores").glob("*.parquet")))
    return tuple(_sign(path) for path in paths)


def _sign(path: Path) -> tuple[str, int, int]:
    try:
        about = path.stat()
    except OSError:
        return path.name, -1, -1
    return path.name, about.st_size, about.st_mtime_ns


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]
