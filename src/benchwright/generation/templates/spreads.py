"""Tasks of distributions: bins, how few hold how much, how groups spread."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, nice, one, shuffled, text
from benchwright.generation.templates.drafting import Move, Sketch, answer, numbers, result, rounded
from benchwright.generation.templates.tables import Source


def bins(source: Source, rng: Random) -> Sketch | None:
    """A table of means by bins of equal width."""
    pairs = shuffled(rng, source.measures)[:2]
    if len(pairs) < 2 or source.rows < 60:
        return None
    by, value = pairs
    low, high = (by.column.numbers.q25, by.column.numbers.q75) if by.column.numbers else (0.0, 0.0)
    width = nice((high - low) / 2)
    start = float(f"{width * round(low / width):.10g}") if width > 0 else 0.0
    if width <= 0 or start >= high:
        return None
    edges = [float(f"{start + width * number:.10g}") for number in range(4)]
    places = max(value.decimals, 2)
    moves = (
        load(source),
        *complete((by, value)),
        Move(
            ("Data Binning and Grid Creation",),
            "Sort the rows into bins that hold their lower edge.",
            f"edges = [-np.inf, {', '.join(map(repr, edges))}, np.inf]\n"
            f"bin_number = pd.cut(df[{by.q}], edges, right=False, labels=False) + 1",
            f"bin_number = pd.qcut(df[{by.q}].rank(method='first'), 5, labels=False) + 1",
        ),
        Move(
            ("Statistical Calculations and Descriptive Statistics",),
            "Count the rows of each bin and take their median.",
            f"table = df.groupby(bin_number.rename('bin'))[{value.q}].agg(rows='size', median='median').reset_index()",
            f"table = df.groupby(bin_number.rename('bin'))[{value.q}].agg(rows='size', median='mean').reset_index()",
        ),
        Move(
            ("Data Export and Output Processing", "Visualization and Output Generation"),
            "Write the table.",
            f"table.round({{'median': {places}}}).to_csv('result.csv', index=False)",
        ),
    )
    shown = ", ".join(map(text, edges))
    question = (
        f"Cut {by.shown} of {source.has_rows} at {shown} into five bins: bin 1 lies below {text(edges[0])}, each "
        "further bin begins with the next of these "
        "values (included), bin 5 is open upwards. For each bin that holds rows, give its number (bin), its "
        "number of rows (rows) and the median of "
        f"{value.shown} (median).{gaps((by, value))}"
    )
    return Sketch((source,), question, moves, result(("bin", "rows", "median"), places, ["bin"]))


def few_hold_most(source: Source, rng: Random) -> Sketch | None:
    """How many names make up four fifths of a total, and the share of the first."""
    totals = source.complete_totals
    labels = [*source.labels, *source.names]
    if not totals or not labels:
        return None
    label, total, share = one(rng, labels), one(rng, totals), one(rng, (50, 60, 75, 80))
    moves = (
        load(source),
        *complete((label,)),
        Move(
            ("Sorting and Aggregation", "Data Aggregation and Grouping"),
            "Add up by name, largest first.",
            f"sums = df.groupby({label.q})[{total.q}].sum().sort_values(ascending=False)",
            f"sums = df.groupby({label.q})[{total.q}].sum()",
        ),
        Move(
            ("Arithmetic and Cumulative Calculations", "Cumulative and Row-wise Operations"),
            "Run up the shares of the total.",
            "running = 100 * sums.cumsum() / sums.sum()",
            "running = 100 * sums / sums.sum()",
        ),
        Move(
            ("Numerical Comparison and Proximity Checks",),
            "Count the names until the share is reached.",
            f"needed = int((running < {share} - 1e-9).sum()) + 1\nprint(f'{{needed}}; {{100 * sums.iloc[0] / "
            f"sums.sum():.2f}}')",
            f"needed = int((running < {share}).sum())\nprint(f'{{needed}}; {{100 * sums.iloc[0] / sums.sum():.2f}}')",
        ),
    )
    question = (
        f"Order the different values of {label.shown} in {source.has_rows} by their total {total.shown}, largest "
        "first. How many of them does it take, from "
        f"the top, until they make up at least {share} percent of the grand total? And what percentage of the "
        "grand total has the very first of them?"
        f"{gaps((label,))}"
    )
    form = f"Answer as: number of values; percentage. The percentage{rounded(2)} (0 to 100)."
    return Sketch((source,), question, moves, answer(form, 2))


def spread_of_groups(source: Source, rng: Random) -> Sketch | None:
    """Coefficient of variation of groups, and the ratio of the largest to the smallest."""
    positive = [f for f in source.measures if f.column.numbers and f.column.numbers.min > 0]
    groups = [field for field in source.groups if field.column.distinct >= 3]
    if not positive or not groups:
        return None
    group, value = one(rng, groups), one(rng, positive)
    moves = (
        load(source),
        *complete((group, value)),
        Move(
            ("Statistical Calculations and Descriptive Statistics", "Statistical Analysis and Metrics"),
            "Take mean and sample standard deviation of each group.",
            f"table = df.groupby({group.q})[{value.q}].agg(['mean', 'std'])",
            f"table = df.groupby({group.q})[{value.q}].agg(mean='mean', std=lambda x: x.std(ddof=0))",
        ),
        Move(
            (
                "Column Manipulation / Creation",
                "Data Transformation and Calculation",
                "Vectorized Column or Row Manipulation",
            ),
            "Divide deviation by mean.",
            "table['relative'] = table['std'] / table['mean']",
            "table['relative'] = table['std']",
        ),
        Move(
            ("Incremental and Comparative Calculations", "Percentage and Variation Calculations"),
            "Compare the largest with the smallest.",
            "print(f\"{table['relative'].max():.4f}; {table['relative'].max() / table['relative'].min():.4f}\")",
        ),
    )
    question = (
        f"For each {group.shown} in {source.has_rows}, divide the sample standard deviation of {value.shown} (n "
        "- 1 in the denominator) by its mean. Give the largest of "
        f"these coefficients of variation, and the ratio of the largest to the smallest.{gaps((group, value))}"
    )
    return Sketch((source,), question, moves, numbers("largest coefficient", "ratio", decimals=4))


TEMPLATES = (
    Template("bins_of_equal_width", bins),
    Template("few_hold_most", few_hold_most),
    Template("spread_of_groups", spread_of_groups),
)
