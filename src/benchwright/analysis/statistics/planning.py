"""Before a run: which difference could be seen with so many tasks, and how many tasks a difference needs."""

from __future__ import annotations

from math import ceil, sqrt


def detectable(
    tasks: int, discordant: float, design_effect: float = 1.0, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The smallest true difference of two agents' accuracies that a paired test finds with chance `power`.

    `discordant` is the share of tasks that only one of them gets right; `design_effect` how many times larger the
    variance is because tasks come in clusters. After Miettinen (1968): the spread of a difference d is discordant - d².
    1.0 where no difference could be seen.
    """
    low, high = 0.0, min(1.0, discordant)
    if needed(high, discordant, design_effect, alpha, power) > tasks:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (low, middle) if needed(middle, discordant, design_effect, alpha, power) <= tasks else (middle, high)
        )
    return high


def needed(
    difference: float, discordant: float, design_effect: float = 1.0, alpha: float = 0.05, power: float = 0.8
) -> float:
    """How many tasks a paired test needs to find a true difference with chance `power`; infinite for none."""
    from scipy import stats

    difference = abs(difference)
    if difference <= 0 or difference > discordant:
        return float("inf")
    quantile, beta = float(stats.norm.ppf(1 - alpha / 2)), float(stats.norm.ppf(power))
    spread = quantile * sqrt(discordant) + beta * sqrt(max(0.0, discordant - difference**2))
    return float(ceil(design_effect * (spread / difference) ** 2))
