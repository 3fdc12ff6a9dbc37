"""Tasks of several comparisons, and of intervals."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, one, unrivalled
from benchwright.generation.templates.drafting import Move, Sketch, answer, named, rounded
from benchwright.generation.templates.tables import Source


def several_comparisons(source: Source, rng: Random) -> Sketch | None:
    """How many pairs of groups differ after Holm's correction."""
    groups = [f for f in source.groups if 3 <= f.column.distinct <= 8 and min(c for _, c in f.levels) >= 8]
    if not groups or not source.measures:
        return None
    group, value = one(rng, groups), one(rng, source.measures)
    moves = (
        load(source),
        *complete((group, value)),
        Move(
            ("Combinatorics and Set Operations",),
            "List all pairs of groups.",
            f"parts = {{name: part for name, part in df.groupby({group.q})[{value.q}]}}\n"
            "pairs = list(itertools.combinations(sorted(parts), 2))",
            f"parts = {{name: part for name, part in df.groupby({group.q})[{value.q}]}}\n"
            "pairs = list(itertools.pairwise(sorted(parts)))",
        ),
        Move(
            ("Statistical Analysis and Testing",),
            "Test each pair by ranks.",
            "p = np.array([stats.mannwhitneyu(parts[a], parts[b], alternative='two-sided', "
            "method='asymptotic').pvalue for a, b in pairs])",
            "p = np.array([stats.ttest_ind(parts[a], parts[b]).pvalue for a, b in pairs])",
        ),
        Move(
            ("Multiple Comparisons and Hypothesis Testing",),
            "Correct the p-values for their number, and tell the largest.",
            "ordered = np.sort(p)\nadjusted = np.minimum(np.maximum.accumulate(ordered * np.arange(len(p), 0, "
            "-1)), 1)\n"
            "print(f'{int((adjusted < 0.05).sum())}; {np.median(adjusted):.6f}')",
            "print(f'{int((p < 0.05).sum())}; {np.median(p):.6f}')",
        ),
    )
    question = (
        f"Compare {value.shown} between every two values of {group.shown} in {source.has_rows} with two-sided "
        "Mann-Whitney U tests (normal approximation with tie and continuity correction), and adjust the "
        "p-values by "
        "Holm's method. How many pairs differ at the 5% level after adjustment, and what is the median of the "
        f"adjusted p-values?{gaps((group, value))}"
    )
    form = f"Answer as: number of pairs; median adjusted p-value. The p-value{rounded(6)}."
    return Sketch((source,), question, moves, answer(form, 6))


def interval_of_mean(source: Source, rng: Random) -> Sketch | None:
    """The group with the widest interval of its mean."""
    groups = [f for f in source.groups if f.column.distinct >= 3]
    if not groups or not source.measures:
        return None
    group, value, level = one(rng, groups), one(rng, source.measures), one(rng, (90, 95, 99))
    moves = (
        load(source),
        *complete((group, value)),
        Move(
            ("Error Bars and Statistical Summaries",),
            "Take the standard error of each group's mean.",
            f"by = df.groupby({group.q})[{value.q}]\nn, error = by.size(), by.std() / by.size() ** 0.5",
            f"by = df.groupby({group.q})[{value.q}]\nn, error = by.size(), by.std()",
        ),
        Move(
            ("Statistical Modeling and Uncertainty",),
            "Multiply it by the quantile of the t distribution.",
            f"half = error * stats.t.ppf({0.5 + level / 200!r}, n - 1)",
            f"half = error * stats.norm.ppf({0.5 + level / 200!r})",
        ),
        Move(
            ("Sorting, Limiting, and Ranking", "Ranking and Top N Logic"),
            "Take the widest interval.",
            unrivalled("half") + f"best = half.sort_values(ascending=False)\nprint(f'{{best.index[0]}}; {{2 * "
            f"best.iloc[0]:.{value.decimals}f}}')",
            f"best = half\nprint(f'{{best.index[0]}}; {{2 * best.iloc[0]:.{value.decimals}f}}')",
        ),
    )
    question = (
        f"For each {group.shown} in {source.has_rows}, compute the {level}% confidence interval of the mean of "
        f"{value.shown} (Student's t, sample standard deviation of the group). For which {group.shown} is the "
        "interval widest, "
        f"and how wide is it from its lower to its upper end?{gaps((group, value))}"
    )
    return Sketch((source,), question, moves, named(group.name, value.decimals, "width"))


TEMPLATES = (
    Template("several_comparisons", several_comparisons),
    Template("interval_of_mean", interval_of_mean),
)
