"""The tables that DSBC runs are told in: by temperature, by setup, raw against clean wordings, causes, questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchwright.analysis.dsbc import OUTCOMES, tables
from benchwright.analysis.dsbc.frame import attempts_frame
from benchwright.analysis.dsbc.pairing import raw_against_clean
from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Column, Pivot, Row, Table

if TYPE_CHECKING:
    import polars as pl

_SETUP = (Column("model", "model"), Column("approach", "approach"), Column("variant", "wording"))
_ACCURACY = Column("accuracy", "accuracy", "share", "low", "high")


def is_dsbc(source: Source) -> bool:
    """Whether the suite is judged by DSBC's published rule, and no cell is in two runs: its tables cannot tell them."""
    cells = [side.cell.id for side in source.overview.sides.values()]
    return source.overview.suite.info.reference == "dsbc" and len(set(cells)) == len(cells)


def attempts(source: Source) -> pl.DataFrame:
    """What became of every planned attempt, with the columns of `benchwright.analysis.dsbc.frame.SCHEMA`."""
    return attempts_frame(source.runs, source.overview.suite, source.mode)


def dsbc(source: Source) -> Iterator[Table]:
    """All tables that have rows."""
    frame = attempts(source)
    names = {side.cell.id: source.names[str(side.run.path)] for side in source.overview.sides.values()}
    made = (_setups(frame), _temperatures(frame, names), _wordings(frame), _outcomes(frame), _questions(frame))
    yield from (table for table in made if table.rows)


def _setups(frame: pl.DataFrame) -> Table:
    rows = [
        {
            **_shown(each),
            "sd": each["sd"],
            "highest": each["highest"]["accuracy"],
            "highest_at": _degrees(each["highest"]["temperature"]),
            "lowest": each["lowest"]["accuracy"],
            "lowest_at": _degrees(each["lowest"]["temperature"]),
        }
        for each in tables.by_setup(frame)
    ]
    return Table(
        "dsbc_setups",
        "By setup",
        (
            *_SETUP,
            Column("n", "attempts", "count"),
            Column("right", "right", "count"),
            _ACCURACY,
            Column("sd", "standard deviation", "share", about="over temperatures, with their number as denominator"),
            Column("highest", "highest", "share"),
            Column("highest_at", "at temperature"),
            Column("lowest", "lowest", "share"),
            Column("lowest_at", "at temperature "),
        ),
        tuple(rows),
        note="The paper's Table 7: a model, approach and wording over all temperatures. Intervals take a question's "
        "attempts together.",
        query="dsbc_setups",
    )


def _temperatures(frame: pl.DataFrame, names: dict[str, str]) -> Table:
    rows = [
        {**_shown(each), "run": names[each["cell"]], "cell": each["cell"], "temperature": _degrees(each["temperature"])}
        for each in tables.by(frame, *tables.SETUP, "temperature", "cell")
    ]
    return Table(
        "dsbc_temperatures",
        "By temperature",
        (
            *_SETUP,
            Column("temperature", "temperature"),
            Column("n", "attempts", "count"),
            Column("right", "right", "count"),
            _ACCURACY,
        ),
        tuple(rows),
        note="A dash: the provider's own temperature.",
        hidden=("run", "cell"),
        query="dsbc_temperatures",
    )


def _wordings(frame: pl.DataFrame) -> Table:
    rows = [
        {**each, "low": each["ci95"][0], "high": each["ci95"][1], "p": each["p_clustered"]}
        for each in raw_against_clean(frame)
    ]
    return Table(
        "dsbc_wordings",
        "Raw against clean wordings",
        (
            *_SETUP[:2],
            Column("pairs", "pairs", "count"),
            Column("only_raw", "only raw right", "count"),
            Column("only_clean", "only clean right", "count"),
            Column("difference", "raw minus clean", "points", "low", "high"),
            Column("p", "p", "p_value", about="signs flipped by whole questions"),
            Column("p_mcnemar", "McNemar's p", "p_value", about="exact, pairs taken as independent"),
        ),
        tuple(rows),
        note="The same question at the same temperature in both wordings.",
        query="dsbc_wordings",
    )


def _outcomes(frame: pl.DataFrame) -> Table:
    rows = [
        {"approach": each["approach"], "outcome": outcome, "attempts": each["counts"][outcome]}
        for each in tables.causes(frame, "approach")
        for outcome in OUTCOMES
    ]
    return Table(
        "dsbc_outcomes",
        "What became of attempts",
        (Column("approach", "approach"), Column("outcome", "outcome"), Column("attempts", "attempts", "count")),
        tuple(rows),
        note="The paper's causes are incorrect, code, data and format; the others are ours.",
        pivot=Pivot("outcome", "approach"),
        query="dsbc_outcomes",
    )


def _questions(frame: pl.DataFrame) -> Table:
    return Table(
        "dsbc_questions",
        "By question, hardest first",
        (
            Column("task_id", "question"),
            Column("dataset", "data"),
            Column("n", "attempts", "count"),
            Column("right", "right", "count"),
            Column("rate", "share", "share"),
        ),
        tuple(tables.by_question(frame)["rates"]),
        query="dsbc_questions",
    )


def _shown(each: Row) -> dict[str, Any]:
    setup = {name: each[name] or "" for name in tables.SETUP}
    low, high = _ends(each["ci95"])
    return {**setup, "n": each["n"], "right": each["right"], "accuracy": each["accuracy"], "low": low, "high": high}


def _ends(interval: Sequence[float] | None) -> tuple[float | None, float | None]:
    return (interval[0], interval[1]) if interval else (None, None)


def _degrees(temperature: float | None) -> str:
    return "" if temperature is None else f"{temperature:g}"
