"""Which skill follows which, how often, and with what weight a path goes there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, fsum
from typing import TypeVar

from benchwright.errors import InputError

Edge = tuple[str, str]
Name = TypeVar("Name", bound=Hashable)
NODE_SHARE, EDGE_SHARE = 0.1, 0.05
"""The shares that the published program gives business traces."""


@dataclass(frozen=True, slots=True)
class SkillGraph:
    """Directed; how often each skill was used, and how often the second of a pair came right after the first."""

    nodes: Mapping[str, float]
    edges: Mapping[Edge, float]

    def __post_init__(self) -> None:
        strange = {name for edge in self.edges for name in edge} - set(self.nodes)
        if strange:
            raise InputError("an edge to an unknown skill", found=min(strange), expected="a node of the graph")

    def summary(self) -> dict[str, float]:
        """Its size, for reports."""
        return {
            "skills": len(self.nodes),
            "edges": len(self.edges),
            "node_total": fsum(self.nodes.values()),
            "edge_total": fsum(self.edges.values()),
            "components": self.components,
        }

    @property
    def components(self) -> int:
        """The number of strongly connected components: of skills that can be reached from each other."""
        import numpy as np
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        places = {name: place for place, name in enumerate(self.nodes)}
        rows = np.array([places[first] for first, _ in self.edges], dtype=int)
        columns = np.array([places[second] for _, second in self.edges], dtype=int)
        matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(places), len(places)))
        count, _ = connected_components(matrix, connection="strong")
        return int(count)


def graph_of(sequences: Iterable[Sequence[Collection[str]]]) -> SkillGraph:
    """A graph from traces: each a sequence of steps, each step the skills that it uses.

    A skill counts once a step. Of two steps in a row each pair of different skills counts once.
    """
    nodes: Counter[str] = Counter()
    edges: Counter[Edge] = Counter()
    for steps in sequences:
        for step in steps:
            nodes.update(dict.fromkeys(step, 1))
        for before, after in pairwise(steps):
            edges.update({(first, second): 1 for first in before for second in after if first != second})
    return SkillGraph({name: float(count) for name, count in nodes.items()}, {e: float(n) for e, n in edges.items()})


@dataclass(frozen=True, slots=True)
class Source:
    """Counts of other traces, and which shares of all node and of all edge weight they are to make up."""

    nodes: Mapping[str, float]
    edges: Mapping[Edge, float]
    node_share: float = NODE_SHARE
    edge_share: float = EDGE_SHARE


def blend(graph: SkillGraph, *sources: Source) -> SkillGraph:
    """Mix in counts from other sources, each of which then makes up its shares, and the graph itself the rest.

    Each source is scaled to the graph's total first, so that totals stay what they were; one without counts has no
    share. A skill may follow itself in another source. The published rule, for one source, lowers only what that names,
    which raises the totals, and differs in nothing else; its shares are the defaults.
    """
    named = {name for each in sources for name in (*each.nodes, *(end for edge in each.edges for end in edge))}
    if unknown := sorted(named - set(graph.nodes)):
        raise InputError("counts for skills that the graph does not have", found=", ".join(map(repr, unknown[:3])))
    return SkillGraph(
        _mixed(graph.nodes, [(each.nodes, each.node_share) for each in sources]),
        _mixed(graph.edges, [(each.edges, each.edge_share) for each in sources]),
    )


def _mixed(ours: Mapping[Name, float], others: Sequence[tuple[Mapping[Name, float], float]]) -> dict[Name, float]:
    shares = [share for _, share in others]
    if not all(0 <= share <= 1 for share in shares) or fsum(shares) > 1:
        found, expected = ", ".join(map(str, shares)), "each from 0 to 1, and together at most 1"
        raise InputError("the share of a source", found=found, expected=expected)
    total = fsum(ours.values())
    told = [(theirs, share, total / other) for theirs, share in others if (other := fsum(theirs.values()))]
    left = 1 - fsum(share for _, share, _ in told)
    mixed = {name: left * count for name, count in ours.items()}
    for theirs, share, scale in told:
        for name, count in theirs.items():
            mixed[name] = mixed.get(name, 0.0) + share * scale * count
    return mixed


def weights(counts: Mapping[Name, float], temperature: float = 2.0) -> dict[Name, float]:
    """Counts raised to 1 / temperature, over the largest: what a path's next skill is drawn by. Between 0 and 1."""
    if temperature <= 0:
        raise InputError("the temperature of weights", found=str(temperature), expected="more than 0")
    largest = max(counts.values(), default=0.0) ** (1 / temperature)
    return {name: count ** (1 / temperature) / largest for name, count in counts.items()} if largest else dict(counts)


def rows(graph: SkillGraph) -> Iterator[dict[str, str | float]]:
    """Nodes, then edges, each with its count and weight, as an export has them."""
    strength = weights(graph.nodes)
    for name, count in graph.nodes.items():
        yield {"kind": "node", "name": name, "count": count, "weight": strength[name]}
    ties = weights(graph.edges)
    for (first, second), count in graph.edges.items():
        yield {"kind": "edge", "from": first, "to": second, "count": count, "weight": ties[first, second]}


def early(answers: Iterable[Mapping[int, Collection[str]]], share: float = 0.1) -> tuple[str, ...]:
    """The skills that solutions begin with: those of the first `share` of an answer's steps, in the order found.

    An answer is as long as its highest place and one more, whether or not every place is annotated.
    """
    found: dict[str, None] = {}
    for steps in answers:
        end = floor(share * (max(steps, default=-1) + 1))
        found.update(dict.fromkeys(name for place, names in steps.items() if place < end for name in names))
    return tuple(found)
