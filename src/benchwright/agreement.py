"""How far two annotators agree: the share of cases, and Cohen's kappa, which takes off what chance would give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchwright.files import Record


class Agreement(Record):
    """How often two agree: `accuracy` over all `n` cases, and Cohen's kappa.

    `confusion` counts pairs "first/second"; `kappa` is None where both said the same one word throughout.
    """

    n: int
    accuracy: float
    kappa: float | None
    confusion: dict[str, int]


def agreement_of(pairs: Sequence[tuple[str, str]]) -> Agreement:
    """The agreement of two on at least one case, each a pair of what the first and the second said."""
    agreed = sum(first == second for first, second in pairs)
    confusion = Counter(f"{first}/{second}" for first, second in pairs)
    return Agreement(
        n=len(pairs), accuracy=agreed / len(pairs), kappa=cohen_kappa(pairs), confusion=dict(sorted(confusion.items()))
    )


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Agreement of two raters beyond chance (Cohen 1960); None where both said the same word throughout, or of none."""
    n = len(pairs)
    firsts, seconds = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    by_chance = sum(firsts[word] * seconds[word] for word in firsts) / n**2 if n else 1.0
    observed = sum(first == second for first, second in pairs) / n if n else 1.0
    return None if by_chance == 1.0 else (observed - by_chance) / (1.0 - by_chance)
