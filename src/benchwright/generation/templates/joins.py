"""Tasks over two tables: the question never says what joins them."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, load, one, plainly, text, threshold
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
        f"both = pd.concat([many, single[[{field.q}]]], axis=1)",
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
            ("Statistical Calculations and Descriptive Statistics", "Data Aggregation and Grouping"),
            "Take median and number of rows of each group.",
            f"table = both.groupby({group.q})[{value.q}].agg(rows='count', median='median').reset_index()",
            f"table = both.groupby({group.q})[{value.q}].agg(rows='count', median='mean').reset_index()",
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


def split_by_partner(pair: Pair, rng: Random) -> Sketch | None:
    """Rows of one table, split by a measure that the other one tells of what they belong to."""
    sizes, values = (
        own_of_single(pair, pair.single.measures),
        [f for f in pair.many.measures if f.name != pair.key.name],
    )
    if not sizes or not values:
        return None
    size, value = one(rng, sizes), one(rng, values)
    limit = threshold(size)
    if limit is None:
        return None
    moves = (
        load(pair.many, "many"),
        load(pair.single, "single"),
        Move(
            ("Mapping and Lookup", "Joining and Lookup Operations"),
            "Look the other table's measure up for each row.",
            f"sizes = single.set_index({plainly('single', pair.name)})[{size.q}]\n"
            f"looked = {plainly('many', pair.key)}.map(sizes)",
            f"looked = single[{size.q}].reindex(many.index)",
        ),
        Move(
            ("Threshold-Based Categorization or Filtering", "Data Filtering and Grouping"),
            "Split the rows of which both is known at the threshold.",
            f"known = many.loc[looked.notna(), {value.q}].dropna()\nabove = looked[known.index] > {limit!r}\n"
            "assert 5 <= above.sum() <= len(known) - 5, 'one part is nearly empty'",
            f"known = many[{value.q}].dropna()\nabove = looked[known.index] > {limit!r}",
        ),
        Move(
            ("Incremental and Comparative Calculations",),
            "Compare the medians of both parts.",
            f"gap = known[above].median() - known[~above].median()\n"
            f"print(f'{{int(above.sum())}}; {{gap:.{value.decimals}f}}')",
            f"gap = known[above].median()\nprint(f'{{int(above.sum())}}; {{gap:.{value.decimals}f}}')",
        ),
    )
    question = (
        f"The data on {pair.single.about} ({pair.single.rows:,} rows) tell the {size.shown} of what the rows of "
        f"{pair.many.has_rows} are about. For how many of the latter rows, with a known {value.shown}, is that "
        f"{size.shown} greater than {text(limit)}, and by how much is their median {value.shown} higher than that "
        f"of the rows for which it is {text(limit)} or less (negative if lower)? Leave out rows whose {size.shown} "
        f"is not known.{NAMES}"
    )
    form = f"Answer as: number of rows; difference. The difference{rounded(value.decimals)}."
    return Sketch((pair.many, pair.single), question, moves, answer(form, value.decimals))


TEMPLATES = (
    Template("group_of_partner", group_of_partner, pairs_of),
    Template("split_by_partner", split_by_partner, pairs_of),
)
