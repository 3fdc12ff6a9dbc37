"""Tasks of months and of the days between records."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, gaps, load, one, unrivalled
from benchwright.generation.templates.calendars import parsed, read, span, timed
from benchwright.generation.templates.drafting import Move, Sketch, answer, explained, rounded
from benchwright.generation.templates.tables import Field, Source


def monthly_change(source: Source, rng: Random) -> Sketch | None:
    """The month with the largest rise over the month before."""
    found = timed(source, rng, 200)
    if found is None:
        return None
    date, value = found
    moves = (
        *read(source, date, value),
        Move(
            ("Time Series Resampling and Aggregation", "Downsampling and Resampling"),
            "Take the mean of each calendar month.",
            f"months = df[{value.q}].groupby(when.dt.strftime('%Y-%m')).mean().sort_index()",
            f"months = df[{value.q}].groupby(when.dt.strftime('%Y-%m')).last().sort_index()",
        ),
        Move(
            ("Difference and Trend Computation", "Incremental and Comparative Calculations"),
            "Take the change from the month before that has rows.",
            "change = months.diff()",
            "change = months",
        ),
        Move(
            ("Peak Detection & Identification", "Sorting, Limiting, and Ranking"),
            "Take the largest rise.",
            unrivalled("change")
            + f"best = change.idxmax()\nprint(f'{{best}}; {{change[best]:.{value.decimals + 1}f}}')",
            f"best = change.abs().idxmax()\nprint(f'{{best}}; {{change[best]:.{value.decimals + 1}f}}')",
        ),
    )
    question = (
        f"Take the mean of {value.shown} in each calendar month of {date.shown} in {source.has_rows}. In which "
        "month did this mean rise most over the previous month that has any rows, and by how "
        f"much?{gaps((value,))}"
    )
    form = f"Answer as: month; rise. The month as YYYY-MM, the rise{rounded(value.decimals + 1)}."
    return Sketch((source,), question, moves, answer(form, value.decimals + 1))


def longest_gap(source: Source, rng: Random) -> Sketch | None:
    """The longest time without a record, and what is usual."""
    dates = [f for f in source.dates if span(f) >= 30 and f.column.distinct >= 20 and not _steady(f)]
    if not dates:
        return None
    date = one(rng, dates)
    moves = (
        load(source),
        parsed(source, date),
        Move(
            ("Time Series Handling and Indexing",),
            "Order the different days.",
            "days = when.dt.normalize().drop_duplicates().sort_values().reset_index(drop=True)",
            "days = when.dt.normalize().reset_index(drop=True)",
        ),
        Move(
            ("Time Difference and Gradient Calculation", "Date and Time Arithmetic"),
            "Take the days from each to the next.",
            "steps = days.diff().dt.days",
            "steps = days.dt.day.diff()",
        ),
        Move(
            ("Change Detection and Contiguity Analysis",),
            "Tell the longest gap, where it begins, and the mean.",
            "place = steps.idxmax()\nprint(f'{int(steps[place])}; {days[place - 1]:%Y-%m-%d}; {steps.mean():.3f}')",
            "place = steps.idxmax()\nprint(f'{int(steps[place])}; {days[place]:%Y-%m-%d}; {steps.mean():.3f}')",
        ),
    )
    question = (
        f"How long is the longest gap between the calendar days of {date.shown} in {source.has_rows}, where does "
        "it begin, "
        "and what is the mean?"
    )
    method = (
        "Order the different calendar days. A gap is the number of days from one of them to the next, it begins "
        "after the "
        "earlier day. Of several longest ones the earliest counts. The mean is over all gaps."
    )
    form = f"Answer as: days; date; mean days. The date as YYYY-MM-DD, the mean{rounded(3)}."
    return Sketch((source,), question, moves, explained(method, answer(form, 3)))


def _steady(field: Field) -> bool:
    return field.column.dates is not None and field.column.dates.uniform


def year_range(source: Source, rng: Random) -> Sketch | None:
    """A total within a range of days, as a share of the whole, with the busiest quarter."""
    found = timed(source, rng, 300, source.totals)
    if found is None:
        return None
    date, value = found
    moves = (
        *read(source, date, value),
        Move(
            ("Time-based Filtering and Matching",),
            "Keep the second half of every year.",
            f"late = df.loc[when.dt.month >= 7, {value.q}]\nits = when[when.dt.month >= 7]",
            f"late = df[{value.q}]\nits = when",
        ),
        Move(
            ("Time Series & Temporal Grouping", "Time Series Resampling and Aggregation"),
            "Add up by year and month.",
            "months = late.groupby(its.dt.strftime('%Y-%m')).sum()",
            "months = late.groupby(its.dt.strftime('%m')).sum()",
        ),
        Move(
            ("Percentage and Variation Calculations",),
            "Name the largest month and its share.",
            unrivalled("months") + "best = months.idxmax()\nprint(f'{best}; {100 * months[best] / months.sum():.3f}')",
            "best = months.idxmax()\nprint(f'{best}; {months[best]:.3f}')",
        ),
    )
    question = (
        f"Look only at the months July to December of all years, by {date.shown} in {source.has_rows}. Which "
        f"single month of these has the largest total of {value.shown}, and what percentage is that of the total "
        "over all rows "
        f"looked at?{gaps((value,))}"
    )
    form = f"Answer as: month; percentage. The month as YYYY-MM, the percentage{rounded(3)} (0 to 100)."
    return Sketch((source,), question, moves, answer(form, 3))


TEMPLATES = (
    Template("monthly_change", monthly_change),
    Template("longest_gap", longest_gap),
    Template("half_year_peak", year_range),
)
