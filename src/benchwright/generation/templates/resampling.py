"""Tasks of chance: bootstrap samples, tails of distributions."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, complete, gaps, load, nice, one, text
from benchwright.generation.templates.drafting import Move, Sketch, explained, numbers
from benchwright.generation.templates.tables import Source


def bootstrap(source: Source, rng: Random) -> Sketch | None:
    """An interval of the median from a stated stream of random numbers."""
    if not source.measures or source.rows > 5000:
        return None
    value, seed, draws = one(rng, source.measures), rng.randrange(1, 1000), one(rng, (500, 1000, 2000))
    moves = (
        load(source),
        *complete((value,)),
        Move(
            ("Stochasticity and Reproducibility", "Random Number Generation"),
            "Draw the rows with the stated generator.",
            f"generator = np.random.default_rng({seed})\nplaces = generator.integers(0, len(df), size=({draws}, "
            "len(df)))",
            f"generator = np.random.default_rng(0)\nplaces = generator.integers(0, len(df), size=({draws}, len(df)))",
        ),
        Move(
            ("Bootstrap Resampling in Models", "Parameter Estimation and Bootstrap Methods"),
            "Take the mean of each sample.",
            f"values = df[{value.q}].to_numpy(dtype=float)\nmeans = values[places].mean(axis=1)",
            f"values = df[{value.q}].to_numpy(dtype=float)\nmeans = values",
        ),
        Move(
            ("Statistical Calculations and Quantiles",),
            "Take the quantiles of the means.",
            f"low, high = np.quantile(means, [0.05, 0.95])\nprint(f'{{low:.{value.decimals + 1}f}}; "
            f"{{high:.{value.decimals + 1}f}}')",
            "low, high = means.mean() - 1.645 * means.std(), means.mean() + 1.645 * means.std()\n"
            f"print(f'{{low:.{value.decimals + 1}f}}; "
            f"{{high:.{value.decimals + 1}f}}')",
        ),
    )
    question = (
        f"Give a 90% bootstrap percentile interval of the mean of {value.shown} in {source.has_rows}, with "
        f"{draws} samples "
        f"and seed {seed}.{gaps((value,))}"
    )
    method = (
        "Draw the row positions (counted from 0, in the order of the file) with numpy as "
        f"np.random.default_rng({seed}).integers(0, n, size=({draws}, n)), where n is the number of rows used, "
        "one sample "
        "a row of that array, and take the 5% and 95% quantiles of the sample means by linear interpolation."
    )
    form = numbers("lower end", "upper end", decimals=value.decimals + 1)
    return Sketch((source,), question, moves, explained(method, form))


def normal_tail(source: Source, rng: Random) -> Sketch | None:
    """What a normal distribution says is beyond a value, what the data say, and what no distribution can exceed."""
    value = one(rng, source.measures) if source.measures else None
    if value is None or value.column.numbers is None or source.rows < 40:
        return None
    n = value.column.numbers
    limit = nice(n.mean + 0.8 * (n.q75 - n.q25) + 0.1 * abs(n.q75 - n.median))
    if not n.q75 < limit < n.max:
        return None
    moves = (
        load(source),
        *complete((value,)),
        Move(
            ("Probability Distributions and Statistical Modeling", "Probability Modeling and Conversion"),
            "Fit a normal distribution and take its tail.",
            f"x = df[{value.q}]\nmean, deviation = x.mean(), x.std()\ntail = stats.norm.sf({limit!r}, mean, deviation)",
            f"x = df[{value.q}]\nmean, deviation = x.mean(), x.std()\ntail = (x > {limit!r}).mean()",
        ),
        Move(
            ("Statistical Inequality Calculation",),
            "Bound the tail without assuming a distribution.",
            f"bound = deviation ** 2 / (deviation ** 2 + ({limit!r} - mean) ** 2)",
            f"bound = min(deviation ** 2 / ({limit!r} - mean) ** 2, 1)",
        ),
        Move(
            ("Data Comparison and Validation", "Probability and Normalization"),
            "Take the share of the rows themselves.",
            f"share = (x > {limit!r}).mean()\nprint(f'{{tail:.4f}}; {{share:.4f}}; {{bound:.4f}}')",
        ),
    )
    question = (
        f"What share of values of {value.shown} lies above {text(limit)} in {source.has_rows}? Give it three "
        "times: by a normal distribution with the sample mean and sample standard deviation (n - 1), as "
        "observed, and as "
        f"Cantelli's one-sided bound from the same mean and variance.{gaps((value,))}"
    )
    return Sketch((source,), question, moves, numbers("normal share", "observed share", "bound", decimals=4))


TEMPLATES = (
    Template("bootstrap", bootstrap),
    Template("normal_tail", normal_tail),
)
