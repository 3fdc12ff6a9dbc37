"""Which entries can be told apart: paired over tasks where both tell what each task was worth, else by proportions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import erfc, sqrt
from typing import TYPE_CHECKING, Literal

from benchwright.analysis.statistics.pairs import Flips, flips, holm
from benchwright.analysis.statistics.ranks import letters
from benchwright.labels import Labels
from benchwright.publishing.leaderboard.entries import Entry
from benchwright.scoring.clusters import clustered
from benchwright.scoring.grouping import clusters
from benchwright.scoring.intervals import score_interval, wilson

if TYPE_CHECKING:
    from benchwright.scoring.clusters import Array

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
    testing = _Testing(subset)
    tested = {(one.id, two.id): testing.pair(one, two) for one, two in combinations(entries, 2)}
    adjusted = holm({pair: p for pair, (_, p, _) in tested.items()})
    pairs = tuple(Pair(*pair, difference, p, adjusted[pair], way) for pair, (difference, p, way) in tested.items())
    apart = frozenset(frozenset((pair.first, pair.second)) for pair in pairs if pair.p_holm <= alpha)
    return Apart(pairs, letters([entry.id for entry in entries], apart))


class _Testing:
    """Tests of pairs that share what does not depend on the pair: worths by entry, groups of tasks, drawn signs."""

    def __init__(self, subset: str) -> None:
        self.subset = subset
        self._worths: dict[str, dict[str, float]] = {}
        self._groups: dict[tuple[tuple[str, str], ...], list[str] | None] = {}
        self._signs: dict[int, Array] = {}

    def pair(self, one: Entry, two: Entry) -> tuple[float | None, float, Way]:
        """How far the first is above the second, p, and how it was found."""
        first, second = one.accuracy(self.subset), two.accuracy(self.subset)
        if first is None or second is None:
            return None, 1.0, "none"
        mine, theirs = self._of(one), self._of(two)
        if mine and mine.keys() == theirs.keys() and one.rule == two.rule:
            return first - second, self._paired(one, [mine[task] - theirs[task] for task in mine], list(mine)), "paired"
        sizes = one.results[self.subset].n_tasks, two.results[self.subset].n_tasks
        return first - second, proportions((first, sizes[0]), (second, sizes[1])), "proportions"

    def _of(self, entry: Entry) -> dict[str, float]:
        if entry.id not in self._worths:
            self._worths[entry.id] = entry.worths(self.subset)
        return self._worths[entry.id]

    def _paired(self, entry: Entry, differences: Sequence[float], tasks: Sequence[str]) -> float:
        """As `sign_flip`, with the same signs for every pair of as many clusters."""
        data = clustered(differences, self._grouped(entry, tasks))
        if data.count not in self._signs:
            self._signs[data.count] = flips([0.0] * data.count).signs
        return Flips(data, self._signs[data.count]).p()

    def _grouped(self, entry: Entry, tasks: Sequence[str]) -> list[str] | None:
        domains = tuple((line.id, line.domain) for line in entry.lines if self.subset in line.subsets)
        if domains not in self._groups:
            labels = {task: Labels(task_id=task, domain=domain) for task, domain in domains}
            self._groups[domains] = clusters(tasks, labels)[1]
        return self._groups[domains]


def interval(entry: Entry, subset: str) -> tuple[float | None, float | None]:
    """The 95 % interval of an accuracy: over domains where tasks are told and there are 8 or more, else Wilson's."""
    worths = entry.worths(subset)
    if not worths:
        return wilson(entry.accuracy(subset) or 0.0, entry.results[subset].n_tasks) or (None, None)
    labels = {line.id: Labels(task_id=line.id, domain=line.domain) for line in entry.lines if line.id in worths}
    found = score_interval(list(worths.values()), clusters(list(worths), labels)[1])
    return found.low, found.high


def proportions(first: tuple[float, int], second: tuple[float, int]) -> float:
    """The two-sided p of "equal" for two shares, each of so many tasks: the pooled z test.

    For scores that can be parts of 1 the variance of right-or-wrong is the largest there can be: it errs safely.
    """
    (one, n), (two, m) = first, second
    pooled = (one * n + two * m) / (n + m)
    spread = sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    return erfc(abs(one - two) / spread / sqrt(2)) if spread > 0 else 1.0  # of both tails of the normal distribution
