"""Attempts of a run as one narrow table: what is listed, filtered and sorted, and where each attempt is found whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import InputError
from benchwright.run import Attempt, Cell, Key, RunFolder
from benchwright.run.effort import all_tokens
from benchwright.run.tables import scan_scores

if TYPE_CHECKING:
    import polars as pl

KEY = ("cell", "task_id", "epoch")
VERDICTS = ("sound", "reference", "discovery")
_ANSWER = 160
"""Characters of an answer that are listed and searched."""
_TEXTS = ("cell", "title", "model", "task_id", "ending", "answer", "started")
_SCHEMA = {
    **dict.fromkeys(_TEXTS, "String"),
    **dict.fromkeys(("epoch", "steps", "tokens", "place"), "Int64"),
    **dict.fromkeys(("cost_usd", "seconds"), "Float64"),
}


@dataclass(frozen=True, slots=True)
class Named:
    """The cells' titles by their ids, and those cells whose answers are gold, and are left out."""

    titles: Mapping[str, str]
    withheld: frozenset[str] = frozenset()

    @classmethod
    def of(cls, cells: Iterable[Cell], *, with_gold: bool) -> Named:
        """As they may be shown."""
        every = tuple(cells)
        hidden = frozenset(cell.id for cell in every if cell.is_reference and not with_gold)
        return cls({cell.id: cell.title for cell in every}, hidden)


def rows_of(attempts: Iterable[tuple[int, Attempt]], named: Named) -> pl.DataFrame:
    """The rows of attempts, each with the place of its line in the journal; -1: it is to be looked for in the table."""
    import polars as pl

    schema = {name: getattr(pl, kind) for name, kind in _SCHEMA.items()}
    return pl.DataFrame([_row(place, attempt, named) for place, attempt in attempts], schema=schema)


def _row(place: int, attempt: Attempt, named: Named) -> dict[str, Any]:
    ending = attempt.ending
    which = getattr(ending, "which", "") or getattr(ending, "fault", "")
    return {
        **attempt.key._asdict(),
        "title": named.titles.get(attempt.cell, attempt.cell),
        "model": attempt.model,
        "ending": f"{ending.kind}: {which}" if which else ending.kind,
        "answer": "" if attempt.cell in named.withheld else (attempt.answer or "")[:_ANSWER],
        "steps": attempt.steps,
        "tokens": all_tokens(attempt.usage),
        "cost_usd": attempt.usage.cost_usd,
        "seconds": attempt.wall_seconds,
        "started": attempt.started,
        "place": place,
    }


def rows_in(path: Path, named: Named) -> pl.DataFrame:
    """The rows of a run's own table of attempts; only the columns that are needed are read of it."""
    import polars as pl

    classes = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    which = pl.when(pl.col("which") != "").then(pl.lit(": ") + pl.col("which")).otherwise(pl.lit(""))
    found = pl.scan_parquet(path, glob=False).select(
        *KEY,
        pl.col("cell").replace_strict(dict(named.titles), default=pl.col("cell")).alias("title"),
        pl.col("model_served").alias("model"),
        (pl.col("ending") + which).alias("ending"),
        pl.when(pl.col("cell").is_in(list(named.withheld)))
        .then(pl.lit(""))
        .otherwise(pl.col("answer").fill_null("").str.slice(0, _ANSWER))
        .alias("answer"),
        "steps",
        pl.sum_horizontal(*classes).alias("tokens"),
        "cost_usd",
        pl.col("wall_seconds").alias("seconds"),
        "started",
        pl.lit(-1, pl.Int64).alias("place"),
    )
    return found.select(*_SCHEMA).collect()


def with_verdicts(rows: pl.DataFrame, run: RunFolder) -> pl.DataFrame:
    """The rows with the kept verdicts beside them, null where there is none."""
    import polars as pl

    for name in VERDICTS:
        table = _scores(run, name)
        if table is None:
            rows = rows.with_columns(pl.lit(None, pl.Float64).alias(name))
            continue
        kept = table.filter(pl.col("name").is_in([name, f"{name}.estimated"]))
        values = kept.select(*KEY, pl.col("value").alias(name)).unique(KEY, keep="first").collect()
        rows = rows.join(values, on=KEY, how="left")
    return rows


def _scores(run: RunFolder, name: str) -> pl.LazyFrame | None:
    """The kept verdicts of a mode; None where there are none, or what is there is no table of verdicts."""
    path = run.path / "scores" / f"{name}.parquet"
    try:
        return scan_scores(path) if path.is_file() else None
    except InputError:
        return None


def means_of(run: RunFolder) -> Mapping[str, float]:
    """By cell the sound mean over all planned attempts, as analyses count it: those without a verdict count 0.

    Tasks that the suite itself leaves without a verdict are left out.
    """
    import polars as pl

    table = _scores(run, "sound")
    if table is None:
        return {}
    missing = pl.col("value").is_null()
    told = (
        table.filter(pl.col("name") == "sound")
        .group_by("cell", "task_id")
        .agg(
            pl.col("value").fill_null(0.0).mean(),
            (missing & (pl.col("reason").str.split(":").list.first() == "suite")).all().alias("left"),
        )
        .filter(~pl.col("left"))
        .group_by("cell")
        .agg(pl.col("value").mean())
        .collect()
    )
    return dict(told.iter_rows())


def with_failures(rows: pl.DataFrame, failures: Mapping[Key, str]) -> pl.DataFrame:
    """The rows with the classes of their failures beside them; null where they are not known."""
    import polars as pl

    schema = {"cell": pl.String, "task_id": pl.String, "epoch": pl.Int64, "failure": pl.String}
    found = pl.DataFrame([(*key, name) for key, name in failures.items()], schema=schema, orient="row")
    return rows.join(found, on=KEY, how="left")
