"""Tasks of correlation: the strongest pair of columns, the group that differs."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, no_copies, one, some, unrivalled
from benchwright.generation.templates.drafting import Move, Sketch, answer, named, rounded
from benchwright.generation.templates.tables import Source
from benchwright.generation.templates.wording import listed


def strongest_pair(source: Source, rng: Random) -> Sketch | None:
    """The two columns with the strongest rank correlation."""
    if len(source.measures) < 4:
        return None
    fields = some(rng, source.measures, min(len(source.measures), rng.choice((4, 5))))
    columns = "[" + ", ".join(field.q for field in fields) + "]"
    moves = (
        load(source),
        *complete(fields),
        Move(
            ("Statistical Correlation Analysis",),
            "Compute Spearman's rank correlation of all pairs.",
            f"matrix = df[{columns}].corr(method='spearman')",
            f"matrix = df[{columns}].corr()",
        ),
        Move(
            ("Filtering and Sorting Correlation Data",),
            "List each pair once, strongest first whatever the sign.",
            "pairs = matrix.where(np.triu(np.ones(matrix.shape, dtype=bool), 1)).stack()\n"
            "ordered = pairs.reindex(pairs.abs().sort_values(ascending=False).index)",
            "ordered = matrix.where(np.triu(np.ones(matrix.shape, dtype=bool), "
            "1)).stack().sort_values(ascending=False)",
        ),
        Move(
            ("Interpreting and Communicating Statistical Results", "Validation and Output Formatting"),
            "Name the pair and its coefficient.",
            no_copies("ordered.iloc[0]")
            + "\n"
            + unrivalled("ordered.abs()")
            + "left, right = sorted(ordered.index[0])\nprint(f'{left}; {right}; {ordered.iloc[0]:.4f}')",
        ),
    )
    question = (
        f"Among the columns {listed([f.shown for f in fields])} of {source.has_rows}, which two have the "
        "strongest Spearman rank correlation, positive or "
        f"negative, and what is the coefficient?{gaps(fields)}"
    )
    form = (
        "Answer as: column; column; coefficient. The two columns in alphabetical order (capital letters "
        "before small ones)"
    )
    return Sketch((source,), question, moves, answer(f"{form}, the coefficient{rounded(4)}.", 4))


def correlation_of_groups(source: Source, rng: Random) -> Sketch | None:
    """The group in which two columns go together most closely."""
    groups = [field for field in source.groups if min(count for _, count in field.levels) >= 8]
    if not groups or len(source.measures) < 2:
        return None
    group, (left, right) = one(rng, groups), some(rng, source.measures, 2)
    used = (group, left, right)
    moves = (
        load(source),
        *complete(used),
        Move(
            ("Statistical Correlation Analysis", "Feature Selection and Statistical Computation"),
            "Compute Pearson's correlation within each group.",
            f"table = pd.Series({{name: part[{left.q}].corr(part[{right.q}]) for name, part in "
            f"df.groupby({group.q})}})\n" + no_copies(f"df[{left.q}].corr(df[{right.q}])"),
        ),
        Move(
            ("Data Exploration and Comparison",),
            "Compare each group with the whole.",
            f"change = table - df[{left.q}].corr(df[{right.q}])",
            "change = table - table.mean()",
        ),
        Move(
            ("Sorting, Limiting, and Ranking", "Ranking and Top N Logic"),
            "Take the group that differs most.",
            unrivalled("change.abs()")
            + "best = change.abs().sort_values(ascending=False).index[0]\nprint(f'{best}; {table[best]:.4f}')",
            "best = change.sort_values().index[0]\nprint(f'{best}; {table[best]:.4f}')",
        ),
    )
    question = (
        f"Compute the Pearson correlation of {left.shown} and {right.shown} in {source.has_rows} over all rows, "
        f"and separately within each {group.shown}. For which "
        f"{group.shown} does the correlation differ most from that of all rows, in either direction, and what is "
        f"it within that group?{gaps(used)}"
    )
    return Sketch((source,), question, moves, named(group.name, 4, "correlation"))


TEMPLATES = (
    Template("strongest_pair", strongest_pair),
    Template("correlation_of_groups", correlation_of_groups),
)
