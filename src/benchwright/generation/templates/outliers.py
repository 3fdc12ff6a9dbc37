"""Tasks of outliers: fences, standard scores, robust scores."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one, shuffled, unrivalled
from benchwright.generation.templates.drafting import Move, Sketch, answer, named, rounded
from benchwright.generation.templates.tables import Source


def fences(source: Source, rng: Random) -> Sketch | None:
    """What the mean becomes without values beyond the fences of the box plot, group by group."""
    groups = [field for field in source.groups if min(count for _, count in field.levels) >= 10]
    if not groups or not source.measures:
        return None
    group, value = one(rng, groups), one(rng, source.measures)
    used = (group, value)
    moves = (
        load(source),
        *complete(used),
        Move(
            ("Statistical Calculations and Quantiles", "Normalization and Percentile Calculations"),
            "Take the quartiles of each group.",
            f"by = df.groupby({group.q})[{value.q}]\nlow, high = by.transform(lambda x: x.quantile(0.25)), "
            "by.transform(lambda x: x.quantile(0.75))",
            f"low = pd.Series(df[{value.q}].quantile(0.25), index=df.index)\nhigh = "
            f"pd.Series(df[{value.q}].quantile(0.75), index=df.index)",
        ),
        Move(
            ("Outlier Detection and Filtering",),
            "Mark what lies more than one and a half interquartile ranges beyond them.",
            f"reach = 1.5 * (high - low)\noutside = (df[{value.q}] < low - reach) | (df[{value.q}] > high + reach)",
            f"reach = 1.5 * (high - low)\noutside = df[{value.q}] > high + reach",
        ),
        Move(
            ("Data Filtering and Transformation", "Filtering and Criteria-Based Selection"),
            "Count what is marked, and average the rest.",
            f"rest = df.loc[~outside, {value.q}].mean()\nprint(f'{{int(outside.sum())}}; {{rest:.{value.decimals}f}}')",
            f"rest = df[{value.q}].mean()\nprint(f'{{int(outside.sum())}}; {{rest:.{value.decimals}f}}')",
        ),
    )
    question = (
        f"Within each {group.shown} of {source.has_rows}, call a {value.shown} an outlier if it lies more than "
        "1.5 interquartile ranges below the group's first or above its "
        "third quartile (quartiles by linear interpolation). How many rows are outliers, and what is the mean "
        f"of {value.shown} over all other rows?{gaps(used)}"
    )
    form = f"Answer as: number of outliers; mean. The mean{rounded(value.decimals)}."
    return Sketch((source,), question, moves, answer(form, value.decimals))


def most_unusual(source: Source, rng: Random) -> Sketch | None:
    """The row that is furthest from what is usual in its group."""
    groups = [field for field in source.groups if min(count for _, count in field.levels) >= 6]
    if not groups or not source.names or not source.measures:
        return None
    group, label, value = one(rng, groups), one(rng, source.names), one(rng, source.measures)
    used = (group, value)
    moves = (
        load(source),
        *complete(used),
        Move(
            ("Z-Score Calculations", "Data Preprocessing and Centering"),
            "Express each value in standard deviations from its group's mean.",
            f"by = df.groupby({group.q})[{value.q}]\nscore = (df[{value.q}] - by.transform('mean')) / "
            "by.transform('std')",
            f"score = (df[{value.q}] - df[{value.q}].mean()) / df[{value.q}].std()",
        ),
        Move(
            ("Ranking and Top N Logic", "Sorting, Limiting, and Ranking"),
            "Take the row that is furthest away on either side.",
            unrivalled("score.abs()")
            + f"place = score.abs().idxmax()\nfound = df.loc[place, {label.q}]\nprint(f'{{found}}; "
            f"{{score[place]:.3f}}')",
            f"place = score.idxmax()\nfound = df.loc[place, {label.q}]\nprint(f'{{found}}; {{score[place]:.3f}}')",
        ),
    )
    question = (
        f"Which {label.shown} in {source.has_rows} has the most unusual {value.shown} for its {group.shown}: the "
        "largest distance from the group's mean, on either side, in "
        f"sample standard deviations of the group (n - 1)? Give it and its standard score with sign.{gaps(used)}"
    )
    return Sketch((source,), question, moves, named(label.name, 3, "standard score"))


def robust_scores(source: Source, rng: Random) -> Sketch | None:
    """Rows with a robust score beyond 3.5, and the two spreads."""
    skewed = [
        field
        for field in source.measures
        if (n := field.column.numbers) and n.q75 > n.q25 and n.max > n.q75 + 3 * (n.q75 - n.q25)
    ]
    if not skewed:
        return None
    value = one(rng, shuffled(rng, skewed))
    moves = (
        load(source),
        *complete((value,)),
        Move(
            ("Data Preprocessing and Centering",),
            "Take distances from the median.",
            f"distance = (df[{value.q}] - df[{value.q}].median()).abs()",
            f"distance = (df[{value.q}] - df[{value.q}].mean()).abs()",
        ),
        Move(
            ("Z-Score Calculations", "Data Normalization and Standardization"),
            "Scale them by their own median.",
            "score = 0.6745 * distance / distance.median()",
            "score = distance / distance.std()",
        ),
        Move(
            ("Outlier Detection and Filtering",),
            "Count what is beyond the limit, and average what is not.",
            f"rest = df.loc[score <= 3.5, {value.q}].mean()\n"
            f"print(f'{{int((score > 3.5).sum())}}; {{rest:.{value.decimals}f}}')",
            f"rest = df[{value.q}].mean()\nprint(f'{{int((score > 3.5).sum())}}; {{rest:.{value.decimals}f}}')",
        ),
    )
    question = (
        f"Screen {value.shown} in {source.has_rows} with modified z-scores: 0.6745 times the absolute distance "
        "from the median, divided by the median of these absolute "
        f"distances. How many rows score above 3.5, and what is the mean of {value.shown} over the rows that do "
        f"not?{gaps((value,))}"
    )
    form = f"Answer as: number of rows; mean. The mean{rounded(value.decimals)}."
    return Sketch((source,), question, moves, answer(form, value.decimals))


TEMPLATES = (
    Template("fences_of_groups", fences),
    Template("most_unusual", most_unusual),
    Template("robust_scores", robust_scores),
)
