"""Before a run: which difference could be seen with so many tasks, and how many tasks a difference needs."""

from __future__ import annotations

from math import ceil, sqrt

_MOST_EXACT = 4_000
"""Tasks up to which chances are summed; beyond, the normal distribution's are as good."""


def detectable(
    tasks: int, discordant: float, design_effect: float = 1.0, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The smallest true difference of two agents' accuracies that a paired test finds with chance `power`.

    `discordant` is the share of tasks that only one of them gets right; `design_effect` how many times larger the
    variance is because tasks come in clusters: so many fewer tasks there are. 1.0 where no difference could be seen.
    """
    worth = int(tasks / max(1.0, design_effect))
    low, high = 0.0, min(1.0, discordant)
    if chance(high, worth, discordant, alpha) < power:
        return 1.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if chance(middle, worth, discordant, alpha) >= power else (middle, high)
    return high


def chance(difference: float, tasks: int, discordant: float, alpha: float = 0.05) -> float:
    """How probable it is that the exact paired test (McNemar 1947) over so many tasks finds a true difference.

    Summed over how many tasks are discordant and how many of these the better agent wins; beyond 4,000 tasks by
    Miettinen (1968).
    """
    import numpy as np
    from scipy import stats

    if not 0 < difference <= discordant or tasks < 1:
        return 0.0
    if tasks > _MOST_EXACT:
        spread = sqrt(max(0.0, discordant - difference**2)) or 1e-12
        reach = difference * sqrt(tasks) - float(stats.norm.ppf(1 - alpha / 2)) * sqrt(discordant)
        return float(stats.norm.cdf(reach / spread))
    apart = np.arange(tasks + 1)
    wins = (discordant + difference) / (2 * discordant)
    few = stats.binom.ppf(alpha / 2, apart, 0.5)
    few = np.where(stats.binom.cdf(few, apart, 0.5) > alpha / 2, few - 1, few)  # lost tasks up to which p <= alpha
    found = stats.binom.cdf(few, apart, 1 - wins) + stats.binom.cdf(few, apart, wins)
    return float((stats.binom.pmf(apart, tasks, discordant) * np.where(few < 0, 0.0, found)).sum())


def needed(
    difference: float, discordant: float, design_effect: float = 1.0, alpha: float = 0.05, power: float = 0.8
) -> float:
    """How many tasks a paired test needs to find a true difference with chance `power`; infinite for none.

    After Miettinen (1968): the spread of a difference d is discordant - d².
    """
    from scipy import stats

    difference = abs(difference)
    if difference <= 0 or difference > discordant:
        return float("inf")
    quantile, beta = float(stats.norm.ppf(1 - alpha / 2)), float(stats.norm.ppf(power))
    spread = quantile * sqrt(discordant) + beta * sqrt(max(0.0, discordant - difference**2))
    return float(ceil(design_effect * (spread / difference) ** 2))
