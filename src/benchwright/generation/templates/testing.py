"""Tasks of tests: means, variances and names of groups."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one
from benchwright.generation.templates.drafting import Move, Sketch, numbers
from benchwright.generation.templates.tables import Field, Source


def _two(source: Source, rng: Random) -> tuple[Field, Field, str, str] | None:
    """A group column, a measure, and two of the groups with ten rows and more."""
    groups = [f for f in source.groups if sum(count >= 10 for _, count in f.levels) >= 2]
    if not groups or not source.measures:
        return None
    group, value = one(rng, groups), one(rng, source.measures)
    large = sorted(str(level) for level, count in group.levels if count >= 10)
    left, right = sorted(rng.sample(large, 2))
    return group, value, left, right


def welch(source: Source, rng: Random) -> Sketch | None:
    """Two groups compared by Welch's test, and the size of the effect."""
    found = _two(source, rng)
    if found is None:
        return None
    group, value, left, right = found
    moves = (
        load(source),
        *complete((group, value)),
        Move(
            ("Data Filtering and Matching", "Filtering and Criteria-Based Selection"),
            "Take the values of the two groups.",
            f"a, b = df.loc[df[{group.q}] == {left!r}, {value.q}], df.loc[df[{group.q}] == {right!r}, {value.q}]",
            f"a, b = df.loc[df[{group.q}] == {left!r}, {value.q}], df.loc[df[{group.q}] != {left!r}, {value.q}]",
        ),
        Move(
            ("Statistical Assumptions and Limitations", "Statistical Analysis and Testing"),
            "Compare the means without assuming equal variances.",
            "t, p = stats.ttest_ind(a, b, equal_var=False)",
            "t, p = stats.ttest_ind(a, b)",
        ),
        Move(
            ("Statistical Analysis and Inference",),
            "Express the difference in pooled standard deviations.",
            "pooled = (((len(a) - 1) * a.var() + (len(b) - 1) * b.var()) / (len(a) + len(b) - 2)) ** 0.5\n"
            "effect = (a.mean() - b.mean()) / pooled\nprint(f'{t:.4f}; {effect:.4f}')",
            "effect = a.mean() - b.mean()\nprint(f'{t:.4f}; {effect:.4f}')",
        ),
    )
    question = (
        f'Compare {value.shown} between the rows of {source.has_rows} whose {group.shown} is "{left}" and those '
        f'where it is "{right}". Give the t statistic of Welch\'s test (unequal variances, '
        f'"{left}" minus "{right}") and Cohen\'s d with the pooled sample standard deviation.{gaps((group, value))}'
    )
    return Sketch((source,), question, moves, numbers("t statistic", "Cohen's d", decimals=4))


def variance_explained(source: Source, rng: Random) -> Sketch | None:
    """Analysis of variance: F and the share of variance that groups explain."""
    groups = [f for f in source.groups if f.column.distinct >= 3]
    if not groups or not source.measures:
        return None
    group, value = one(rng, groups), one(rng, source.measures)
    moves = (
        load(source),
        *complete((group, value)),
        Move(
            ("Data Preprocessing and Segmentation", "Grouping and Index Assignment"),
            "Split the values by group.",
            f"parts = [part for _, part in df.groupby({group.q})[{value.q}]]",
        ),
        Move(
            ("Statistical Testing for Feature-Target Evaluation", "Statistical Analysis and Testing"),
            "Test whether all means are equal.",
            "f, p = stats.f_oneway(*parts)",
            "f, p = stats.ttest_ind(parts[0], parts[1])",
        ),
        Move(
            ("Statistical Analysis and Inference",),
            "Divide the variation between groups by all of it.",
            "whole = pd.concat(parts)\n"
            "between = sum(len(part) * (part.mean() - whole.mean()) ** 2 for part in parts)\n"
            "share = between / ((whole - whole.mean()) ** 2).sum()\nprint(f'{f:.4f}; {share:.4f}')",
            "whole = pd.concat(parts)\n"
            "between = sum(len(part) * (part.mean() - whole.mean()) ** 2 for part in parts)\n"
            "share = between / sum(((part - part.mean()) ** 2).sum() for part in parts)\n"
            "print(f'{f:.4f}; {share:.4f}')",
        ),
    )
    question = (
        f"Does {value.shown} differ by {group.shown} in {source.has_rows}? Run a one-way analysis of variance "
        f"over all values of {group.shown}, and give the F statistic and eta squared (between-group sum of "
        f"squares over total sum of squares).{gaps((group, value))}"
    )
    return Sketch((source,), question, moves, numbers("F", "eta squared", decimals=4))


def independence(source: Source, rng: Random) -> Sketch | None:
    """Chi-squared of two columns of names, and Cramer's V."""
    groups = [f for f in source.groups if f.column.distinct <= 8]
    if len(groups) < 2:
        return None
    left, right = sorted(rng.sample(groups, 2), key=lambda field: field.name)
    moves = (
        load(source),
        *complete((left, right)),
        Move(
            ("Co-occurrence and Pairwise Analysis",),
            "Cross the two columns.",
            f"crossed = pd.crosstab(df[{left.q}], df[{right.q}])",
            f"crossed = pd.crosstab(df[{left.q}], df[{right.q}], normalize='index')",
        ),
        Move(
            ("Statistical Analysis and Testing",),
            "Compute Pearson's statistic without a correction.",
            "chi, p, _, _ = stats.chi2_contingency(crossed, correction=False)",
            "chi, p, _, _ = stats.chi2_contingency(crossed)",
        ),
        Move(
            ("Statistical Analysis and Inference",),
            "Scale it by rows and the smaller dimension.",
            "v = (chi / (crossed.to_numpy().sum() * (min(crossed.shape) - 1))) ** 0.5\n"
            "assert v < 0.95, 'one column follows from the other'\nprint(f'{chi:.4f}; {v:.4f}')",
            "v = (chi / crossed.to_numpy().sum()) ** 0.5\nprint(f'{chi:.4f}; {v:.4f}')",
        ),
    )
    question = (
        f"How closely do {left.shown} and {right.shown} go together in {source.has_rows}? Give Pearson's "
        "chi-squared statistic of their cross table (no continuity correction) and Cramer's V "
        f"(without bias correction).{gaps((left, right))}"
    )
    return Sketch((source,), question, moves, numbers("chi-squared", "Cramer's V", decimals=4))


TEMPLATES = (
    Template("welch", welch),
    Template("variance_explained", variance_explained),
    Template("independence", independence),
)
