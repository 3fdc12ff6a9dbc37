"""Tasks over two tables: the question never says what joins them."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, load, one, plainly
from benchwright.generation.templates.drafting import Move, Sketch, answer, result, rounded
from benchwright.generation.templates.pairs import NAMES, Pair, own_of_single, pairs_of
from benchwright.generation.templates.tables import Field


def _joined(pair: Pair, field: Field) -> Move:
    """The single table's column beside each row of the other; whoever cannot join pairs rows as they stand."""
    return Move(
        ("Join Operations and Merging", "Data Joining and Relationship Management", "Data Integration and Merging"),
        "Put both tables together by what they have in common, keeping rows that are in both.",
        f"left = many.assign(key_={plainly('many', pair.key)})\nright = "
        f"single.assign(key_={plainly('single', pair.name)})[['key_', {field.q}]]\n"
        "both = left.dropna(subset=['key_']).merge(right, on='key_', how='inner')",
        f"both = many.reset_index(drop=True).assign(key_=1)\nboth[{field.q}] = single[{field.q}].reindex(both.index)",
    )


def group_of_partner(pair: Pair, rng: Random) -> Sketch | None:
    """A measure of one table by a group of the other."""
    groups = own_of_single(pair, pair.single.groups)
    if not groups or not pair.many.measures:
        return None
    group, value = one(rng, groups), one(rng, pair.many.measures)
    moves = (
        load(pair.many, "many"),
        load(pair.single, "single"),
        _joined(pair, group),
        *complete((group, value), "both"),
        Move(
            (
                "Data Aggregation and Grouping",
                "Data Preparation and Aggregation",
                "Data Manipulation and Summarization",
            ),
            "Take median and number of rows of each group.",
            f"table = both.groupby({group.q})[{value.q}].agg(rows='count', median='median').reset_index()",
            f"table = both.groupby({group.q})[{value.q}].agg(rows='nunique', median='mean').reset_index()",
        ),
        Move(
            ("Data Export and Output Processing", "Formatting and Output Organization"),
            "Write one row a group.",
            f"table.round({{'median': {value.decimals}}}).to_csv('result.csv', index=False)",
        ),
    )
    question = (
        f"The {group.shown} is told in the data on {pair.single.about} ({pair.single.rows:,} rows), "
        f"{value.shown} in {pair.many.has_rows}. For each {group.shown}, give the number of rows of the latter "
        "that belong to it and have a "
        f"{value.shown} (rows) and the median of their {value.shown} (median). Rows whose {group.shown} is not "
        f"known are left out.{NAMES}"
    )
    return Sketch(
        (pair.many, pair.single), question, moves, result((group.name, "rows", "median"), value.decimals, [group.name])
    )


def rate_of_partner(pair: Pair, rng: Random) -> Sketch | None:
    """A total of one table over a measure of the other: who has the highest rate."""
    sizes = [
        f for f in own_of_single(pair, pair.single.complete_measures) if f.column.numbers and f.column.numbers.min > 0
    ]
    totals = [f for f in pair.many.measures if f.column.numbers and f.column.numbers.min >= 0]
    if not sizes or not totals:
        return None
    size, total = one(rng, sizes), one(rng, totals)
    moves = (
        load(pair.many, "many"),
        load(pair.single, "single"),
        Move(
            ("Summation Techniques", "Data Aggregation and Grouping"),
            "Add up by name.",
            f"sums = many.groupby({plainly('many', pair.key)})[{total.q}].sum()",
            f"sums = many.groupby({plainly('many', pair.key)})[{total.q}].max()" if not pair.one_to_one else None,
        ),
        Move(
            ("Mapping and Lookup", "Joining and Lookup Operations", "Lookup and Data Transformation Techniques"),
            "Look the other table's measure up for each name, and divide.",
            f"sizes = single.set_index({plainly('single', pair.name)})[{size.q}]\nrates = (sums / "
            "sizes.reindex(sums.index)).dropna()",
            f"sizes = single[{size.q}]\nrates = pd.Series(sums.to_numpy()[: len(sizes)] / sizes.to_numpy()[: "
            "len(sums)], index=sums.index[: len(sizes)])",
        ),
        Move(
            ("Ranking and Top N Logic", "Sorting, Limiting, and Ranking"),
            "Take the median rate and the number of names that have one.",
            "print(f'{rates.max():.5g}; {rates.median():.5g}; {len(rates)}')".replace(".5g", ".5f"),
            "print(f'{rates.iloc[0]:.5f}; {rates.mean():.5f}; {len(rates)}')",
        ),
    )
    question = (
        f"Add up {total.shown} of {pair.many.has_rows} for each {pair.key.shown}, and divide by {size.shown} of "
        f"the same one in the data on {pair.single.about} ({pair.single.rows:,} rows). Over all that are found "
        "in both, what are the highest and "
        f"the median of these ratios, and how many are there?{NAMES}"
    )
    form = f"Answer as: highest ratio; median ratio; number of ratios. Ratios{rounded(5)}."
    return Sketch((pair.many, pair.single), question, moves, answer(form, 5))


TEMPLATES = (
    Template("group_of_partner", group_of_partner, pairs_of),
    Template("rate_of_partner", rate_of_partner, pairs_of),
)
