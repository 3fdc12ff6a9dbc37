"""Tasks of missing values that are filled: by group, by a regression."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one
from benchwright.generation.templates.drafting import Move, Sketch, answer, numbers, rounded
from benchwright.generation.templates.tables import Field, Source


def holed(source: Source) -> list[Field]:
    """Measures with gaps."""
    return [field for field in source.measures if field.column.nulls >= 5]


def filled_by_group(source: Source, rng: Random) -> Sketch | None:
    """Gaps filled with the median of the row's group."""
    groups = [field for field in source.groups if min(count for _, count in field.levels) >= 12]
    fields = holed(source)
    if not groups or not fields:
        return None
    group, value = one(rng, groups), one(rng, fields)
    moves = (
        load(source),
        *complete((group,)),
        Move(
            (
                "Domain-Specific and Contextual Imputation",
                "Imputation Methods",
            ),
            "Fill each gap with the median of its group.",
            f"filled = df[{value.q}].fillna(df.groupby({group.q})[{value.q}].transform('median'))",
            f"filled = df[{value.q}].fillna(df[{value.q}].median())",
        ),
        Move(
            ("Statistical Calculations and Descriptive Statistics",),
            "Take mean and sample standard deviation.",
            "mean, deviation = filled.mean(), filled.std()",
            "mean, deviation = filled.mean(), filled.std(ddof=0)",
        ),
        Move(
            ("Validation and Output Formatting", "Output and Logging"),
            "Print both.",
            f"print(f'{{mean:.{value.decimals}f}}; {{deviation:.{value.decimals}f}}')",
        ),
    )
    question = (
        f"{value.shown} is missing in some rows of {source.has_rows}. Fill each gap with the median of the known "
        f"values of the same {group.shown}. What are then the mean "
        f"and the sample standard deviation (n - 1) of {value.shown} over all rows?{gaps((group,))}"
    )
    return Sketch((source,), question, moves, numbers("mean", "standard deviation", decimals=value.decimals))


def filled_by_regression(source: Source, rng: Random) -> Sketch | None:
    """Gaps filled with a straight line on another column."""
    fields = holed(source)
    if not fields or len(source.complete_measures) < 1:
        return None
    value, by = one(rng, fields), one(rng, source.complete_measures)
    moves = (
        load(source),
        Move(
            ("Regression Modeling and Interpretation", "Statistical and Mathematical Modeling"),
            "Fit a straight line to the rows where both are known.",
            f"known = df.dropna(subset=[{value.q}])\nslope, start = np.polyfit(known[{by.q}], known[{value.q}], 1)",
            f"known = df.dropna(subset=[{value.q}])\nslope, start = 0.0, known[{value.q}].mean()",
        ),
        Move(
            ("Distributional Imputation", "Imputation Methods"),
            "Fill the gaps with what the line predicts.",
            f"filled = df[{value.q}].fillna(start + slope * df[{by.q}])",
            f"filled = df[{value.q}]",
        ),
        Move(
            ("Statistical Calculations and Descriptive Statistics", "Output and Logging"),
            "Average the filled column.",
            "print(f'{slope:.4f}; {filled.mean():.4f}')",
        ),
    )
    question = (
        f"Where {value.shown} is missing in {source.has_rows}, replace it by the prediction of an ordinary least "
        f"squares line of {value.shown} on {by.shown}, fitted to the "
        f"rows where {value.shown} is known. Give the slope of the line and the mean of {value.shown} over all "
        "rows after filling."
    )
    form = f"Answer as: slope; mean. Both{rounded(4)}."
    return Sketch((source,), question, moves, answer(form, 4))


TEMPLATES = (
    Template("filled_by_group", filled_by_group),
    Template("filled_by_regression", filled_by_regression),
)
