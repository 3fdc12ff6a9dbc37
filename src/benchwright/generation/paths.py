"""Which skills a new task is to need: a random path through the graph of skills, each draw making its like rarer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from benchwright.errors import InputError
from benchwright.skills.graph import SkillGraph, weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]
    Bools = NDArray[np.bool_]

_RARE_PERCENTILE = 30


@dataclass(frozen=True, slots=True)
class PathRule:
    """How a path is drawn (section 5.2 of AgenticDataBench's paper).

    `length` is the number of skills. The next skill is drawn by `node_weight` x its own weight + `edge_weight` x the
    weight of the way there; a share `uniform` of draws looks at no weight. Ways below `least_edge` (of the strongest)
    are taken only where there is no other. A path whose ways are weaker than `coherence` in the mean is drawn again,
    up to `tries` times. Into a share `rare` of paths goes a rare skill, and into a share `uncovered` any that no
    accepted path has; neither is in the paper.
    """

    length: int = 8
    node_weight: float = 1.0
    edge_weight: float = 1.0
    uniform: float = 0.0
    least_edge: float = 0.0
    coherence: float = 0.0
    tries: int = 5
    rare: float = 0.0
    uncovered: float = 0.0

    def __post_init__(self) -> None:
        if self.length < 1 or self.tries < 1:
            raise InputError("a path", found=f"{self.length} skills, {self.tries} tries", expected="1 or more of each")
        if not (self.node_weight >= 0 and self.edge_weight >= 0 and self.node_weight + self.edge_weight > 0):
            raise InputError("the weights of nodes and edges", expected="0 or more each, and not both 0")
        shares = (self.uniform, self.least_edge, self.coherence, self.rare, self.uncovered)
        if not all(0 <= share <= 1 for share in shares) or self.rare + self.uncovered > 1:
            raise InputError("shares of draws", found=str(shares), expected="from 0 to 1, rare and uncovered together")


PAPER = PathRule()
PUBLISHED = PathRule(uniform=0.1, least_edge=0.05, coherence=0.1, rare=0.3)
"""What the published program does beyond the paper; its square root is taken of every weight here, not of some."""


@dataclass(frozen=True, slots=True)
class SkillPath:
    """The skills of a task to be, in order; `placed` was put between the others, as one that is rarely covered."""

    skills: tuple[str, ...]
    placed: str | None = None


class PathSampler:
    """Draws paths. Accepting one divides the weights of its skills and ways by one more than how often they were taken.

    The draw with a number depends on the seed, that number, and the paths accepted before it: a sampler that accepts
    the same paths again goes on where another stopped.
    """

    def __init__(self, graph: SkillGraph, roots: Collection[str], rule: PathRule = PAPER, seed: int = 0) -> None:
        import numpy as np

        unknown = sorted(set(roots) - set(graph.nodes))
        if unknown or not roots:
            raise InputError(
                "skills to begin with", found=", ".join(unknown[:3]) or "none", expected="some of the graph"
            )
        self.rule, self.seed = rule, seed
        self._ways = _Ways.of(graph)
        self._roots = np.array(sorted(self._ways.place[name] for name in set(roots)))
        self._node_uses = np.zeros(len(self._ways.names))
        self._edge_uses = np.zeros(len(self._ways.targets))

    @property
    def uses(self) -> dict[str, int]:
        """By skill, in how many accepted paths it is."""
        return {name: int(count) for name, count in zip(self._ways.names, self._node_uses, strict=True)}

    def accept(self, path: SkillPath) -> None:
        """Take a path as used: its skills and its ways become rarer in draws from here on."""
        places = [self._ways.place[name] for name in path.skills]
        self._node_uses[places] += 1
        for first, second in pairwise(places):
            self._edge_uses[self._ways.edge(first, second)] += 1

    def draw(self, number: int) -> SkillPath:
        """The path with this number, from 0; shorter than the rule's length only where no try went on so far."""
        import numpy as np

        draw = _Draw(self._ways, self.rule, np.random.default_rng([self.seed, number]), self._penalised())
        seed = draw.seldom(self._node_uses)
        length = self.rule.length - (seed is not None)
        tries = (draw.walk(self._roots, length) for _ in range(self.rule.tries))
        best: list[int] = []
        for walked in tries:
            best = max(best, walked, key=len)
            if len(walked) >= length and draw.coherence(walked) >= self.rule.coherence:
                best = walked
                break
        return self._named(best, seed)

    def _penalised(self) -> tuple[Floats, Floats]:
        node, edge = self._ways.node_weights / (1 + self._node_uses), self._ways.edge_weights / (1 + self._edge_uses)
        return node / node.max(initial=1e-300), edge / edge.max(initial=1e-300)

    def _named(self, walked: list[int], seed: int | None) -> SkillPath:
        names = self._ways.names
        if seed is None or seed in walked:
            return SkillPath(tuple(names[place] for place in walked))
        after = max(range(len(walked)), key=lambda k: self._ways.tie(walked[k], seed)) + 1 if walked else 0
        whole = [*walked[:after], seed, *walked[after:]]
        return SkillPath(tuple(names[place] for place in whole), placed=names[seed])


def sample(sampler: PathSampler, count: int) -> Iterator[SkillPath]:
    """So many paths, each accepted before the next is drawn."""
    for number in range(count):
        path = sampler.draw(number)
        sampler.accept(path)
        yield path


def coverage(paths: Iterable[SkillPath], skills: Collection[str]) -> list[float]:
    """After each path, the share of these skills that the paths so far hold."""
    wanted, seen, found = frozenset(skills), set[str](), []
    for path in paths:
        seen.update(wanted.intersection(path.skills))
        found.append(len(seen) / len(wanted) if wanted else 1.0)
    return found


@dataclass(frozen=True)
class _Ways:
    """The graph as arrays: the ways out of node k are targets[starts[k]:starts[k + 1]], in the order of names."""

    names: tuple[str, ...]
    node_weights: Floats
    starts: Places
    targets: Places
    edge_weights: Floats

    @classmethod
    def of(cls, graph: SkillGraph) -> _Ways:
        import numpy as np

        names = tuple(sorted(graph.nodes))
        place = {name: number for number, name in enumerate(names)}
        node, tie = weights(graph.nodes), weights(graph.edges)
        edges = sorted((place[first], place[second], tie[first, second]) for first, second in graph.edges)
        sources = np.array([source for source, _, _ in edges], dtype=np.int64)
        return cls(
            names,
            np.array([node[name] for name in names]),
            np.searchsorted(sources, np.arange(len(names) + 1)),
            np.array([target for _, target, _ in edges], dtype=np.int64),
            np.array([weight for _, _, weight in edges]),
        )

    @cached_property
    def place(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def rare(self) -> Places:
        """The skills of the lowest three tenths by weight."""
        import numpy as np

        return np.flatnonzero(self.node_weights <= np.percentile(self.node_weights, _RARE_PERCENTILE))

    @cached_property
    def rare_places(self) -> frozenset[int]:
        return frozenset(self.rare.tolist())

    def edge(self, first: int, second: int) -> slice:
        """Where the way from one to the other is: one place, or none."""
        import numpy as np

        begin, end = self.starts[first], self.starts[first + 1]
        found = begin + int(np.searchsorted(self.targets[begin:end], second))
        return slice(found, found + int(found < end and self.targets[found] == second))

    def tie(self, first: int, second: int) -> float:
        """The weight of the stronger way between two."""
        there, back = self.edge_weights[self.edge(first, second)], self.edge_weights[self.edge(second, first)]
        return max(float(there.sum()), float(back.sum()))


@dataclass(frozen=True)
class _Draw:
    ways: _Ways
    rule: PathRule
    random: np.random.Generator
    penalised: tuple[Floats, Floats]

    def seldom(self, uses: Floats) -> int | None:
        """A skill to place that no accepted path has: a rare one, any, or none, as the rule's shares say."""
        import numpy as np

        if not self.rule.rare + self.rule.uncovered:
            return None
        lot = self.random.random()
        if lot >= self.rule.rare + self.rule.uncovered:
            return None
        among = self.ways.rare if lot < self.rule.rare else np.arange(len(self.ways.names))
        left = among[uses[among] == 0]
        return int(self.random.choice(left)) if len(left) else None

    def walk(self, roots: Places, length: int) -> list[int]:
        """A path of so many nodes, none twice; it ends where no way leads on."""
        import numpy as np

        walked: list[int] = []
        fresh = np.ones(len(self.ways.names), dtype=bool)
        options, strengths = roots, self.penalised[0][roots]
        while len(walked) < length and len(options):
            walked.append(self._one(options, strengths))
            fresh[walked[-1]] = False
            options, strengths = self._onward(walked[-1], fresh)
        return walked

    def _one(self, options: Places, strengths: Floats) -> int:
        if self.rule.uniform and self.random.random() < self.rule.uniform:
            return int(self.random.choice(options))
        sums = strengths.cumsum()
        return int(options[min(int(sums.searchsorted(self.random.random() * sums[-1], "right")), len(options) - 1)])

    def _onward(self, node: int, fresh: Bools) -> tuple[Places, Floats]:
        """Where a path may go from a node, and how strongly it is drawn there."""
        import numpy as np

        begin, end = self.ways.starts[node], self.ways.starts[node + 1]
        targets, edge = self.ways.targets[begin:end], self.penalised[1][begin:end]
        unseen = fresh[targets]
        strong = unseen & (edge >= self.rule.least_edge)
        keep = strong if strong.any() else unseen
        options = targets[keep]
        strengths = self.rule.node_weight * self.penalised[0][options] + self.rule.edge_weight * edge[keep]
        return options, np.maximum(strengths, 1e-6)

    def coherence(self, walked: list[int]) -> float:
        """The mean weight of the ways of a path, those at rare skills left out; 1 where none is left."""
        if not self.rule.coherence:
            return 1.0
        rare = self.ways.rare_places
        pairs = [pair for pair in pairwise(walked) if not rare.intersection(pair)]
        found = [float(self.penalised[1][self.ways.edge(*pair)].sum()) for pair in pairs]
        return sum(found) / len(found) if found else 1.0
