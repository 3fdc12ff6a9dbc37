"""Tasks of shape: wide and long tables."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one, some, unrivalled
from benchwright.generation.templates.drafting import Move, Sketch, named, result
from benchwright.generation.templates.tables import Field, Source
from benchwright.generation.templates.wording import listed


def crossed(source: Source, rng: Random, most: int = 10) -> tuple[Field, Field] | None:
    """Two columns of groups, in any order."""
    groups = [field for field in source.groups if field.column.distinct <= most]
    if len(groups) < 2:
        return None
    left, right = some(rng, groups, 2)
    return (left, right) if rng.random() < 0.5 else (right, left)


def wide_table(source: Source, rng: Random) -> Sketch | None:
    """The group whose medians differ most from one kind to another."""
    pair = crossed(source, rng)
    if pair is None or not source.measures or pair[0].column.distinct < 3:
        return None
    (group, kind), value = pair, one(rng, source.measures)
    used = (group, kind, value)
    moves = (
        load(source),
        *complete(used),
        Move(
            ("DataFrame Transformation and Reshaping", "Reshaping and Aggregation", "Data Preparation and Reshaping"),
            "Lay the medians out, one row a group and one column a kind.",
            f"wide = df.pivot_table(index={group.q}, columns={kind.q}, values={value.q}, aggfunc='median')",
            f"wide = df.groupby({group.q})[{value.q}].agg(['min', 'max'])",
        ),
        Move(
            ("Row-wise Operations and Aggregation", "Column/Row-wise Computations"),
            "Take the range of each row.",
            "ranges = wide.max(axis=1) - wide.min(axis=1)",
        ),
        Move(
            ("Ranking and Top N Logic", "Sorting, Limiting, and Ranking"),
            "Take the largest range.",
            unrivalled("ranges") + f"best = ranges.sort_values(ascending=False)\nprint(f'{{best.index[0]}}; "
            f"{{best.iloc[0]:.{value.decimals}f}}')",
            f"best = ranges\nprint(f'{{best.index[0]}}; {{best.iloc[0]:.{value.decimals}f}}')",
        ),
    )
    question = (
        f"Take the median of {value.shown} for every combination of {group.shown} and {kind.shown} in "
        f"{source.has_rows}. For which {group.shown} do these medians differ most between "
        f"values of {kind.shown} (largest minus smallest), and by how much?{gaps(used)}"
    )
    return Sketch((source,), question, moves, named(group.name, value.decimals, "difference"))


def long_table(source: Source, rng: Random) -> Sketch | None:
    """Several columns turned into one, with a summary of each."""
    if len(source.measures) < 3:
        return None
    fields = some(rng, source.measures, min(len(source.measures), 4))
    columns = "[" + ", ".join(field.q for field in fields) + "]"
    moves = (
        load(source),
        Move(
            (
                "Data Preparation and Reshaping",
                "DataFrame Transformation and Reshaping",
            ),
            "Turn the columns into rows of a name and a value, without gaps.",
            f"long = df[{columns}].melt(var_name='variable', value_name='value').dropna()",
            f"long = df[{columns}].dropna().melt(var_name='variable', value_name='value')",
        ),
        Move(
            ("Statistical Calculations and Quantiles",),
            "Summarise each variable.",
            "by = long.groupby('variable')['value']\n"
            "table = pd.DataFrame({'known': by.size(), 'q90': by.quantile(0.9), 'skewness': by.skew()}).reset_index()",
            "by = long.groupby('variable')['value']\n"
            "table = pd.DataFrame({'known': by.size(), 'q90': by.quantile(0.9, interpolation='lower'), "
            "'skewness': by.apply(lambda part: stats.skew(part))}).reset_index()",
        ),
        Move(
            ("Data Export and Output Processing", "Formatting and Output Organization"),
            "Write one row a variable.",
            "table.round(4).to_csv('result.csv', index=False)",
        ),
    )
    question = (
        f"Summarise {listed([f.shown for f in fields])} of {source.has_rows}, one row for each of these columns: "
        "its name (variable), the number of its values that are not missing (known), "
        "their 90th percentile by linear interpolation (q90), and their sample skewness with the usual bias "
        "correction, the adjusted Fisher-Pearson "
        "coefficient (skewness)."
    )
    return Sketch((source,), question, moves, result(("variable", "known", "q90", "skewness"), 4, ["variable"]))


TEMPLATES = (
    Template("wide_table", wide_table),
    Template("long_table", long_table),
)
