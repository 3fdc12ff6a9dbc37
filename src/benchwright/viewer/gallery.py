"""All runs that a viewer shows: their attempts in one table, their progress, and the pages of single attempts."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from benchwright.closing import Closing
from benchwright.errors import BenchwrightError, InputError
from benchwright.publishing.pages import AttemptPage, AttemptPages
from benchwright.publishing.pages.words import line
from benchwright.run import Key, RunFolder, unlike
from benchwright.suite import Suite
from benchwright.viewer.query import Found, Query, find
from benchwright.viewer.watching import Seen, Watched

if TYPE_CHECKING:
    import polars as pl

_QUIET = 900.0
"""Seconds without a word after which a run that did not end may have died."""
_PULSE = 2.0
"""Seconds between two looks for failures to explain."""


@dataclass(frozen=True, slots=True)
class CellProgress:
    """How far one way to run a suite has come; None: not known yet. `sound` is the mean over judged attempts."""

    title: str
    done: int
    planned: int | None
    right: int
    judged: int
    sound: float | None
    broke: int
    cost_usd: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run has come; `state` is `going on`, `quiet`, `stopped` (with the reason in `why`) or `done`.

    `heard` is when something was last written down, `left` the seconds that the rest will take at the pace so far.
    """

    name: str
    suite: str
    state: str
    why: str
    done: int
    planned: int | None
    heard: float
    left: float | None
    scored: bool
    explaining: bool
    cells: tuple[CellProgress, ...]


class Gallery(Closing):
    """The runs by name. Any thread may ask; what takes long is done once, and by one at a time."""

    def __init__(self, watched: Sequence[Watched], *, with_gold: bool = False) -> None:
        self.runs: Mapping[str, Watched] = {each.name: each for each in watched}
        self._pages = {each.name: AttemptPages(each.run, each.suite, with_gold=with_gold) for each in watched}
        self._page_locks = {name: threading.Lock() for name in self.runs}
        self._lock = threading.Lock()
        self._joined: tuple[str, pl.DataFrame] | None = None
        self._ended = threading.Event()
        self._explaining = threading.Thread(target=self._explain, name="explaining", daemon=True)

    @classmethod
    def open(cls, paths: Sequence[Path], *, with_gold: bool = False) -> Gallery:
        """The runs in these folders; runs of one name are told apart by a number.

        Errors: InputError for what is no run folder, and for gold that is asked for and is not here.
        """
        watched: dict[str, Watched] = {}
        for path in paths:
            run = RunFolder.open(path)
            name = unlike(line(path.absolute().name) or "run", watched, "-")
            watched[name] = Watched(name, run, _suite_of(run), with_gold=with_gold)
            suite = watched[name].suite
            if with_gold and (suite is None or not suite.has_gold):
                raise InputError(
                    f"--with-gold: the gold of the run in {path} is not here",
                    found=f"no suite with gold and the run's questions at {run.spec.suite_folder}",
                    expected="the suite folder that the run was made on",
                )
        return cls(list(watched.values()), with_gold=with_gold)

    def version(self) -> str:
        """What changes whenever anything that is shown does."""
        seen = [each.look() for each in self.runs.values()]
        return "-".join(each.version + ("q" if _is_quiet(each) else "") for each in seen)

    def rows(self) -> pl.DataFrame:
        """The finished attempts of all runs, with `run` and a number, `row`, by which each is found."""
        import polars as pl

        version = self.version()
        with self._lock:
            if self._joined is None or self._joined[0] != version:
                parts = [each.look().rows.with_columns(pl.lit(name).alias("run")) for name, each in self.runs.items()]
                self._joined = version, pl.concat(parts, how="vertical_relaxed").with_row_index("row")
            return self._joined[1]

    def find(self, query: Query) -> Found:
        """One page of the attempts that a query asks for."""
        return find(self.rows(), query)

    def choices(self) -> dict[str, list[str]]:
        """What may be chosen in each filter."""
        rows = self.rows()
        columns = {"run": "run", "agent": "title", "ending": "ending", "failure": "failure"}
        return {name: rows[column].drop_nulls().unique().sort().to_list() for name, column in columns.items()}

    def progress(self) -> list[RunProgress]:
        """How far each run has come."""
        return [_progress(each, each.look()) for each in self.runs.values()]

    def page(self, run: str, key: Key) -> AttemptPage:
        """The page of an attempt. Errors: InputError where there is none."""
        watched = self.watched(run)
        attempt = watched.attempt(key)
        with self._page_locks[run]:
            return self._pages[run].page(key, attempt, watched.failure(key))

    def watched(self, run: str) -> Watched:
        """A run by its name. Errors: InputError where there is none."""
        if run not in self.runs:
            raise InputError(f"no run {run!r} is shown here")
        return self.runs[run]

    def on_task(self, run: str, task_id: str) -> list[dict[str, Any]]:
        """Every attempt at a task of a run's suite, of all runs over the same questions, agent by agent."""
        import polars as pl

        digest = self.watched(run).run.spec.suite_digest
        names = [name for name, each in self.runs.items() if each.run.spec.suite_digest == digest]
        rows = self.rows().filter(pl.col("task_id") == task_id, pl.col("run").is_in(names))
        return rows.sort("title", "run", "epoch").to_dicts()

    def start(self) -> None:
        """Begin to explain failures beside all else."""
        self._explaining.start()

    def close(self) -> None:
        """End what goes on beside, and the processes that open files. Idempotent."""
        self._ended.set()
        if self._explaining.is_alive():
            self._explaining.join(timeout=60.0)
        for name, pages in self._pages.items():
            with self._page_locks[name]:
                pages.close()

    def _explain(self) -> None:
        while not self._ended.wait(_PULSE):
            for watched in self.runs.values():
                with suppress(BenchwrightError, OSError):
                    watched.explain()

    def __enter__(self) -> Self:
        self.start()
        return self


def _suite_of(run: RunFolder) -> Suite | None:
    """The suite of a run, where it is here and asks what it asked then."""
    try:
        suite = Suite.open(Path(run.spec.suite_folder))
    except InputError:
        return None
    return suite if suite.digest == run.spec.suite_digest else None


def _progress(watched: Watched, seen: Seen) -> RunProgress:
    done = seen.rows.height
    cells = tuple(_cells(watched, seen))
    state, why = _state(seen, done)
    return RunProgress(
        name=watched.name,
        suite=watched.run.spec.suite,
        state=state,
        why=why,
        done=done,
        planned=seen.planned,
        heard=seen.heard,
        left=seen.left if state == "going on" else None,
        scored=seen.scored,
        explaining=seen.explaining,
        cells=cells,
    )


def _is_quiet(seen: Seen) -> bool:
    """Whether a run that did not end has not said anything for long."""
    return seen.going_on and time.time() - seen.heard > _QUIET


def _state(seen: Seen, done: int) -> tuple[str, str]:
    if seen.going_on:
        why = "it may have been killed: run the same command again to go on"
        return ("quiet", why) if _is_quiet(seen) else ("going on", "")
    if seen.stopped:
        return "stopped", seen.stopped
    if seen.planned is not None and done < seen.planned:
        return "stopped", "run the same command again to go on"
    return "done", ""


def _cells(watched: Watched, seen: Seen) -> Iterator[CellProgress]:
    import polars as pl

    grouped = seen.rows.group_by("cell").agg(
        pl.len().alias("done"),
        (pl.col("sound") == 1).sum().alias("right"),
        pl.col("sound").count().alias("judged"),
        pl.col("ending").str.starts_with("broke").sum().alias("broke"),
        pl.when(pl.col("cost_usd").null_count() == 0).then(pl.col("cost_usd").sum()).alias("cost_usd"),
        pl.col("seconds").median(),
    )
    found = {row.pop("cell"): row for row in grouped.to_dicts()}
    nothing = {"done": 0, "right": 0, "judged": 0, "broke": 0, "cost_usd": None, "seconds": None}
    count = len(watched.run.spec.cells)
    for cell, title in watched.named.titles.items():
        planned = None if seen.planned is None else seen.planned // count
        yield CellProgress(title=title, planned=planned, sound=seen.means.get(cell), **found.get(cell, nothing))
