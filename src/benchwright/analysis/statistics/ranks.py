"""Which agents can be told apart, and between which places each may stand."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from benchwright.analysis.statistics.pairs import holm, sign_flip
from benchwright.errors import InputError
from benchwright.scoring.clusters import clustered, draws

if TYPE_CHECKING:
    from benchwright.scoring.clusters import Array


@dataclass(frozen=True, slots=True)
class Rank:
    """A place (1 is best; equal means share the better one) and the places between which it may lie."""

    name: str
    mean: float
    place: int
    low: int
    high: int
    group: str


def ranks(
    scores: Mapping[str, Sequence[float]],
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    times: int = 10_000,
    seed: int = 0,
) -> tuple[Rank, ...]:
    """Agents over the same tasks, best first, their place in resampled sets of clusters, and groups of letters.

    Two agents share a letter where the paired test does not tell them apart after Holm's correction at 1 - level.
    The interval of a place holds `level` of the resampled places of that one agent.
    """
    import numpy as np

    lengths = {len(values) for values in scores.values()}
    if len(lengths) > 1:
        raise InputError(
            "ranks over unequal tasks", found=f"{sorted(lengths)} values", expected="the same tasks for every agent"
        )
    gathered = {name: clustered(values, clusters) for name, values in scores.items()}
    order = sorted(scores, key=lambda name: (-gathered[name].mean, name))
    if not order:
        return ()
    sizes = gathered[order[0]].sizes
    weights = draws(len(sizes), times, seed)
    means = np.column_stack([(weights @ gathered[name].sums) / (weights @ sizes) for name in order])
    places = np.column_stack([_places(means, column) for column in range(len(order))])
    tail = (1 - level) / 2
    lows = np.quantile(places, tail, axis=0, method="lower")
    highs = np.quantile(places, 1 - tail, axis=0, method="higher")
    apart = distinguished(scores, clusters, 1 - level, seed)
    groups = letters(order, apart)
    return tuple(
        Rank(
            name,
            gathered[name].mean,
            1 + sum(gathered[other].mean > gathered[name].mean + 1e-12 for other in order),
            int(lows[column]),
            int(highs[column]),
            groups[name],
        )
        for column, name in enumerate(order)
    )


def _places(means: Array, column: int) -> Array:
    places: Array = 1 + (means > means[:, [column]] + 1e-12).sum(axis=1)
    return places


def distinguished(
    scores: Mapping[str, Sequence[float]], clusters: Sequence[Hashable] | None, alpha: float, seed: int = 0
) -> frozenset[frozenset[str]]:
    """The pairs of agents that the paired test tells apart at `alpha` over all pairs."""
    p = {}
    for first, second in combinations(scores, 2):
        differences = [a - b for a, b in zip(scores[first], scores[second], strict=True)]
        p[first, second] = sign_flip(differences, clusters, seed=seed)
    return frozenset(frozenset(pair) for pair, value in holm(p).items() if value <= alpha)


def letters(order: Sequence[str], apart: frozenset[frozenset[str]]) -> dict[str, str]:
    """A compact letter display (Piepho 2004): two names share a letter exactly where they are not apart."""
    columns: list[set[str]] = [set(order)]
    for first, second in combinations(order, 2):
        if frozenset((first, second)) not in apart:
            continue
        both = [column for column in columns if first in column and second in column]
        columns = [column for column in columns if first not in column or second not in column] if both else columns
        for part in (column - {name} for column in both for name in (second, first)):
            if not any(part <= other for other in columns):  # those that were there hold more than any part of another
                columns.append(part)
    columns.sort(key=lambda column: [order.index(name) for name in sorted(column, key=order.index)])
    return {name: "".join(_letter(at) for at, column in enumerate(columns) if name in column) for name in order}


def _letter(place: int) -> str:
    """Letters a to z, then a' to z', and so on."""
    return chr(ord("a") + place % 26) + "'" * (place // 26)
