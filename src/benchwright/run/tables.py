"""Attempts and scores as Parquet tables: what is often asked for as columns, the rest as JSON text."""

from __future__ import annotations

import hashlib
import io
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import InputError
from benchwright.files import canonical_json, write_atomic
from benchwright.run.records import Attempt, Cell, Key, ScoreRow

if TYPE_CHECKING:
    import polars as pl

_COUNTS = (
    *("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens"),
    *("uncounted_calls", "steps", "successful_steps"),
)
_STEPS = ("steps", "successful_steps")
_MONEY_AND_TIME = ("cost_usd", "wall_seconds", "working_seconds")
_PLAIN = (
    *("cell", "task_id", "epoch", "uuid", "answer", *_STEPS),
    *("started", "error", "wall_seconds", "working_seconds"),
)
"""What stands in the table as in the attempt."""

_BATCH = 1000
"""Rows that are held as values at once; of a table that is all."""

_AS_JSON = ("files", "logs", "accesses", "isolation")

_DIGEST = "rows_sha256"
"""The metadata by which a table of attempts is known to be what was written."""

_ATTEMPT_COLUMNS = {
    **dict.fromkeys(("cell", "agent", "preset", "model", "variant", "generation", "task_id"), "String"),
    "epoch": "Int64",
    **dict.fromkeys(("uuid", "ending", "which", "detail", "answer"), "String"),
    **dict.fromkeys(_COUNTS, "Int64"),
    **dict.fromkeys(_MONEY_AND_TIME, "Float64"),
    **dict.fromkeys(("started", "model_served", "error", *_AS_JSON), "String"),
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
        **{name: canonical_json(plain[name]) for name in _AS_JSON},
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
    by_id, digest = {cell.id: cell for cell in cells}, _Digest()
    rows = (_attempt_row(attempt, by_id.get(attempt.cell)) for attempt in attempts)
    table = _table(_ATTEMPT_COLUMNS, map(digest.taken, rows))
    _write_parquet(path, table, {_DIGEST: digest.hex()})


def read_attempt_table(path: Path) -> tuple[Attempt, ...]:
    """The attempts of a table, where it is exactly what was written. Errors: InputError says what is wrong with it."""
    import polars as pl

    try:
        rows, stamp = pl.read_parquet(path, glob=False).to_dicts(), pl.read_parquet_metadata(path)
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError(f"cannot read {path}", found=str(error).partition("\n")[0]) from error
    whole = all(row.keys() == _ATTEMPT_COLUMNS.keys() for row in rows)
    if not whole or stamp.get(_DIGEST) != _digest(rows):
        raise InputError(f"{path} is not what was written", hint="it is made anew from the journal")
    return tuple(Attempt.from_json(_attempt_values(row), str(path)) for row in rows)


def _digest(rows: Iterable[dict[str, Any]]) -> str:
    digest = _Digest()
    for row in rows:
        digest.taken(row)
    return digest.hex()


class _Digest:
    """SHA-256 over the values alone, row by row: the same for the same attempts, whatever wrote the file."""

    def __init__(self) -> None:
        self._sum, self._between = hashlib.sha256(b"["), b""

    def taken(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row, which counts now."""
        floats = {name: float(row[name]) for name in _MONEY_AND_TIME if row[name] is not None}
        self._sum.update(self._between + canonical_json({**row, **floats}).encode())
        self._between = b","
        return row

    def hex(self) -> str:
        """Over all rows so far, as over a JSON list of them."""
        whole = self._sum.copy()
        whole.update(b"]")
        return whole.hexdigest()


def _attempt_values(row: dict[str, Any]) -> dict[str, Any]:
    """A row as the attempt's own fields."""
    usage = {name: row[name] for name in (*_COUNTS, "cost_usd") if name not in _STEPS}
    named = {"limit": "which", "broke": "fault"}.get(row["ending"])
    ending = {"kind": row["ending"]} | ({named: row["which"]} if named else {})
    return {
        **{name: row[name] for name in _PLAIN},
        **{name: json.loads(row[name]) for name in _AS_JSON},
        "ending": ending | ({"detail": row["detail"]} if row["detail"] else {}),
        "usage": usage,
        "model": row["model_served"],
    }


def write_score_table(path: Path, rows: Iterable[ScoreRow], stamp: Mapping[str, str]) -> None:
    """One row a verdict, sorted, so that equal scores make equal tables; the stamp is the file's metadata."""
    table = _table(_SCORE_COLUMNS, map(_score_row, rows))
    _write_parquet(path, table.sort("cell", "task_id", "epoch", "name"), stamp)


def read_score_table(path: Path) -> tuple[tuple[ScoreRow, ...], dict[str, str]]:
    """The rows of a table of scores, and its stamp. Errors: InputError for what is no such table."""
    import polars as pl

    with _told(path):
        found, stamp = scan_scores(path).collect(), pl.read_parquet_metadata(path)
    rows = tuple(ScoreRow.from_json(_without_columns(row), str(path)) for row in found.to_dicts())
    return rows, {key: value for key, value in stamp.items() if not key.startswith("ARROW:")}


def scan_scores(path: Path) -> pl.LazyFrame:
    """A table of scores, lazily. Errors: InputError for what is no such table."""
    import polars as pl

    with _told(path):
        table = pl.scan_parquet(path, glob=False)
        found = dict(table.collect_schema())
        if found != (expected := {name: getattr(pl, kind) for name, kind in _SCORE_COLUMNS.items()}):
            raise InputError(
                f"{path} is no table of scores",
                found=", ".join(found),
                expected=", ".join(expected),
                hint="benchwright score SUITE RUN makes it anew",
            )
        return table


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What cannot be read is the file's fault, and said so."""
    import polars as pl

    try:
        yield
    except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        hint = "benchwright score SUITE RUN makes it anew"
        raise InputError(f"cannot read {path}", found=str(error).partition("\n")[0], hint=hint) from error


def find_attempt(path: Path, key: Key) -> Attempt | None:
    """One attempt of a table, without reading the others; None where it is not there."""
    rows = _rows_of(path, key)
    return Attempt.from_json(_attempt_values(rows[0]), str(path)) if rows else None


def find_scores(path: Path, key: Key) -> tuple[ScoreRow, ...]:
    """The verdicts on one attempt of a table of scores. Errors: InputError for what is no such table."""
    scan_scores(path)
    with _told(path):
        rows = _rows_of(path, key)
    return tuple(ScoreRow.from_json(_without_columns(row), str(path)) for row in rows)


def _rows_of(path: Path, key: Key) -> list[dict[str, Any]]:
    import polars as pl

    is_it = [pl.col(name) == value for name, value in key._asdict().items()]
    return pl.scan_parquet(path, glob=False).filter(*is_it).collect().to_dicts()


def _table(columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """The rows, taken as they come, so that a table alone holds them all."""
    import polars as pl

    schema, rows = {name: getattr(pl, kind) for name, kind in columns.items()}, iter(rows)
    parts = iter(lambda: list(itertools.islice(rows, _BATCH)), [])
    return pl.concat([pl.DataFrame(schema=schema), *(pl.DataFrame(part, schema=schema) for part in parts)])


def _write_parquet(path: Path, table: pl.DataFrame, metadata: Mapping[str, str]) -> None:
    whole = io.BytesIO()
    table.write_parquet(whole, compression="zstd", metadata=dict(metadata))
    write_atomic(path, whole.getvalue())
