"""Attempts and scores as Parquet tables: what is often asked for as columns, the rest as JSON text."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchwright.files import canonical_json
from benchwright.run.records import Attempt, Cell, ScoreRow

_ATTEMPT_COLUMNS = {
    **dict.fromkeys(("cell", "agent", "preset", "model", "variant", "generation", "task_id"), "String"),
    "epoch": "Int64",
    **dict.fromkeys(("uuid", "ending", "which", "detail", "answer"), "String"),
    **dict.fromkeys(("input_tokens", "output_tokens", "cache_read_tokens", "steps"), "Int64"),
    **dict.fromkeys(("cost_usd", "wall_seconds", "working_seconds"), "Float64"),
    **dict.fromkeys(("started", "model_served", "error", "files", "accesses", "isolation"), "String"),
}
_SCORE_COLUMNS = {
    **dict.fromkeys(("cell", "task_id"), "String"),
    "epoch": "Int64",
    "name": "String",
    "value": "Float64",
    **dict.fromkeys(("reason", "score"), "String"),
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


def write_attempt_table(path: Path, attempts: Iterable[Attempt], cells: Iterable[Cell]) -> None:
    """One row an attempt, with its cell's parts as columns."""
    by_id = {cell.id: cell for cell in cells}
    rows = [_attempt_row(attempt, by_id.get(attempt.cell)) for attempt in attempts]
    _write_parquet(path, _ATTEMPT_COLUMNS, rows, {})


def write_score_table(path: Path, rows: Iterable[ScoreRow], stamp: Mapping[str, str]) -> None:
    """One row a verdict, sorted, so that equal scores make equal tables; the stamp is the file's metadata."""
    ordered = sorted(rows, key=lambda row: (row.cell, row.task_id, row.epoch, row.name))
    _write_parquet(path, _SCORE_COLUMNS, [_score_row(row) for row in ordered], stamp)


def read_score_table(path: Path) -> tuple[tuple[ScoreRow, ...], dict[str, str]]:
    """The rows of a table of scores, and its stamp."""
    import polars as pl

    stamp = pl.read_parquet_metadata(path)
    rows = tuple(ScoreRow.from_json(_without_columns(row), str(path)) for row in pl.read_parquet(path).to_dicts())
    return rows, {key: value for key, value in stamp.items() if not key.startswith("ARROW:")}


def _write_parquet(
    path: Path, columns: Mapping[str, str], rows: list[dict[str, Any]], metadata: Mapping[str, str]
) -> None:
    import polars as pl

    schema = {name: getattr(pl, kind) for name, kind in columns.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    pl.DataFrame(rows, schema=schema).write_parquet(partial, compression="zstd", metadata=dict(metadata))
    os.replace(partial, path)
