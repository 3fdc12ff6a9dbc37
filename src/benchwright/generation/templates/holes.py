"""Tasks of missing values that are counted, or hidden behind a number."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, load, one, some, unrivalled
from benchwright.generation.templates.drafting import Move, Sketch, answer, named, rounded
from benchwright.generation.templates.tables import Field, Source
from benchwright.generation.templates.wording import listed


def complete_rows(source: Source, rng: Random) -> Sketch | None:
    """The group with the largest share of rows without a gap in any of several columns."""
    holed = [field for field in source.fields if 0.02 <= field.column.nulls / source.rows <= 0.7]
    groups = [f for f in source.groups if f.column.distinct >= 3 and not f.column.nulls]
    if len(holed) < 2 or not groups:
        return None
    group, fields = one(rng, groups), some(rng, holed, min(3, len(holed)))
    columns = "[" + ", ".join(field.q for field in fields) + "]"
    moves = (
        load(source),
        Move(
            ("Row-wise and Column-wise Logical Evaluation",),
            "Mark the rows without a gap.",
            f"whole = df[{columns}].notna().all(axis=1)",
            f"whole = df[{columns}].notna().any(axis=1)",
        ),
        Move(
            ("Data Aggregation and Conditional Logic", "Conditional Aggregation and Filtering"),
            "Take the share of such rows in each group.",
            f"shares = 100 * whole.groupby(df[{group.q}]).mean()",
            f"shares = 100 * whole.groupby(df[{group.q}]).sum() / len(df)",
        ),
        Move(
            ("Sorting, Limiting, and Ranking", "Ranking and Top N Logic"),
            "Take the smallest share.",
            unrivalled("(-shares)") + "worst = shares.sort_values()\nprint(f'{worst.index[0]}; {worst.iloc[0]:.2f}')",
            "worst = shares\nprint(f'{worst.index[0]}; {worst.iloc[0]:.2f}')",
        ),
    )
    question = (
        f"How complete is {source.has_rows}? Call a row complete if none of {listed([f.shown for f in fields])} "
        f"is missing. Which {group.shown} has the smallest percentage of "
        f"complete rows among its rows, and what is the percentage?"
    )
    return Sketch((source,), question, moves, named(group.name, 2, "percentage"))


def hidden_gaps(source: Source, rng: Random) -> Sketch | None:
    """The mean of a column in which a number stands for what is not known."""
    found = [pair for field in source.fields if (pair := _sentinel(field)) is not None]
    if not found:
        return None
    value, code = one(rng, [(field, mark) for field, mark in found])
    groups = [field for field in source.groups if field is not value]
    group = one(rng, groups) if groups else None
    mean = (
        "print(f'{clean.mean():.3f}; {100 * clean.isna().mean():.3f}')"
        if group is None
        else f"means = clean.groupby(df[{group.q}]).mean().sort_values()\n"
        f"print(f'{{means.iloc[-1] - means.iloc[0]:.3f}}; {{100 * clean.isna().mean():.3f}}')"
    )
    moves = (
        load(source),
        Move(
            ("Custom Functions for Missing Value Handling", "Arithmetic and Logical Data Fixes"),
            "Take the mark for a missing one.",
            f"clean = df[{value.q}].where(df[{value.q}] != {code!r})",
            f"clean = df[{value.q}]",
        ),
        Move(
            ("Handling Missing or Edge Cases", "Handling Missing Data"),
            "Compute from what is known.",
            mean,
            mean.replace("clean.mean()", "clean.fillna(0).mean()").replace("clean.groupby", "clean.fillna(0).groupby"),
        ),
    )
    what = "the mean" if group is None else f"the difference between the highest and the lowest mean over {group.shown}"
    question = (
        f"In {source.has_rows} the number {code:g} in {value.shown} means that the value is not known. Leaving "
        f"these and empty cells out, what is {what} of {value.shown}, and "
        f"in what percentage of all rows is {value.shown} not known?"
    )
    first = "mean" if group is None else "difference"
    form = f"Answer as: {first}; percentage. Both{rounded(3)}."
    return Sketch((source,), question, moves, answer(form, 3))


def _sentinel(field: Field) -> tuple[Field, float] | None:
    """A number far away from all others that occurs more than twice."""
    numbers_, levels = field.column.numbers, dict(field.levels)
    if numbers_ is None or field.column.kind not in ("integer", "float") or field.column.distinct < 4:
        return None
    for mark in (-999, -99, -9, -9999, 97, 98, 99, 999, 9999):
        others = [float(str(value)) for value in levels if value != mark]
        if levels.get(mark, 0) >= 3 and others and _away(float(mark), min(others), max(others)):
            return field, float(mark) if field.column.kind == "float" else mark
    return None


def _away(mark: float, low: float, high: float) -> bool:
    return mark > high + 0.5 * (high - low) or mark < min(0.0, low - 0.5 * (high - low))


TEMPLATES = (
    Template("complete_rows", complete_rows),
    Template("hidden_gaps", hidden_gaps),
)
