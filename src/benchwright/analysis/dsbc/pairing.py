"""Raw against clean: the same question at the same temperature in both wordings, compared in pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchwright.analysis.statistics.pairs import flips, mcnemar

if TYPE_CHECKING:
    import polars as pl

_PAIRED = ("model", "approach")


@dataclass(frozen=True, slots=True)
class Pair:
    """One question asked in both wordings, all else equal; `cluster` is the question."""

    cluster: Hashable
    first: bool
    second: bool


def raw_against_clean(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """For each model and approach: how raw and clean differ, by the exact McNemar test and with questions as clusters.

    Pairs are attempts at one question with one temperature and epoch; pairs of which one has no verdict are left out,
    and counted.
    """
    rows = []
    for values, part in frame.sort(_PAIRED, maintain_order=True).group_by(list(_PAIRED), maintain_order=True):
        pairs, left_out = _pairs(part)
        if pairs:
            named = dict(zip(_PAIRED, values, strict=True))
            rows.append({**named, **compared(pairs), "left_out": left_out})
    return rows


def compared(pairs: Sequence[Pair]) -> dict[str, Any]:
    """The difference first minus second, and two tests of it.

    `p_mcnemar` is exact and takes pairs for independent; `p_clustered` (random signs of whole questions) and the
    interval take all pairs of one question together.
    """
    flipped = mcnemar([pair.first for pair in pairs], [pair.second for pair in pairs])
    differences = [float(pair.first - pair.second) for pair in pairs]
    clusters = [pair.cluster for pair in pairs]
    tested = flips(differences, clusters)
    return {
        "pairs": len(pairs),
        "questions": tested.data.count,
        "both_right": sum(pair.first and pair.second for pair in pairs),
        "only_raw": flipped.first,
        "only_clean": flipped.second,
        "difference": tested.data.mean,
        "ci95": list(tested.interval(0.95)),
        "p_mcnemar": flipped.p,
        "p_clustered": tested.p(),
    }


def _pairs(part: pl.DataFrame) -> tuple[list[Pair], int]:
    """The pairs of one model and approach, and how many were left out."""
    wordings: dict[tuple[Any, ...], dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for row in part.iter_rows(named=True):
        wordings[row["task_id"], row["temperature"], row["epoch"]][row["variant"]] = row
    both = [found for found in wordings.values() if {"raw", "clean"} <= set(found)]
    decided = [found for found in both if all(_has_verdict(found[name]) for name in ("raw", "clean"))]
    pairs = [Pair(found["raw"]["task_id"], found["raw"]["right"], found["clean"]["right"]) for found in decided]
    return pairs, len(both) - len(decided)


def _has_verdict(row: Mapping[str, Any]) -> bool:
    return row["outcome"] not in ("undecided", "harness", "not run")
