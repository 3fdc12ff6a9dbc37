"""Every pair of agents on the tasks that both have a verdict on: how far apart, and whether that is more than noise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from benchwright.analysis.comparison import Comparison, Difference, compare
from benchwright.analysis.statistics.pairs import holm
from benchwright.errors import InputError
from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Column, Row, Table

_ALPHA = 0.05
_MOST = 28
"""Pairs that are compared (8 agents); of more agents each is only put against the best."""


def pairs(source: Source) -> Table:
    """One row a pair, p after Holm over all rows."""
    chosen = list(_chosen(source.titles))
    compared = {pair: found for pair in chosen if (found := _compared(source, *pair)) is not None}
    told = {pair: found.difference() for pair, found in compared.items()}
    adjusted = holm({pair: each.p for pair, each in told.items()})
    strictest = _ALPHA / max(1, len(compared))
    rows = [
        {
            **_row(source, pair, found, told[pair]),
            "p_holm": adjusted[pair],
            "detectable": _seen(found.detectable(strictest)),
        }
        for pair, found in compared.items()
    ]
    left = (
        ""
        if len(source.titles) * (len(source.titles) - 1) // 2 == len(chosen)
        else " Each agent against the best only."
    )
    return Table(
        "pairs",
        "Pairs of agents",
        (
            Column("first", "agent"),
            Column("second", "against"),
            Column(
                "difference", "difference", "points", "low", "high", "of the means, [95 % interval] of the paired test"
            ),
            Column("p_holm", "p", "p_value", about="after Holm's correction over all pairs"),
            Column("first_only", "only first right", "count"),
            Column("second_only", "only second right", "count"),
            Column("p_mcnemar", "McNemar's p", "p_value", about="exact, tasks taken as independent, not corrected"),
            Column(
                "detectable",
                "would be seen",
                "share",
                about="what is found four times in five, corrected; –: nothing",
            ),
            Column("tasks", "tasks", "count"),
        ),
        tuple(rows),
        note=f"Differences are first minus second, over tasks that both have a verdict on; signs are flipped by whole "
        f"groups of tasks. Intervals are of each pair alone, p is for all pairs together.{left}",
        hidden=("first_run", "first_cell", "second_run", "second_cell"),
        query="pairs",
    )


def _seen(difference: float) -> float | None:
    """None where no difference could be seen, however large."""
    return difference if difference < 1 else None


def _chosen(titles: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    every = list(combinations(titles, 2))
    yield from every if len(every) <= _MOST else [(titles[0], other) for other in titles[1:]]


def _compared(source: Source, first: str, second: str) -> Comparison | None:
    sides, suite = source.overview.sides, source.overview.suite
    try:
        return compare(sides[second], sides[first], suite.labels, anyway=True)
    except InputError:  # no task in common
        return None


def _row(source: Source, pair: tuple[str, str], found: Comparison, told: Difference) -> Row:
    """The pair's own row; the comparison's second side is the row's first agent."""
    (first, second), exact = pair, found.flipped().mcnemar
    one, two = source.key(first), source.key(second)
    return {
        **{f"first_{name}": value for name, value in one.items()},
        **{f"second_{name}": value for name, value in two.items()},
        "first": first,
        "second": second,
        "difference": told.mean,
        "low": told.ci95[0],
        "high": told.ci95[1],
        "first_only": exact.second_only,
        "second_only": exact.first_only,
        "p_mcnemar": exact.p,
        "tasks": len(found.tasks),
    }
