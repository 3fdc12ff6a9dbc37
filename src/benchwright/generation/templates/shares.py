"""Tasks of shares: rows that meet conditions, concentration, what is rare."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one, some, text, threshold, unrivalled
from benchwright.generation.templates.drafting import Move, Sketch, named, number, numbers
from benchwright.generation.templates.tables import Field, Source


def share_of_both(source: Source, rng: Random) -> Sketch | None:
    """The group with the largest share of rows that meet two conditions at once."""
    groups = [field for field in source.groups if 3 <= field.column.distinct <= 12]
    if not groups or len(source.complete_measures) < 2:
        return None
    group, (left, right) = one(rng, groups), some(rng, source.complete_measures, 2)
    low, high = threshold(left, 0.4), threshold(right, 0.6)
    if low is None or high is None:
        return None
    moves = (
        load(source),
        *complete((group,)),
        Move(
            (
                "Logical Operators for Combining Conditions",
                "Boolean Logic and Masking",
                "Boolean and Logical Operations",
            ),
            "Mark the rows that meet both conditions.",
            f"meets = (df[{left.q}] > {low!r}) & (df[{right.q}] <= {high!r})",
            f"meets = df[{left.q}] > {low!r}",
        ),
        Move(
            ("Conditional Aggregation and Filtering", "Data Aggregation and Conditional Logic"),
            "Take the share of marked rows in each group.",
            f"shares = 100 * meets.groupby(df[{group.q}]).mean()",
            f"shares = 100 * df.loc[meets, {group.q}].value_counts(normalize=True)",
        ),
        Move(
            ("Sorting, Limiting, and Ranking", "Ranking and Top N Logic"),
            "Take the largest share.",
            unrivalled("shares")
            + "best = shares.sort_values(ascending=False)\nprint(f'{best.index[0]}; {best.iloc[0]:.2f}')",
            "best = shares.sort_index()\nprint(f'{best.index[0]}; {best.iloc[0]:.2f}')",
        ),
    )
    question = (
        f"Take {source.has_rows}. A row qualifies if its {left.shown} is greater than {text(low)} and its "
        f"{right.shown} is at most {text(high)}. "
        f"In which {group.shown} do the largest percentage of that group's own rows qualify, and what is the "
        f"percentage?{gaps((group,))}"
    )
    return Sketch((source,), question, moves, named(group.name, 2, "percentage"))


def concentration(source: Source, rng: Random) -> Sketch | None:
    """Entropy and Herfindahl index of a total over names."""
    totals = source.complete_totals
    labels = [*source.labels, *(f for f in source.groups if f.column.distinct >= 4)]
    if not totals or not labels:
        return None
    label, total = one(rng, labels), one(rng, totals)
    moves = (
        load(source),
        *complete((label,)),
        Move(
            ("Summation Techniques", "Data Aggregation and Grouping"),
            "Add up the total of each name.",
            f"sums = df.groupby({label.q})[{total.q}].sum()",
            f"sums = df.set_index({label.q})[{total.q}]",
        ),
        Move(
            ("Probability and Normalization", "Arithmetic Transformations and Normalization"),
            "Turn totals into shares of the whole.",
            "shares = sums / sums.sum()",
        ),
        Move(
            ("Entropy and Log Probability Calculations",),
            "Compute Shannon's entropy in bits and the sum of squared shares.",
            "positive = shares[shares > 0]\nentropy = -(positive * np.log2(positive)).sum()\n"
            "index = (shares ** 2).sum()\nprint(f'{entropy:.4f}; {index:.4f}')",
            "positive = shares[shares > 0]\nentropy = -(positive * np.log(positive)).sum()\n"
            "index = (shares ** 2).sum()\nprint(f'{entropy:.4f}; {index:.4f}')",
        ),
    )
    question = (
        f"How concentrated is the total of {total.shown} over the different values of {label.shown} in "
        f"{source.has_rows}? Add {total.shown} up for each "
        f"{label.shown}, turn the sums into shares of the grand total, and give their Shannon entropy in bits "
        "(logarithm to base 2) and "
        f"their Herfindahl index (the sum of squared shares, between 0 and 1).{gaps((label,))}"
    )
    return Sketch((source,), question, moves, numbers("entropy", "Herfindahl index", decimals=4))


def lumped(source: Source, rng: Random) -> Sketch | None:
    """The mean of everything rare, beside that of what is common."""
    found = [
        (label, limit) for label in source.labels if (limit := _cut(label)) is not None and label.column.distinct <= 200
    ]
    if not found or not source.measures:
        return None
    (label, limit), value = one(rng, found), one(rng, source.measures)
    used = (label, value)
    moves = (
        load(source),
        *complete(used),
        Move(
            ("Categorical Data Preprocessing and Simplification", "String and Categorical Data Handling"),
            "Count rows by name, and put the rare names together.",
            f"counts = df[{label.q}].value_counts()\n"
            f"label = df[{label.q}].where(df[{label.q}].map(counts) >= {limit}, '(rare)')",
            f"label = df[{label.q}].where(df[{label.q}] != df[{label.q}].value_counts().index[-1], '(rare)')",
        ),
        Move(
            ("Data Filtering and Grouping",),
            "Take the medians of the rare rows and of the others.",
            f"rare = df.loc[label == '(rare)', {value.q}].median()\ncommon = df.loc[label != '(rare)', "
            f"{value.q}].median()",
        ),
        Move(
            ("Incremental and Comparative Calculations",),
            "Tell how far the rare rows lie above the common ones.",
            f"print(f'{{rare - common:.{value.decimals}f}}')",
            f"print(f'{{rare:.{value.decimals}f}}')",
        ),
    )
    question = (
        f"In {source.has_rows} some values of {label.shown} occur in few rows. Call a value rare if it occurs in "
        f"fewer than {limit} rows. "
        f"By how much is the median of {value.shown} over all rows with a rare {label.shown} higher than the "
        "median over all other rows "
        f"(negative if it is lower)?{gaps(used).replace(' Leave', ' First leave')}"
    )
    return Sketch((source,), question, moves, number(value.decimals))


def _cut(label: Field) -> int | None:
    """A count that splits a column's rows so that each side has a fifth of them at least."""
    counts = sorted((count for _, count in label.levels), reverse=True)
    rows = sum(counts)
    for limit in (5, 10, 20, 3, 50, 100, 200, 500):
        rare = sum(count for count in counts if count < limit)
        if 0.2 * rows <= rare <= 0.8 * rows:
            return limit
    return None


TEMPLATES = (
    Template("share_of_both", share_of_both),
    Template("concentration", concentration),
    Template("lumped_rare_groups", lumped),
)
