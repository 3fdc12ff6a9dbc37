"""The graph of data sets: which are used together, and which are alike where nobody used them together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchwright.generation.rooms.datasets import Collection
from benchwright.generation.rooms.likeness import Contents, shares_of_sets, ties, topic_words, topics

if TYPE_CHECKING:
    from benchwright.generation.rooms.likeness import Matrix

LEAST_LIKENESS = 0.025
"""Data sets that are less alike have no edge, unless they are used together."""

NEAREST = 5
"""Of likeness alone each data set keeps so many edges, the strongest; those of others to it stay."""


@dataclass(frozen=True, slots=True)
class Edge:
    """What ties two data sets (by place, the smaller first), each from 0 to 1 but `usage`.

    `usage`: programs that use both (see `co_usage`); `schema`: columns' names in common, rare ones counting more;
    `joins`: how well a table of the one that has fewer joins finds one in the other by columns that are named alike;
    `topic`: the cosine of their words.
    """

    left: int
    right: int
    usage: float = 0.0
    schema: float = 0.0
    joins: float = 0.0
    topic: float = 0.0

    @property
    def likeness(self) -> float:
        """Columns and topic by two fifths each, joins by one: numbers join by accident where there are many tables."""
        return (2 * self.schema + 2 * self.topic + self.joins) / 5

    @property
    def weight(self) -> float:
        """What communities are found by: one program that uses these two and no others weighs as much as equality."""
        return self.usage + self.likeness


@dataclass(frozen=True, slots=True)
class DatasetGraph:
    """Data sets by place, the edges between them, and the words that tell most of each."""

    size: int
    edges: tuple[Edge, ...]
    telling: tuple[tuple[str, ...], ...]


def dataset_graph(
    collection: Collection, contents: Contents, together: Mapping[tuple[int, int], float]
) -> DatasetGraph:
    """The graph of a collection; `together` are weights of pairs that programs use."""
    import numpy as np

    topic, telling = topics(topic_words(collection, contents))
    columns = [frozenset[str]().union(*(contents.columns(path) for path in each.files)) for each in collection.datasets]
    schema = shares_of_sets(columns, rare_counts_more=True)
    joins = _joins(collection, contents)
    alike = (2 * schema + 2 * topic + joins) / 5
    np.fill_diagonal(alike, 0.0)
    pairs = sorted({*together, *_strongest(alike)})
    edges = (
        Edge(
            left,
            right,
            together.get((left, right), 0.0),
            float(schema[left, right]),
            float(joins[left, right]),
            float(topic[left, right]),
        )
        for left, right in pairs
    )
    return DatasetGraph(len(collection.datasets), tuple(edges), tuple(telling))


def _joins(collection: Collection, contents: Contents) -> Matrix:
    """For each two data sets the mean over tables of their best join into the other, the smaller of both ways."""
    import numpy as np

    place, size = collection.dataset_of, len(collection.datasets)
    best: dict[tuple[str, int], float] = {}
    for one, other, score in ties(contents.relations):
        for path, there in ((one, place.get(other)), (other, place.get(one))):
            if there is not None and path in place and place[path] != there:
                best[path, there] = max(score, best.get((path, there), 0.0))
    total = np.zeros((size, size))
    for (path, there), score in best.items():
        total[place[path], there] += score
    tables = np.array([sum(bool(contents.columns(path)) for path in each.files) for each in collection.datasets])
    mean: Matrix = total / np.maximum(tables, 1)[:, None]
    return np.minimum(mean, mean.T)


def _strongest(alike: Matrix) -> Iterator[tuple[int, int]]:
    import numpy as np

    for place, row in enumerate(alike):
        for other in np.argsort(-row, kind="stable")[:NEAREST]:
            if row[other] >= LEAST_LIKENESS:
                yield min(place, int(other)), max(place, int(other))


def cohesion(members: Sequence[int], edges: Iterable[Edge]) -> float:
    """The mean weight of all pairs within a community, those without an edge counting 0; 0 for one data set."""
    inside, pairs = set(members), len(members) * (len(members) - 1) / 2
    return sum(edge.weight for edge in edges if edge.left in inside and edge.right in inside) / pairs if pairs else 0.0
