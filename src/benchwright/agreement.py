"""How far two annotators agree: the share of cases, and Cohen's kappa, which takes off what chance would give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchwright.files import Record


class Agreement(Record):
    """How often two agree: `accuracy` over all `n` cases, and Cohen's kappa.

    `confusion` counts pairs "first/second"; `kappa` is None where it is not defined.
    """

    n: int
    accuracy: float
    kappa: float | None
    confusion: dict[str, int]

    @property
    def kappa_in_words(self) -> str:
        """Kappa for people: a rater who never chose is told, and not shown as one who agrees no better than chance."""
        return in_words(self.kappa)


def agreement_of(pairs: Sequence[tuple[str, str]]) -> Agreement:
    """The agreement of two on at least one case, each a pair of what the first and the second said."""
    agreed = sum(first == second for first, second in pairs)
    confusion = Counter(f"{first}/{second}" for first, second in pairs)
    return Agreement(
        n=len(pairs), accuracy=agreed / len(pairs), kappa=cohen_kappa(pairs), confusion=dict(sorted(confusion.items()))
    )


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Agreement of two raters beyond chance (Cohen 1960); None where one of them said one word only, or nothing.

    Such a rater agrees as often as chance has it whatever the other says: the formula gives 0 (or 0 / 0 where both do)
    for the best agreement possible and for the worst.
    """
    n = len(pairs)
    firsts, seconds = Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
    if min(len(firsts), len(seconds)) < 2:
        return None
    by_chance = sum(firsts[word] * seconds[word] for word in firsts) / n**2
    observed = sum(first == second for first, second in pairs) / n
    return (observed - by_chance) / (1.0 - by_chance)


def in_words(kappa: float | None) -> str:
    """A kappa of two decimals, or that there is none."""
    return "not defined" if kappa is None else f"{kappa:.2f}"
