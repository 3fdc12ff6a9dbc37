"""Tasks of order: the best of each group, scores of several columns."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one, some
from benchwright.generation.templates.drafting import Move, Sketch, names, result
from benchwright.generation.templates.tables import Source
from benchwright.generation.templates.wording import listed


def best_of_groups(source: Source, rng: Random) -> Sketch | None:
    """For each group the row with the highest value, and how far it lies above the group's mean."""
    groups = [field for field in source.groups if 3 <= field.column.distinct <= 12]
    labels = [*source.names]
    if not groups or not labels or not source.measures:
        return None
    group, label, value = one(rng, groups), one(rng, labels), one(rng, source.measures)
    used, places = (group, value), value.decimals
    columns = (group.name, label.name, "above_mean")
    moves = (
        load(source),
        *complete(used),
        Move(
            ("Data Aggregation and Window Functions",),
            "Compare each row with the mean of its group.",
            f"above = df[{value.q}] - df.groupby({group.q})[{value.q}].transform('mean')",
            f"above = df[{value.q}] - df[{value.q}].mean()",
        ),
        Move(
            ("Window Functions and Partitioning", "Ranking and Top N Logic"),
            "Order the rows within their groups and keep the first of each.",
            f"ordered = df.assign(above_mean=above).sort_values([{value.q}, {label.q}], ascending=[False, True])\n"
            f"best = ordered.groupby({group.q}).head(1)",
            f"best = df.assign(above_mean=above).groupby({group.q}).head(1)",
        ),
        Move(
            ("Column Management and Reordering", "Data Export and Output Processing"),
            "Write the columns that are asked for, ordered by group.",
            f"table = best.sort_values({group.q})[[{group.q}, {label.q}, 'above_mean']]\n"
            f"table.round({{'above_mean': {places}}}).to_csv('result.csv', index=False)",
        ),
    )
    question = (
        f"For every {group.shown} in {source.has_rows}, find the {label.shown} with the highest {value.shown}, "
        "and by how much it exceeds the mean of "
        f"{value.shown} over all rows of the same {group.shown} (column above_mean). Where several share the "
        "highest value, take the "
        f"alphabetically first {label.shown}.{gaps(used)}"
    )
    return Sketch((source,), question, moves, result(columns, places, [group.name]))


def composite_score(source: Source, rng: Random) -> Sketch | None:
    """Names ordered by the mean of several columns brought to the same scale."""
    if not source.names or len(source.measures) < 3:
        return None
    label, fields = one(rng, source.names), some(rng, source.measures, 3)
    columns = "[" + ", ".join(field.q for field in fields) + "]"
    moves = (
        load(source),
        *complete(fields),
        Move(
            (
                "Data Normalization and Standardization",
                "Data Normalization and Preprocessing",
                "Preprocessing and Scaling",
            ),
            "Bring each column to the range from 0 to 1.",
            f"part = df[{columns}]\nscaled = (part - part.min()) / (part.max() - part.min())",
            f"scaled = df[{columns}]",
        ),
        Move(
            ("Row-wise Operations and Aggregation", "Column/Row-wise Computations"),
            "Average the columns of each row.",
            "score = scaled.mean(axis=1)",
            "score = scaled.iloc[:, 0]",
        ),
        Move(
            ("Ranking and Scoring Mechanisms", "Ranking and Normalization"),
            "List the names with the highest scores.",
            f"ranked = df.assign(score=score).sort_values(['score', {label.q}], ascending=[False, True])\n"
            "assert (ranked['score'].head(4).diff().dropna() < -1e-9).all(), 'equal scores'\n"
            f"print('; '.join(ranked[{label.q}].head(3)))",
            f"print('; '.join(df[{label.q}].head(3)))",
        ),
    )
    question = (
        f"Score each {label.shown} of {source.has_rows}: rescale {listed([f.shown for f in fields])} linearly so "
        "that each column's minimum becomes 0 and "
        f"its maximum 1, and take the plain mean of the three. Which three {label.shown} score highest (highest "
        f"first)?{gaps(fields)}"
    )
    return Sketch((source,), question, moves, names(3, f"values of {label.name}"))


TEMPLATES = (
    Template("best_of_groups", best_of_groups),
    Template("composite_score", composite_score),
)
