"""Every planned attempt of some runs as one row: its setup, its question's labels, what became of it, what it cost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import Fault, InputError
from benchwright.labels import Labels
from benchwright.run import Attempt, Cell, Key, RunFolder, ScoreRow
from benchwright.score import Scored, unscorable
from benchwright.scoring.runs import require_same_questions
from benchwright.scoring.verdicts import Mode
from benchwright.suite import Selection, Suite
from benchwright.trajectory import Broke, GaveUp, LimitHit

if TYPE_CHECKING:
    import polars as pl

OUTCOMES = ("right", "incorrect", "code", "data", "format", "no answer", "undecided", "harness", "not run")
"""What can become of an attempt. The paper's causes (section 9) are incorrect, code, data and format. `no answer` is an
agent that ended without one; `undecided` has no verdict (a judge is needed, or failed); `harness` broke by the fault of
the model's server, the sandbox, the suite or the scorer, which the paper does not tell apart.
"""

_LIMITS_OF_CODE = frozenset({"step", "wall", "memory", "processes", "disk", "output", "outputs"})
"""Limits that code runs into; turns, tokens and money are the agent's."""

ERROR_CLASSES = ("format", "data", "code")
RECORD = "response.json"
_RECORD_BYTES = 4 << 20

SCHEMA: Mapping[str, str] = {
    **dict.fromkeys(("cell", "model", "approach", "variant"), "String"),
    "temperature": "Float64",
    "task_id": "String",
    "epoch": "Int64",
    "outcome": "String",
    "right": "Boolean",
    "dataset": "String",
    "categories": "List",
    "n_categories": "Int64",
    "cost_usd": "Float64",
    "tokens": "Int64",
    "ignored": "List",
}
"""The columns. `temperature` is null where the provider's own was used, `cost_usd` where no price is known; `tokens`
are input and output of the attempt; `ignored` are settings that the provider was not sent.
"""


def attempts_frame(runs: Sequence[RunFolder], suite: Suite, mode: Mode) -> pl.DataFrame:
    """The rows of all runs. Attempts at a task that the suite leaves without a verdict are left out.

    Raises InputError where a run is of other questions, is not scored, or shares a cell with another run.
    """
    seen: dict[str, Path] = {}
    rows: list[dict[str, Any]] = []
    for run in runs:
        require_same_questions(suite, run)
        for cell in run.spec.cells:
            if cell.id in seen:
                raise InputError("two runs hold the same cell", found=f"{cell.title}: {seen[cell.id]} and {run.path}")
            seen[cell.id] = run.path
        rows += _rows(run, suite, mode)
    return frame_of(rows)


def frame_of(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Rows with the columns of SCHEMA as a table."""
    import polars as pl

    types = {name: pl.List(pl.String) if kind == "List" else getattr(pl, kind) for name, kind in SCHEMA.items()}
    return pl.DataFrame([dict(row) for row in rows], schema=types, orient="row")


def _rows(run: RunFolder, suite: Suite, mode: Mode) -> Iterator[dict[str, Any]]:
    spec = run.spec
    cells = {cell.id: cell for cell in spec.cells}
    chosen = suite.select(Selection(subset=spec.subset, ids=spec.ids, limit=spec.limit))
    attempts = run.attempts()
    scores = {Key(row.cell, row.task_id, row.epoch): row for row in run.read_scores(mode)[0] if row.name == mode}
    for key in spec.keys(task.id for task in chosen):
        score = scores.get(key)
        if score is None or not unscorable(score.score):
            yield _row(run, cells[key.cell], suite.label(key.task_id), attempts.get(key), score) | {"epoch": key.epoch}


def _row(run: RunFolder, cell: Cell, labels: Labels, attempt: Attempt | None, score: ScoreRow | None) -> dict[str, Any]:
    record = _record(run, attempt)
    outcome = outcome_of(attempt, score, record)
    temperature = cell.generation.get("temperature")
    used = attempt.usage if attempt else None
    ignored = record.get("ignored")
    return {
        "cell": cell.id,
        "model": cell.model,
        "approach": " ".join(part for part in (cell.agent, cell.preset) if part),
        "variant": cell.variant,
        "temperature": None if temperature is None else float(temperature),
        "task_id": labels.task_id,
        "outcome": outcome,
        "right": outcome == "right",
        "dataset": labels.dataset,
        "categories": list(labels.categories),
        "n_categories": len(labels.categories),
        "cost_usd": used.cost_usd if used else None,
        "tokens": used.input_tokens + used.output_tokens if used else None,
        "ignored": [str(name) for name in ignored] if isinstance(ignored, list) else None,
    }


def outcome_of(attempt: Attempt | None, score: ScoreRow | None, record: Mapping[str, Any]) -> str:
    """What became of an attempt, one of OUTCOMES. A right answer is right, whatever failed on the way."""
    if attempt is None:
        return "not run"
    if score is not None and isinstance(score.score, Scored) and score.score.value == 1.0:
        return "right"
    ending = attempt.ending
    if isinstance(ending, Broke):
        return "code" if ending.fault is Fault.AGENT else "harness"
    if record.get("error") in ERROR_CLASSES:
        return str(record["error"])
    if isinstance(ending, LimitHit | GaveUp) and not record:
        return "code" if isinstance(ending, LimitHit) and ending.which in _LIMITS_OF_CODE else "no answer"
    return "incorrect" if score is not None and isinstance(score.score, Scored) else "undecided"


def _record(run: RunFolder, attempt: Attempt | None) -> dict[str, Any]:
    """What an approach wrote down of the attempt; empty for agents that write nothing, and for what is no record."""
    if attempt is None or RECORD not in attempt.files:
        return {}
    path = run.artifacts.locate(attempt.files[RECORD].sha256)
    try:
        with path.open("rb") as stream:
            value = json.loads(stream.read(_RECORD_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
