"""Tasks of groups: filtered means, weighted means."""

from __future__ import annotations

import re
from random import Random

from benchwright.generation.templates.base import (
    Template,
    complete,
    gaps,
    load,
    one,
    shuffled,
    text,
    threshold,
    unrivalled,
)
from benchwright.generation.templates.drafting import Move, Sketch, named, result
from benchwright.generation.templates.tables import Field, Source

_SIZE = re.compile(
    r"(?i)pop|people|inhabit|count|number|num|size|^n$|weight|mass|area|hours|days|sales|volume|quantity|qty|piece|unit"
    r"|total|employ|student|pupil|household|acre|hectare|vehicle|passenger|sample"
)
"""What means are weighted by: how many, or how much of something, a row stands for."""


def _filter(field: Field, limit: float) -> Move:
    return Move(
        ("Threshold-Based Categorization or Filtering", "Filtering and Criteria-Based Selection"),
        "Keep the rows above the threshold.",
        f"kept = df[df[{field.q}] > {limit!r}]",
        "kept = df",
    )


def filtered_group_means(source: Source, rng: Random) -> Sketch | None:
    """The group with the highest mean, over rows above a threshold."""
    groups = [field for field in source.groups if field.column.distinct >= 3]
    if not groups or len(source.measures) < 2:
        return None
    group, (by, value) = one(rng, groups), shuffled(rng, source.measures)[:2]
    limit = threshold(by)
    if limit is None:
        return None
    used = (group, by, value)
    moves = (
        load(source),
        *complete(used),
        _filter(by, limit),
        Move(
            ("Data Aggregation and Grouping", "Statistical Analysis and Metrics"),
            "Take the mean of each group.",
            f"means = kept.groupby({group.q})[{value.q}].mean()",
            f"means = kept.groupby({group.q})[{value.q}].max()",
        ),
        Move(
            ("Ranking and Top N Logic", "Sorting, Limiting, and Ranking"),
            "Take the group with the highest mean.",
            unrivalled("means") + f"best = means.sort_values(ascending=False).head(1)\n"
            f"print(f'{{best.index[0]}}; {{best.iloc[0]:.{value.decimals}f}}')",
            f"best = means.head(1)\nprint(f'{{best.index[0]}}; {{best.iloc[0]:.{value.decimals}f}}')",
        ),
    )
    question = (
        f"In {source.has_rows}, look only at rows whose {by.shown} is greater than {text(limit)}. For which "
        f"{group.shown} is the "
        f"mean of {value.shown} highest, and how high is it?{gaps(used)}"
    )
    return Sketch((source,), question, moves, named(group.name, value.decimals, "mean"))


def weighted_means(source: Source, rng: Random) -> Sketch | None:
    """A table of weighted means by group, and each group's share of the weight."""
    weights = [f for f in source.totals if f.column.numbers and f.column.numbers.min > 0 and _SIZE.search(f.name)]
    if not source.groups or not weights or len(source.measures) < 2:
        return None
    group, weight = one(rng, source.groups), one(rng, weights)
    value = one(rng, [field for field in source.measures if field is not weight])
    used, places = (group, weight, value), max(value.decimals, 3)
    moves = (
        load(source),
        *complete(used),
        Move(
            ("Weighted Aggregation and Summation", "Normalization and Weighted Aggregation"),
            "Weight each row's value by its weight within the group.",
            f"sums = df.assign(product=df[{value.q}] * df[{weight.q}]).groupby({group.q})[['product', "
            f"{weight.q}]].sum()\n"
            f"means = sums['product'] / sums[{weight.q}]",
            f"means = df.groupby({group.q})[{value.q}].mean()",
        ),
        Move(
            ("Probability and Normalization", "Percentage and Variation Calculations"),
            "Express each group's weight as a percentage of the whole.",
            f"weights = df.groupby({group.q})[{weight.q}].sum()\nshares = 100 * weights / weights.sum()",
            f"shares = df.groupby({group.q})[{weight.q}].sum()",
        ),
        _written(group, ("weighted_mean", "means"), ("weight_percent", "shares"), places),
    )
    question = (
        f"Use {source.has_rows}. For each {group.shown}, give the mean of {value.shown} weighted by "
        f"{weight.shown}, and the group's share "
        f"of the total of {weight.shown} over all groups, in percent (0 to 100).{gaps(used)}"
    )
    return Sketch(
        (source,), question, moves, result((group.name, "weighted_mean", "weight_percent"), places, [group.name])
    )


def _written(group: Field, first: tuple[str, str], second: tuple[str, str], places: int) -> Move:
    """Two series by group as a file."""
    return Move(
        ("Data Export and Output Processing", "Formatting and Output Organization"),
        "Write one row a group.",
        f"table = pd.DataFrame({{{first[0]!r}: {first[1]}, {second[0]!r}: {second[1]}}}).rename_axis({group.q})\n"
        f"table.round({places}).reset_index().to_csv('result.csv', index=False)",
    )


TEMPLATES = (
    Template("filtered_group_means", filtered_group_means),
    Template("weighted_means", weighted_means),
)
