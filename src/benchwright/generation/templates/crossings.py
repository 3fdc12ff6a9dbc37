"""Tasks of two crossed groups: what goes together oftener than by chance, what leads."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one, unrivalled
from benchwright.generation.templates.drafting import Move, Sketch, answer, result, rounded
from benchwright.generation.templates.reshaping import crossed
from benchwright.generation.templates.tables import Source


def lift(source: Source, rng: Random) -> Sketch | None:
    """The two values that go together oftenest compared with chance."""
    pair = crossed(source, rng, 15)
    if pair is None or pair[0].column.distinct * pair[1].column.distinct < 6:
        return None
    left, right = pair
    moves = (
        load(source),
        *complete(pair),
        Move(
            ("Co-occurrence and Pairwise Analysis", "SQL Pivot and Crosstab Techniques"),
            "Count how often each pair occurs.",
            f"pairs = df.groupby([{left.q}, {right.q}]).size()\n"
            "most = max(pairs.groupby(level=0).ngroups, pairs.groupby(level=1).ngroups)\n"
            "assert len(pairs) > 1.2 * most, 'one column follows from the other'",
        ),
        Move(
            ("Probability Calculations and Statistical Computation", "Probability and Normalization"),
            "Divide by the count that independence would give.",
            f"first, second = df[{left.q}].value_counts(), df[{right.q}].value_counts()\n"
            "ratio = pd.Series({(a, b): n * len(df) / (first[a] * second[b]) for (a, b), n in pairs.items()})",
            "ratio = pairs / pairs.sum()",
        ),
        Move(
            ("Sorting, Limiting, and Ranking", "Ranking and Top N Logic"),
            "Take the highest ratio.",
            unrivalled("ratio")
            + "best = ratio.sort_values(ascending=False)\nprint(f'{best.index[0][0]}; {best.index[0][1]}; "
            "{best.iloc[0]:.4f}')",
            "best = ratio.sort_index()\nprint(f'{best.index[0][0]}; {best.index[0][1]}; {best.iloc[0]:.4f}')",
        ),
    )
    question = (
        f"Which combination of {left.shown} and {right.shown} occurs in {source.has_rows} most often compared "
        "with what independence of the two would lead one to expect (observed count "
        f"divided by row total times column total over the number of rows), and what is this ratio?{gaps(pair)}"
    )
    form = f"Answer as: {left.name}; {right.name}; ratio. Values as in the data, the ratio{rounded(4)}."
    return Sketch((source,), question, moves, answer(form, 4))


def two_levels(source: Source, rng: Random) -> Sketch | None:
    """Each group's leading kind by a total, and its share within the group: a table."""
    pair = crossed(source, rng, 20)
    totals = source.complete_totals
    if pair is None or not totals:
        return None
    (group, kind), value = pair, one(rng, totals)
    columns = (group.name, kind.name, "percent")
    moves = (
        load(source),
        *complete(pair),
        Move(
            ("Data Aggregation and Grouping", "Summation Techniques"),
            "Add up by group and kind.",
            f"sums = df.groupby([{group.q}, {kind.q}])[{value.q}].sum()\n"
            "assert (sums.groupby(level=0).size() > 1).mean() >= 0.5, 'one follows from the other'",
            f"sums = df.groupby([{group.q}, {kind.q}])[{value.q}].max()",
        ),
        Move(
            ("MultiIndex and Hierarchical Indexing", "Percentage and Variation Calculations"),
            "Turn sums into percentages of the group's.",
            "percent = 100 * sums / sums.groupby(level=0).transform('sum')\n"
            "behind = percent.groupby(level=0).apply(lambda part: part.nlargest(2).diff().iloc[-1])\n"
            "assert (behind.fillna(-1) < -1e-9).all(), 'several kinds lead a group'",
            "percent = 100 * sums / sums.sum()",
        ),
        Move(
            ("Window Functions and Partitioning",),
            "Keep the leading kind of each group and write the table.",
            "table = percent.rename('percent').reset_index().sort_values(['percent'], ascending=False)\n"
            f"table.groupby({group.q}).head(1).round(3).to_csv('result.csv', index=False)",
            "table = percent.rename('percent').reset_index()\n"
            f"table.groupby({group.q}).head(1).round(3).to_csv('result.csv', index=False)",
        ),
    )
    question = (
        f"For each {group.shown} in {source.has_rows}, which {kind.shown} has the largest total of "
        f"{value.shown}, and what percentage (0 to 100) of that {group.shown}'s own total is it "
        f"(column percent)? One row for each {group.shown}.{gaps(pair)}"
    )
    return Sketch((source,), question, moves, result(columns, 3, [group.name]))


TEMPLATES = (
    Template("lift_of_pairs", lift),
    Template("leading_kind", two_levels),
)
