"""Communities of data sets of bounded size: Louvain's method, large ones taken apart, small ones put together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.errors import EnvironmentFault, InputError
from benchwright.generation.rooms.graph import DatasetGraph

Graph = Any
"""A graph of networkx, which has no types."""

_FINER = (1.0, 2.0, 4.0)
"""Resolutions of Louvain's method that are tried on a community that is too large, before it is cut in two."""


@dataclass(frozen=True, slots=True)
class SizeBounds:
    """How many data sets a room holds; `least` gives way where there are too few, or no two would fit into `most`."""

    least: int = 3
    most: int = 30

    def __post_init__(self) -> None:
        if not 1 <= self.least <= self.most:
            raise InputError("data sets a room", found=f"{self.least} to {self.most}", expected="1 <= least <= most")


def communities(graph: DatasetGraph, bounds: SizeBounds, seed: int = 0) -> list[tuple[int, ...]]:
    """Every data set in one community, members ascending, in the order of their first members.

    The same graph, bounds and seed give the same communities. Raises EnvironmentFault without networkx.
    """
    network = _network(graph)
    parts: list[tuple[int, ...]] = []
    for found in _louvain(network, 1.0, seed):
        parts.extend(_bounded(network, found, bounds.most, seed))
    return sorted(_filled(network, parts, bounds))


def _network(graph: DatasetGraph) -> Graph:
    try:
        import networkx as nx
    except ImportError as error:
        raise EnvironmentFault("rooms need networkx", hint="pip install 'benchwright[skills]'") from error
    network = nx.Graph()
    network.add_nodes_from(range(graph.size))
    network.add_weighted_edges_from((edge.left, edge.right, edge.weight) for edge in graph.edges)
    return network


def _louvain(network: Graph, resolution: float, seed: int) -> list[tuple[int, ...]]:
    import networkx as nx

    found = nx.community.louvain_communities(network, weight="weight", resolution=resolution, seed=seed)
    return sorted(tuple(sorted(members)) for members in found)


def _bounded(network: Graph, members: Sequence[int], most: int, seed: int) -> list[tuple[int, ...]]:
    """A community in parts of at most `most`."""
    if len(members) <= most:
        return [tuple(members)]
    inside = _part(network, members)
    for resolution in _FINER:
        parts = _louvain(inside, resolution, seed)
        if len(parts) > 1:
            break
    else:
        parts = _halves(inside, seed)
    return [small for part in parts for small in _bounded(network, part, most, seed)]


def _part(network: Graph, members: Iterable[int]) -> Graph:
    """The network of some members, in their order: networkx's own view has that of a set."""
    import networkx as nx

    chosen = sorted(members)
    part = nx.Graph()
    part.add_nodes_from(chosen)
    part.add_weighted_edges_from(
        (one, other, network[one][other]["weight"]) for one in chosen for other in sorted(network[one]) if other in part
    )
    return part


def _halves(network: Graph, seed: int) -> list[tuple[int, ...]]:
    """Two parts of one size, cut where edges are weakest (Kernighan and Lin 1970)."""
    import networkx as nx

    found = nx.community.kernighan_lin_bisection(network, weight="weight", seed=seed)
    return sorted(tuple(sorted(half)) for half in found)


def _filled(network: Graph, parts: Collection[tuple[int, ...]], bounds: SizeBounds) -> list[tuple[int, ...]]:
    """Parts that are too small go to the part that they are tied to most and that has room, the smallest first."""
    kept = sorted(parts, key=lambda part: (len(part), part))
    done: list[tuple[int, ...]] = []
    while kept:
        small = kept.pop(0)
        if len(small) >= bounds.least:
            done.append(small)
            continue
        fitting = [part for part in (*kept, *done) if len(part) + len(small) <= bounds.most]
        if not fitting:
            done.append(small)
            continue
        home = min(fitting, key=lambda part: (-_tie(network, small, part), len(part), part))
        (kept if home in kept else done).remove(home)
        kept = sorted([*kept, tuple(sorted((*small, *home)))], key=lambda part: (len(part), part))
    return done


def _tie(network: Graph, small: Sequence[int], large: Sequence[int]) -> float:
    """The mean weight between the members of two parts."""
    inside = set(large)
    weight = sum(network[one][other]["weight"] for one in small for other in network[one] if other in inside)
    return float(weight) / (len(small) * len(large))
