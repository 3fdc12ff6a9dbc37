"""What it would gain to send each kind of task to the agent that is best at its kind (DSBC suggests such a router)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from benchwright.analysis.grouping import ClusterBy, clusters
from benchwright.analysis.sides import Side
from benchwright.analysis.statistics.pairs import flips
from benchwright.files import Record
from benchwright.labels import Labels

_FOLDS, _REPEATS = 10, 20
_FEWEST_TASKS = 20
"""With fewer tasks nothing is said: folds would hold one or two."""
KINDS: Mapping[str, Callable[[Labels], str]] = {
    "domain": lambda labels: labels.domain,
    "category": lambda labels: " + ".join(sorted(labels.categories)),
    "difficulty": lambda labels: labels.difficulty,
    "answer type": lambda labels: labels.answer_type,
}
"""What a router may know of a task. A task with several categories is of their combination."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Tasks that all agents have a verdict on: `scores` and `dollars` by agent and task; None where not known."""

    tasks: tuple[str, ...]
    scores: Mapping[str, Mapping[str, float]]
    dollars: Mapping[str, Mapping[str, float | None]]

    def best(self, tasks: Sequence[str]) -> str:
        """The agent with the highest mean over some tasks; of equals the cheapest, an unknown price the dearest."""
        return min(self.scores, key=lambda agent: (-self._sum(agent, tasks), *self._price(agent, tasks), agent))

    def _sum(self, agent: str, tasks: Sequence[str]) -> float:
        return round(fsum(self.scores[agent][task] for task in tasks), 9)

    def _price(self, agent: str, tasks: Sequence[str]) -> tuple[bool, float]:
        told = [self.dollars[agent][task] for task in tasks]
        known = [usd for usd in told if usd is not None]
        return len(known) < len(told), fsum(known)


@dataclass(frozen=True, slots=True)
class Routed:
    """By task, over all repetitions: mean score and dollars of the router, and of the single agent chosen beside it."""

    router: Mapping[str, tuple[float, float | None]]
    single: Mapping[str, tuple[float, float | None]]
    chosen: Counter[str]


class Worth(Record):
    """What a way to choose agents comes to: the mean score, and dollars an attempt; None where one is not known."""

    mean: float
    cost_usd: float | None


class Single(Worth):
    """The agent that is chosen most often as the best of all."""

    title: str


class Gain(Record):
    """How much better the router is than the single agent, over tasks or clusters of them."""

    mean: float
    ci95: tuple[float, float]
    cluster_by: ClusterBy


class Router(Record):
    """The router by one kind of label, the best single agent, and, looking at the verdicts, the best of each task.

    The first two are cross-validated; the last, `oracle`, is what no router can pass. `choices` are the best agents by
    group, over all tasks.
    """

    kind: str
    tasks: int
    groups: int
    router: Worth
    best_single: Single
    oracle: Worth
    gain: Gain
    choices: dict[str, str]


def bench(sides: Mapping[str, Side]) -> Bench:
    """The tasks that all of these agents have a verdict on."""
    tasks = [task for task in next(iter(sides.values())).values if all(task in each.values for each in sides.values())]
    return Bench(
        tuple(tasks),
        {title: {task: each.values[task] for task in tasks} for title, each in sides.items()},
        {title: {task: _dollars(each, task) for task in tasks} for title, each in sides.items()},
    )


def _dollars(each: Side, task: str) -> float | None:
    told = [attempt.usage.cost_usd for attempt in each.attempts if attempt.task_id == task]
    known = [usd for usd in told if usd is not None]
    return fsum(known) / len(known) if known and len(known) == len(told) else None


def routed(found: Bench, groups: Mapping[str, str], seed: int = 0) -> Routed:
    """Choose on nine tenths of the tasks, and count on the last; 20 times over, with other tenths.

    The router sends a group's tasks to the agent that is best at that group among the tasks it may look at, and those
    of a group that it has not seen to the best of all; the single agent is the best of all among the same tasks.
    """
    router: dict[str, list[str]] = {task: [] for task in found.tasks}
    single: dict[str, list[str]] = {task: [] for task in found.tasks}
    for repeat in range(_REPEATS):
        for held_out in _folds(found.tasks, groups, seed + repeat):
            seen = [task for task in found.tasks if task not in held_out]
            best = found.best(seen)
            choice = {group: found.best([t for t in seen if groups[t] == group]) for group in {groups[t] for t in seen}}
            for task in held_out:
                router[task].append(choice.get(groups[task], best))
                single[task].append(best)
    return Routed(
        {task: _worth(found, task, agents) for task, agents in router.items()},
        {task: _worth(found, task, agents) for task, agents in single.items()},
        Counter(agent for agents in single.values() for agent in agents),
    )


def _folds(tasks: Sequence[str], groups: Mapping[str, str], seed: int) -> Iterator[frozenset[str]]:
    """Ten parts, with each group spread over them as evenly as it goes."""
    mixed = list(tasks)
    random.Random(seed).shuffle(mixed)  # noqa: S311 - no secret depends on it
    ordered = sorted(mixed, key=lambda task: groups[task])
    for fold in range(_FOLDS):
        if part := frozenset(ordered[fold::_FOLDS]):
            yield part


def _worth(found: Bench, task: str, agents: Sequence[str]) -> tuple[float, float | None]:
    return fsum(found.scores[agent][task] for agent in agents) / len(agents), _mean(
        [found.dollars[agent][task] for agent in agents]
    )


def _mean(told: Sequence[float | None]) -> float | None:
    """None, unknown, as soon as one is."""
    known = [value for value in told if value is not None]
    return fsum(known) / len(known) if known and len(known) == len(told) else None


def routers(sides: Mapping[str, Side], labels: Mapping[str, Labels]) -> list[Router]:
    """One for every kind of label that tells tasks apart; none for fewer than two agents or 20 tasks that all share.

    Cells that run the reference solutions know the gold: nobody can be sent to them, and they are in none of it.
    """
    agents = {title: each for title, each in sides.items() if not each.cell.is_reference}
    if len(agents) < 2 or len((found := bench(agents)).tasks) < _FEWEST_TASKS:
        return []
    told = []
    for kind, rule in KINDS.items():
        groups = {task: rule(labels.get(task) or Labels(task_id=task)) for task in found.tasks}
        if len(set(groups.values())) > 1:
            told.append(_router(kind, found, groups, labels))
    return told


def _router(kind: str, found: Bench, groups: Mapping[str, str], labels: Mapping[str, Labels]) -> Router:
    made = routed(found, groups)
    differences = [made.router[task][0] - made.single[task][0] for task in found.tasks]
    cluster_by, kept = clusters(found.tasks, labels)
    gain = flips(differences, kept)
    best = {task: found.best([task]) for task in found.tasks}
    oracle = {task: (found.scores[agent][task], found.dollars[agent][task]) for task, agent in best.items()}
    members = {group: [task for task in found.tasks if groups[task] == group] for group in sorted(set(groups.values()))}
    return Router(
        kind=kind,
        tasks=len(found.tasks),
        groups=len(members),
        router=_summed(made.router),
        best_single=Single(title=made.chosen.most_common(1)[0][0], **_summed(made.single).model_dump()),
        oracle=_summed(oracle),
        gain=Gain(mean=gain.data.mean, ci95=gain.interval(0.95), cluster_by=cluster_by),
        choices={group: found.best(tasks) for group, tasks in members.items()},
    )


def _summed(worth: Mapping[str, tuple[float, float | None]]) -> Worth:
    values = list(worth.values())
    return Worth(mean=fsum(value for value, _ in values) / len(values), cost_usd=_mean([usd for _, usd in values]))
