"""Two runs on the same tasks: what got better, what got worse, and whether it is more than noise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.analysis.grouping import ClusterBy, clusters
from benchwright.analysis.sides import Side
from benchwright.analysis.statistics.pairs import flips, holm, mcnemar, sign_flip, smallest_p
from benchwright.analysis.statistics.planning import detectable
from benchwright.errors import InputError
from benchwright.files import Record
from benchwright.labels import Labels
from benchwright.scoring.clusters import clustered

_ALPHA = 0.05
_FEWEST_TASKS = 3
"""Groups of fewer tasks are left out of the tables."""


class Difference(Record):
    """How far the second lies above the first, with the paired test over `clusters` groups of tasks.

    `detectable` is the difference that would be found four times in five.
    """

    mean: float
    ci95: tuple[float, float]
    p: float
    cluster_by: ClusterBy
    clusters: int
    detectable: float


class Moved(Record):
    """A task, and what it was worth in both."""

    task: str
    first: float
    second: float

    @property
    def by(self) -> float:
        """How much it got better."""
        return self.second - self.first


class McNemar(Record):
    """Tasks that are right in one alone, and the exact p."""

    first_only: int
    second_only: int
    p: float


class Flipped(Record):
    """Tasks that got better and worse, those that moved most first; how many did neither; and McNemar's test."""

    better: tuple[Moved, ...]
    worse: tuple[Moved, ...]
    same: int
    mcnemar: McNemar


@dataclass(frozen=True, slots=True)
class Comparison:
    """The second run against the first, over the tasks that both have a verdict on.

    Differences are second minus first; `clusters` are the groups of the tasks, None where each is one of its own;
    `different` lists settings beyond the cell in which the runs differ.
    """

    first: Side
    second: Side
    labels: Mapping[str, Labels]
    tasks: tuple[str, ...]
    left_out: tuple[str, ...]
    cluster_by: ClusterBy
    clusters: list[str] | None
    different: tuple[str, ...] = ()

    @property
    def differences(self) -> list[float]:
        """By task, in order."""
        return [self.second.values[task] - self.first.values[task] for task in self.tasks]

    def document(self) -> dict[str, Any]:
        """Everything as plain values."""
        told = self.difference()
        return {
            "verdict": verdict(told),
            "first": self.first.summary(self.tasks),
            "second": self.second.summary(self.tasks),
            "difference": told.model_dump(mode="json"),
            "n_tasks": len(self.tasks),
            "left_out": list(self.left_out),
            "different": list(self.different),
            "flips": self.flipped().model_dump(mode="json"),
            "discovery": self._discovery(),
            "groups": {kind: list(self._groups(kind)) for kind in ("domain", "categories", "skills", "difficulty")},
        }

    def difference(self) -> Difference:
        """How far apart the sides are, and what the paired test says of it."""
        tested = flips(self.differences, self.clusters)
        return Difference(
            mean=tested.data.mean,
            ci95=tested.interval(1 - _ALPHA),
            p=tested.p(),
            cluster_by=self.cluster_by,
            clusters=tested.data.count,
            detectable=self.detectable(),
        )

    def detectable(self, alpha: float = _ALPHA) -> float:
        """The difference that such tasks, in such clusters, show four times in five; 1 where none could be seen."""
        changed = sum(value != 0 for value in self.differences) / len(self.tasks)
        data, single = clustered(self.differences, self.clusters), clustered(self.differences)
        if smallest_p(data.count) > alpha or not changed:
            return 1.0
        effect = data.variance / single.variance if single.variance > 0 else len(self.tasks) / data.count
        return detectable(len(self.tasks), changed, effect, alpha)

    def _clusters_of(self, tasks: Sequence[str]) -> list[str] | None:
        """What a part of the tasks is grouped by: decided anew where the whole was grouped by dataset or domain."""
        by: ClusterBy = "auto" if self.cluster_by in ("dataset", "domain") else self.cluster_by
        return clusters(tasks, self.labels, by)[1]

    def flipped(self) -> Flipped:
        """The tasks that got better and worse, and McNemar's test of those that became right and wrong."""
        rows = [Moved(task=name, first=self.first.values[name], second=self.second.values[name]) for name in self.tasks]
        exact = mcnemar([row.first == 1 for row in rows], [row.second == 1 for row in rows])
        return Flipped(
            better=tuple(sorted((row for row in rows if row.by > 0), key=lambda row: row.by, reverse=True)),
            worse=tuple(sorted((row for row in rows if row.by < 0), key=lambda row: row.by)),
            same=sum(row.by == 0 for row in rows),
            mcnemar=McNemar(first_only=exact.first, second_only=exact.second, p=exact.p),
        )

    def _discovery(self) -> dict[str, Any] | None:
        both = [task for task in self.tasks if task in self.first.discovered and task in self.second.discovered]
        if not both:
            return None
        changes = [self.second.discovered[task] - self.first.discovered[task] for task in both]
        tested = flips(changes, self._clusters_of(both))
        return {
            "n_tasks": len(both),
            "first": sum(self.first.discovered[task] for task in both) / len(both),
            "second": sum(self.second.discovered[task] for task in both) / len(both),
            "ci95": list(tested.interval(1 - _ALPHA)),
            "p": tested.p(),
        }

    def _groups(self, kind: str) -> Iterator[dict[str, Any]]:
        """Groups of tasks by a label, those that moved most first; p after Holm over all groups of the kind."""
        members: dict[str, list[str]] = {}
        for task in self.tasks:
            found = getattr(self.labels.get(task), kind, ())
            for name in (found,) if isinstance(found, str) else found:
                if name:
                    members.setdefault(name, []).append(task)
        members = {name: tasks for name, tasks in members.items() if len(tasks) >= _FEWEST_TASKS}
        changes = {name: [self.second.values[t] - self.first.values[t] for t in some] for name, some in members.items()}
        adjusted = holm({name: sign_flip(found, self._clusters_of(members[name])) for name, found in changes.items()})
        for name in sorted(changes, key=lambda name: (-abs(sum(changes[name]) / len(changes[name])), name)):
            some = members[name]
            yield {
                "name": name,
                "n_tasks": len(some),
                "first": sum(self.first.values[task] for task in some) / len(some),
                "second": sum(self.second.values[task] for task in some) / len(some),
                "difference": sum(changes[name]) / len(some),
                "p_holm": adjusted[name],
            }


def compare(
    first: Side, second: Side, labels: Mapping[str, Labels], cluster_by: ClusterBy = "auto", anyway: bool = False
) -> Comparison:
    """Compare two sides; runs of different questions, golds, scorers or tasks are refused unless told otherwise."""
    hindrances = tuple(_hindrances(first, second))
    if hindrances and not anyway:
        raise InputError(
            "the runs are not of the same",
            found="; ".join(hindrances),
            expected="the same questions, golds, scorers and tasks",
            hint="score both again with `benchwright score`, or compare what they share with --anyway",
        )
    tasks = tuple(task for task in first.values if task in second.values)
    every = {*first.values, *second.values, *first.unscorable, *second.unscorable}
    if not tasks:
        raise InputError("the runs have no task in common that has a verdict", found=f"{len(every)} tasks in all")
    return Comparison(
        first,
        second,
        labels,
        tasks,
        tuple(sorted(every - set(tasks))),
        *clusters(tasks, labels, cluster_by),
        (*hindrances, *_settings(first, second)),
    )


def _hindrances(first: Side, second: Side) -> Iterator[str]:
    one, two = first.run.spec, second.run.spec
    if (one.suite, one.suite_digest) != (two.suite, two.suite_digest):
        yield f"questions: {one.suite} {one.suite_digest[:8]} and {two.suite} {two.suite_digest[:8]}"
    for name, what in (("gold", "golds"), ("scorers", "scorers")):
        if first.stamp.get(name) != second.stamp.get(name):
            yield what
    if (*first.values, *first.unscorable) and {*first.values, *first.unscorable} != {
        *second.values,
        *second.unscorable,
    }:
        yield f"tasks: {len(first.values)} and {len(second.values)} with a verdict"


def _settings(first: Side, second: Side) -> Iterator[str]:
    """What else differs, to be shown beside the verdict."""
    one, two = first.run.spec, second.run.spec
    for name in ("epochs", "seed", "limits", "raised", "sandbox", "packages", "prompts", "versions", "model_args"):
        if getattr(one, name) != getattr(two, name):
            yield f"{name}: {getattr(one, name)} and {getattr(two, name)}"


def verdict(found: Difference) -> str:
    """One sentence for people."""
    told = f"{found.mean:+.3f} [{found.ci95[0]:+.3f}, {found.ci95[1]:+.3f}], p = {found.p:.2g}"
    if found.p <= _ALPHA and found.mean:
        return f"the second is {'better' if found.mean > 0 else 'worse'}: {told}"
    if found.detectable >= 1:
        return f"no difference beyond noise: {told}"
    return f"no difference beyond noise: {told}; one of {found.detectable:.3f} would be found four times in five"
