"""Tasks of calendars: weekdays, working days, hours, and how dates are read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one, unrivalled
from benchwright.generation.templates.drafting import Move, Sketch, answer, number, rounded
from benchwright.generation.templates.meanings import orders_a_series
from benchwright.generation.templates.tables import Field, Source

_NUMERIC_FORMS = ("%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%Y")


def parsed(source: Source, field: Field) -> Move:
    """The column's dates. Where day and month can be taken for each other, whoever does not look does so."""
    texts = field.column.text_dates
    form = texts.format if texts else ""
    wrong = None
    if form.startswith(_NUMERIC_FORMS):
        first = not form.startswith(("%d",))
        wrong = (
            f"when = pd.to_datetime(df[{field.q}], dayfirst={first}, format='mixed', errors='coerce')\ndf = "
            "df[when.notna()]\nwhen = when[when.notna()]"
        )
    return Move(
        ("Date and Time Conversion", "Timestamp Conversion and Time Manipulation"),
        "Read the dates.",
        f"when = {source.date_code(field, 'df')}",
        wrong,
    )


def timed(
    source: Source, rng: Random, least_days: float = 60, values: Sequence[Field] | None = None
) -> tuple[Field, Field] | None:
    """A column of dates over some time, and one of these values: a measure."""
    values = source.measures if values is None else values
    dates = [
        field
        for field in source.dates
        if span(field) >= least_days and field.column.distinct >= 20 and orders_a_series(field.name)
    ]
    return (one(rng, dates), one(rng, values)) if dates and values else None


def span(field: Field) -> float:
    """The days from the first date to the last; infinite where they stand as text."""
    dates = field.column.dates
    if dates is None:
        return float("inf")
    try:
        return (datetime.fromisoformat(dates.end[:19]) - datetime.fromisoformat(dates.start[:19])).days
    except ValueError:
        return 0.0


def read(source: Source, date: Field, value: Field) -> tuple[Move, ...]:
    """Read a table, leave gaps of the measure out, and read its dates: how tasks of dates begin."""
    return load(source), *complete((value,)), parsed(source, date)


def _daily(source: Source, rng: Random) -> tuple[Field, Field] | None:
    """Dates whose first ones are of several days of the month, and a measure."""
    found = timed(source, rng)
    if found is None:
        return None
    return found if len({re.sub(r"\d{4}-\d{2}-", "", str(value))[:2] for value in found[0].column.first}) > 1 else None


def by_weekday(source: Source, rng: Random) -> Sketch | None:
    """The weekday with the highest mean."""
    found = _daily(source, rng)
    if found is None:
        return None
    date, value = found
    moves = (
        *read(source, date, value),
        Move(
            (
                "Time-based Transformations",
                "Time Formatting and String Manipulation",
            ),
            "Name the weekday of each row.",
            "weekday = when.dt.day_name()",
            "days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']\n"
            "weekday = when.dt.dayofweek.map(dict(enumerate(days)))",
        ),
        Move(
            ("Time Series & Temporal Grouping", "Data Aggregation and Grouping"),
            "Take the mean of each weekday.",
            f"means = df[{value.q}].groupby(weekday).mean()",
            f"means = df[{value.q}].groupby(weekday).max()",
        ),
        Move(
            ("Sorting, Limiting, and Ranking", "Ranking and Top N Logic"),
            "Take the highest.",
            unrivalled("means") + f"best = means.sort_values(ascending=False)\nprint(f'{{best.index[0]}}; "
            f"{{best.iloc[0]:.{value.decimals + 1}f}}')",
            f"best = means\nprint(f'{{best.index[0]}}; {{best.iloc[0]:.{value.decimals + 1}f}}')",
        ),
    )
    question = (
        f"On which day of the week, by {date.shown}, is the mean of {value.shown} highest in {source.has_rows}, "
        f"and what is the mean on that weekday?{gaps((value,))}"
    )
    form = f"Answer as: weekday; mean. The weekday as its English name, the mean{rounded(value.decimals + 1)}."
    return Sketch((source,), question, moves, answer(form, value.decimals + 1))


def working_days(source: Source, rng: Random) -> Sketch | None:
    """How working days differ from weekends."""
    found = _daily(source, rng)
    if found is None:
        return None
    date, value = found
    moves = (
        *read(source, date, value),
        Move(
            (
                "Business Day Logic and Custom Calculations",
                "Holiday and Calendar Handling",
            ),
            "Tell weekends from working days.",
            "weekend = when.dt.dayofweek >= 5",
            "weekend = when.dt.dayofweek >= 6",
        ),
        Move(
            (
                "Conditional Data Processing",
                "Conditional Aggregation and Filtering",
            ),
            "Average both parts.",
            f"free, working = df.loc[weekend, {value.q}].mean(), df.loc[~weekend, {value.q}].mean()",
            f"free, working = df.loc[weekend, {value.q}].mean(), df[{value.q}].mean()",
        ),
        Move(
            ("Percentage and Variation Calculations", "Incremental and Comparative Calculations"),
            "Express the difference in percent.",
            "print(f'{100 * (free - working) / abs(working):.3f}')",
            "print(f'{free - working:.3f}')",
        ),
    )
    question = (
        f"By how many percent is the mean of {value.shown} on Saturdays and Sundays higher than on Mondays to "
        f"Fridays (negative if lower), by {date.shown} in {source.has_rows}? Relative to the Monday-to-Friday "
        f"mean.{gaps((value,))}"
    )
    return Sketch((source,), question, moves, number(3, "percent"))


def hours(source: Source, rng: Random) -> Sketch | None:
    """The hour of the day with the highest median."""
    dates = [f for f in source.dates if _timed_of_day(f) and f.column.distinct >= 48]
    if not dates or not source.measures:
        return None
    date, value = one(rng, dates), one(rng, source.measures)
    moves = (
        *read(source, date, value),
        Move(
            ("Timestamp Conversion and Time Manipulation", "Time Formatting and String Manipulation"),
            "Take the hour of the day.",
            "hour = when.dt.hour",
        ),
        Move(
            ("Time Series & Temporal Grouping",),
            "Take the mean of each hour.",
            f"means = df[{value.q}].groupby(hour).mean()",
            f"means = df[{value.q}].groupby(hour).max()",
        ),
        Move(
            ("Peak Detection & Identification", "Sorting, Limiting, and Ranking"),
            "Take the hours with the highest and lowest mean.",
            unrivalled("means")
            + unrivalled("(-means)")
            + "print(f'{means.idxmax()}; {means.idxmin()}; {means.max() - means.min():.3f}')",
            "print(f'{means.index[0]}; {means.index[-1]}; {means.iloc[0] - means.iloc[-1]:.3f}')",
        ),
    )
    question = (
        f"Average {value.shown} by the hour of the day (0 to 23) of {date.shown} in {source.has_rows}. Which "
        f"hour has the highest mean, which the lowest, and how far are the two means apart?{gaps((value,))}"
    )
    form = f"Answer as: hour with highest mean; hour with lowest mean; difference. The difference{rounded(3)}."
    return Sketch((source,), question, moves, answer(form, 3))


def _timed_of_day(field: Field) -> bool:
    """Its first values lie in several hours."""
    shown = [match[1] for value in field.column.first if (match := re.search(r"[T ](\d{1,2}):\d\d", str(value)))]
    return len(set(shown)) >= 2


TEMPLATES = (
    Template("by_weekday", by_weekday),
    Template("working_days", working_days),
    Template("hours_of_day", hours),
)
