"""Which entries can be told apart: paired over tasks where both tell what each task was worth, else by proportions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Literal

from benchwright.analysis.statistics.pairs import holm, sign_flip
from benchwright.analysis.statistics.ranks import letters
from benchwright.labels import Labels
from benchwright.publishing.leaderboard.entries import Entry
from benchwright.scoring.grouping import clusters

Way = Literal["paired", "proportions", "none"]
WAYS: dict[Way, str] = {
    "paired": "tested in pairs over the same tasks (signs of differences flipped, by whole domains where there are 8)",
    "proportions": "tested as two independent proportions (pooled z), for want of scores by task: less sharp",
    "none": "not tested, as an accuracy is not known",
}
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries: how far the first is above the second, p before and after Holm's correction, and by which test."""

    first: str
    second: str
    difference: float | None
    p: float
    p_holm: float
    way: Way


@dataclass(frozen=True, slots=True)
class Apart:
    """Every pair, and by entry its letters: entries that share one cannot be told apart."""

    pairs: tuple[Pair, ...]
    groups: dict[str, str]

    def ways(self) -> dict[Way, int]:
        """How many pairs were tested in which way."""
        found: dict[Way, int] = {}
        for pair in self.pairs:
            found[pair.way] = found.get(pair.way, 0) + 1
        return found


def told_apart(entries: Sequence[Entry], subset: str, alpha: float = ALPHA) -> Apart:
    """Test all pairs on a subset, in the order given, best first."""
    tested = {(one.id, two.id): _tested(one, two, subset) for one, two in combinations(entries, 2)}
    adjusted = holm({pair: p for pair, (_, p, _) in tested.items()})
    pairs = tuple(Pair(*pair, difference, p, adjusted[pair], way) for pair, (difference, p, way) in tested.items())
    apart = frozenset(frozenset((pair.first, pair.second)) for pair in pairs if pair.p_holm <= alpha)
    return Apart(pairs, letters([entry.id for entry in entries], apart))


def _tested(one: Entry, two: Entry, subset: str) -> tuple[float | None, float, Way]:
    first, second = one.accuracy(subset), two.accuracy(subset)
    if first is None or second is None:
        return None, 1.0, "none"
    mine, theirs = one.worths(subset), two.worths(subset)
    if mine and mine.keys() == theirs.keys() and one.rule == two.rule:
        return first - second, _paired(one, mine, theirs), "paired"
    sizes = one.results[subset].n_tasks, two.results[subset].n_tasks
    return first - second, proportions((first, sizes[0]), (second, sizes[1])), "proportions"


def _paired(entry: Entry, mine: dict[str, float], theirs: dict[str, float]) -> float:
    domains = {line.id: Labels(task_id=line.id, domain=line.domain) for line in entry.lines}
    _, groups = clusters(list(mine), domains)
    return sign_flip([mine[task] - theirs[task] for task in mine], groups)


def proportions(first: tuple[float, int], second: tuple[float, int]) -> float:
    """The two-sided p of "equal" for two shares, each of so many tasks: the pooled z test.

    For scores that can be parts of 1 the variance of right-or-wrong is the largest there can be: it errs safely.
    """
    from scipy import stats

    (one, n), (two, m) = first, second
    pooled = (one * n + two * m) / (n + m)
    spread = sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    return float(2 * stats.norm.sf(abs(one - two) / spread)) if spread > 0 else 1.0
