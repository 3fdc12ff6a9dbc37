"""Series: one measure of a table in the order of its days or years."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchwright.generation.templates.base import gaps, load, one
from benchwright.generation.templates.drafting import Answer, Move, Sketch
from benchwright.generation.templates.meanings import orders_a_series
from benchwright.generation.templates.tables import Field, Source

LEAST = 30


@dataclass(frozen=True, slots=True)
class Series:
    """A measure of a table that has one row for each day or year."""

    source: Source
    time: Field
    value: Field

    @property
    def begin(self) -> tuple[Move, ...]:
        """Read the table and put the measure in order: `x`, with its days or years as index."""
        time = self.time
        when = self.source.date_code(time, "df") if time.column.kind != "integer" else f"df[{time.q}]"
        put = f"x = pd.Series(df[{self.value.q}].to_numpy(dtype=float), index=when)"
        return (
            load(self.source),
            Move(
                ("Time Series Handling and Indexing", "Time Series Handling and Preprocessing"),
                "Put the values in order of time, without gaps.",
                f"when = {when}\n{put}.dropna().sort_index()",
                None if time.column.ascending else f"when = {when}\n{put}.dropna()",
            ),
        )

    @property
    def shown(self) -> str:
        """How questions begin."""
        return f"Put {self.value.shown} of {self.source.has_rows} in order of {self.time.shown}"

    @property
    def stamp(self) -> str:
        """How code writes a moment of the index."""
        return "" if self.time.column.kind == "integer" else ":%Y-%m-%d"

    @property
    def form(self) -> str:
        """How guidelines write it."""
        return "year" if self.time.column.kind == "integer" else "date as YYYY-MM-DD"

    @property
    def missing(self) -> str:
        """The sentence about gaps."""
        return gaps((self.value,))


def series_of(source: Source, rng: Random, *, positive: bool = False) -> Series | None:
    """A series of this table, if it has one row for each day or year."""
    times = [
        field
        for field in (*source.dates, *source.years)
        if field.column.distinct == source.rows
        and field.column.distinct_exact
        and not field.column.nulls
        and orders_a_series(field.name)
    ]
    values = [f for f in source.measures if not positive or (f.column.numbers and f.column.numbers.min > 0)]
    values = [field for field in values if field.column.nulls * 5 <= source.rows]
    if not times or not values or source.rows < LEAST:
        return None
    return Series(source, times[0], one(rng, values))


Rest = Callable[[Series, Random], tuple[str, tuple[Move, ...], Answer]]


def over(rest: Rest, *, positive: bool = False) -> Callable[[Source, Random], Sketch | None]:
    """A template's maker from what it asks of a series."""

    def make(source: Source, rng: Random) -> Sketch | None:
        series = series_of(source, rng, positive=positive)
        if series is None:
            return None
        asked, moves, answer = rest(series, rng)
        return Sketch((source,), f"{series.shown}. {asked}{series.missing}", (*series.begin, *moves), answer)

    return make
