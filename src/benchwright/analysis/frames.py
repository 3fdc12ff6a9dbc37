"""Run folders as tidy tables: attempts, scores, steps, calls, files read and skills, one row a thing, as Parquet.

Every table has `run`, `cell`, `task_id` and `epoch`, by which they join. Attempts, scores and files read are scanned
from the run folders' own Parquet files, lazily: nothing is in memory until it is asked for. Steps and calls come from
transcripts, a batch of attempts at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.analysis.discovery import Search
from benchwright.analysis.discovery.tables import (
    READ_COLUMNS,
    REQUIRED_COLUMNS,
    SEARCH_COLUMNS,
    read_rows,
    required_rows,
    search_rows,
    searches,
)
from benchwright.analysis.failures.columns import FAILURE_COLUMNS, failure_rows
from benchwright.analysis.grouping import GROUPS
from benchwright.errors import InputError
from benchwright.files import arriving, require_place
from benchwright.run import Attempt, RunFolder, each_once, unlike
from benchwright.run.tables import scan_scores
from benchwright.suite import Suite
from benchwright.trajectory import Call, Step, Usage

if TYPE_CHECKING:
    import polars as pl

TABLES = (
    *("attempts", "scores", "steps", "calls", "accesses", "skills", "labels"),
    *("failures", "required", "search", "reads"),
)
_BATCH = 2_000
"""Attempts whose transcripts are held in memory at a time."""

_KEY = {"run": "String", "cell": "String", "task_id": "String", "epoch": "Int64"}
_CLASSES = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
_STEPS = {
    **_KEY,
    "step": "Int64",
    "calls": "Int64",
    "succeeded": "Boolean",
    **dict.fromkeys(_CLASSES, "Int64"),
    "cost_usd": "Float64",
    "uncounted_calls": "Int64",
    "model": "String",
    "started": "Float64",
    **dict.fromkeys(("thought_characters", "text_characters"), "Int64"),
}
_CALLS = {
    **_KEY,
    "step": "Int64",
    "call": "Int64",
    **dict.fromkeys(("id", "tool", "kind", "path", "text"), "String"),
    "output_characters": "Int64",
    "exit_code": "Int64",
    "is_error": "Boolean",
    "truncated": "Boolean",
    "seconds": "Float64",
    "limit": "String",
}
_SKILLS = dict.fromkeys(("suite", "task_id", "skill", "domain", "difficulty", "categories", "category"), "String")
_LABELS = dict.fromkeys(("suite", "task_id", "kind", "name"), "String")
_LONGEST_TEXT = 2_000
"""Characters of a call's text that a table holds; the transcript has all of it."""


@dataclass(frozen=True, slots=True)
class Frames:
    """The tables of some runs. `suites` hold the labels, by the digest that runs name them by.

    `with_gold`: whether the tables may tell which files are required, and what the reference solutions did.
    """

    runs: Mapping[str, RunFolder]
    suites: Sequence[Suite] = field(default_factory=tuple)
    with_gold: bool = False

    @classmethod
    def of(cls, runs: Sequence[Path], suites: Sequence[Suite] = ()) -> Frames:
        """The tables of these run folders; runs of one name are told apart by a number.

        Errors: InputError for what is no run folder, and for one that is named twice.
        """
        each_once(runs)
        named: dict[str, RunFolder] = {}
        for path in runs:
            named[unlike(path.absolute().name, named)] = RunFolder.open(path)
        if not named:
            raise InputError("no run was given", expected="one run folder or more")
        return cls(named, tuple(suites))

    def table(self, name: str) -> pl.LazyFrame:
        """A table by its name. Errors: InputError for a name that is none of `TABLES`."""
        if name not in TABLES:
            raise InputError(f"there is no table {name!r}", expected=f"one of {', '.join(TABLES)}")
        made: pl.LazyFrame = getattr(self, name)()
        return made

    def attempts(self) -> pl.LazyFrame:
        """One row an attempt: ending, answer, tokens by class, dollars, seconds, and how its reads are known."""
        import polars as pl

        found = _together(_attempt_table(name, run) for name, run in self.runs.items())
        kind = pl.col("accesses").str.json_path_match("$.kind").fill_null("not_measured")
        answer = pl.when(pl.col("cell").is_in(self._withheld())).then(None).otherwise(pl.col("answer")).alias("answer")
        told = found.with_columns(kind.alias("reads"), answer)
        return told.drop("files", "logs", "accesses", "isolation", strict=False)

    def scores(self) -> pl.LazyFrame:
        """One row a verdict; `value` is null where there is none, with the reason beside it."""
        import polars as pl

        paths = [
            (name, path) for name, run in self.runs.items() for path in sorted((run.path / "scores").glob("*.parquet"))
        ]
        tables = [scan_scores(path).with_columns(pl.lit(name).alias("run")) for name, path in paths]
        schema = {**_KEY, "name": "String", "value": "Float64", "reason": "String"}
        return _together(tables or [_empty(schema)]).select(*schema)

    def accesses(self) -> pl.LazyFrame:
        """One row a file that was read; `basis` says whether that was measured or estimated, never mixed silently."""
        import polars as pl

        found = _together(_attempt_table(name, run) for name, run in self.runs.items())
        strings = dict.fromkeys(("path", "room", "sha256"), pl.String)
        file = pl.Struct({**strings, "step": pl.Int64, "certain": pl.Boolean, "bytes_read": pl.Int64})
        seen = pl.col("accesses").str.json_decode(pl.Struct({"kind": pl.String, "files": pl.List(file)}))
        return (
            found.filter(~pl.col("cell").is_in(self._withheld()))
            .select(*_KEY, seen.alias("seen"))
            .select(*_KEY, pl.col("seen").struct.field("kind").alias("basis"), pl.col("seen").struct.field("files"))
            .explode("files")
            .filter(pl.col("files").is_not_null())
            .unnest("files")
        )

    def steps(self) -> pl.LazyFrame:
        """One row a turn of the agent, of attempts with a transcript."""
        return self._from_transcripts(_STEPS, _step_rows)

    def calls(self) -> pl.LazyFrame:
        """One row a call: its kind, its text (cut), how it went and how long it took."""
        import polars as pl

        hidden = pl.col("cell").is_in(self._withheld())
        texts = [pl.when(hidden).then(None).otherwise(pl.col(name)).alias(name) for name in ("text", "path")]
        return self._from_transcripts(_CALLS, _call_rows).with_columns(texts)

    def skills(self) -> pl.LazyFrame:
        """One row a skill of a task, by the labels of the suites."""
        return _frame(_SKILLS, [row for suite in self.suites for row in _skill_rows(suite)]).lazy()

    def failures(self) -> pl.LazyFrame:
        """One row a planned attempt and mode of verdict: its class of failure, and by what it was decided."""
        return _frame(FAILURE_COLUMNS, [row for each in self._suited() for row in failure_rows(*each)]).lazy()

    def required(self) -> pl.LazyFrame:
        """One row a required file of an attempt: when it was listed, opened and last used, and what was instead."""
        rows = (row for key, found in self._searches() for row in required_rows(key, found, self.with_gold))
        return _frame(REQUIRED_COLUMNS, list(rows)).lazy()

    def search(self) -> pl.LazyFrame:
        """One row a step of an attempt: files opened so far, those among them that are required, precision, recall."""
        rows = (row for key, found in self._searches() for row in search_rows(key, found))
        return _frame(SEARCH_COLUMNS, list(rows)).lazy()

    def reads(self) -> pl.LazyFrame:
        """One row a file that an attempt opened: required, like a required one, or another."""
        rows = (row for key, found in self._searches() for row in read_rows(key, found, self.with_gold))
        return _frame(READ_COLUMNS, list(rows)).lazy()

    def _withheld(self) -> list[str]:
        """The cells that ran the reference solutions, where the tables may not tell what these are."""
        cells = (cell for run in self.runs.values() for cell in run.spec.cells)
        return [] if self.with_gold else [cell.id for cell in cells if cell.is_reference]

    def _searches(self) -> Iterator[tuple[dict[str, Any], Search]]:
        """Searches of all attempts of which they are known, with their keys."""
        for suite, run, name in self._suited():
            for attempt, found in searches(suite, run):
                yield {**_key(name, attempt), "basis": found.basis}, found

    def _suited(self) -> Iterator[tuple[Suite, RunFolder, str]]:
        """The runs whose suite is here, with their names."""
        suites = {suite.digest: suite for suite in self.suites}
        for name, run in self.runs.items():
            if run.spec.suite_digest in suites:
                yield suites[run.spec.suite_digest], run, name

    def labels(self) -> pl.LazyFrame:
        """One row a label of a task: the groups that accuracy is told by."""
        return _frame(_LABELS, [row for suite in self.suites for row in _label_rows(suite)]).lazy()

    def write(self, folder: Path, tables: Iterable[str] = TABLES) -> dict[str, Path]:
        """Write the tables as Parquet files, each whole or not at all; returns where they are.

        Errors: InputError where the folder holds other things, such as a run.
        """
        named = tuple(tables)
        require_place(folder, f"{named[-1]}.parquet" if named else "")
        folder.mkdir(parents=True, exist_ok=True)
        written = {}
        for name in named:
            written[name] = folder / f"{name}.parquet"
            with arriving(written[name]) as partial:
                self.table(name).sink_parquet(partial, compression="zstd")
        return written

    def _from_transcripts(self, schema: Mapping[str, str], rows: Any) -> pl.LazyFrame:
        made = (
            _frame(schema, [row for attempt in batch for row in rows(name, attempt, run)])
            for name, run in self.runs.items()
            for batch in _batches(run)
        )
        return _together([frame.lazy() for frame in made] or [_empty(schema)])


def _attempt_table(name: str, run: RunFolder) -> pl.LazyFrame:
    """A run's own table of attempts; made from its journal where the run did not get so far."""
    import polars as pl

    if not run.attempts_path.is_file():
        run.write_attempts()
    spec = run.spec
    about = (pl.lit(name).alias("run"), pl.lit(spec.suite).alias("suite"), pl.lit(spec.suite_digest).alias("digest"))
    return pl.scan_parquet(run.attempts_path, glob=False).select(*about, pl.all())


def _together(tables: Iterable[pl.LazyFrame]) -> pl.LazyFrame:
    import polars as pl

    return pl.concat(list(tables), how="diagonal_relaxed")


def _frame(schema: Mapping[str, str], rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(rows, schema={name: getattr(pl, kind) for name, kind in schema.items()})


def _empty(schema: Mapping[str, str]) -> pl.LazyFrame:
    return _frame(schema, []).lazy()


def _batches(run: RunFolder) -> Iterator[list[Attempt]]:
    batch: list[Attempt] = []
    for attempt in run.attempts().values():
        batch.append(attempt)
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _key(name: str, attempt: Attempt) -> dict[str, Any]:
    return {"run": name, "cell": attempt.cell, "task_id": attempt.task_id, "epoch": attempt.epoch}


def _step_rows(name: str, attempt: Attempt, run: RunFolder) -> Iterator[dict[str, Any]]:
    for step in run.transcripts.found(attempt.uuid).steps:
        yield {**_key(name, attempt), **_step_row(step)}


def _step_row(step: Step) -> dict[str, Any]:
    usage = step.usage or Usage()
    told = step.usage is not None
    return {
        "step": step.index,
        "calls": len(step.calls),
        "succeeded": step.succeeded,
        **{kind: getattr(usage, kind) if told else None for kind in _CLASSES},
        "cost_usd": usage.cost_usd,
        "uncounted_calls": usage.uncounted_calls if told else None,
        "model": step.model,
        "started": step.started,
        "thought_characters": len(step.thought),
        "text_characters": len(step.text),
    }


def _call_rows(name: str, attempt: Attempt, run: RunFolder) -> Iterator[dict[str, Any]]:
    for step in run.transcripts.found(attempt.uuid).steps:
        for number, call in enumerate(step.calls, start=1):
            yield {**_key(name, attempt), "step": step.index, "call": number, **_call_row(call)}


def _call_row(call: Call) -> dict[str, Any]:
    timed = call.started is not None and call.ended is not None
    return {
        **call.model_dump(include={"id", "tool", "kind", "path", "exit_code", "is_error", "truncated", "limit"}),
        "text": call.text[:_LONGEST_TEXT],
        "output_characters": len(call.output),
        "seconds": (call.ended or 0.0) - (call.started or 0.0) if timed else None,
    }


def _skill_rows(suite: Suite) -> Iterator[dict[str, Any]]:
    for task_id, labels in suite.labels.items():
        about = {"domain": labels.domain, "difficulty": labels.difficulty, "categories": "; ".join(labels.categories)}
        known = labels.extra.get("skill_categories")
        told = known if isinstance(known, dict) else {}
        for skill in dict.fromkeys(labels.skills):
            category = str(told.get(skill, ""))
            yield {"suite": suite.digest, "task_id": task_id, "skill": skill, "category": category, **about}


def _label_rows(suite: Suite) -> Iterator[dict[str, Any]]:
    for task_id in suite.tasks:
        for kind, rule in GROUPS.items():
            for name in dict.fromkeys(rule(suite.label(task_id))):
                if name:
                    yield {"suite": suite.digest, "task_id": task_id, "kind": kind, "name": name}
