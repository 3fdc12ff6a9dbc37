"""A ranking as one JSON document: for programs, and beside the pages of a site."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchwright.publishing.leaderboard.contradictions import Contradiction
from benchwright.publishing.leaderboard.entries import Entry
from benchwright.publishing.leaderboard.ranking import Ranked, Ranking
from benchwright.publishing.leaderboard.repository import Unread
from benchwright.publishing.leaderboard.tables import tables


def document(ranking: Ranking, found: Sequence[Contradiction], unread: Sequence[Unread] = ()) -> dict[str, Any]:
    """Places with their results, pairs with their tests, contradictions, and every table's rows."""
    return {
        "title": ranking.board.title,
        "suite": ranking.board.suite,
        "release": ranking.board.release,
        "subset": ranking.subset,
        "entries": [_ranked(item) for item in ranking.ranked],
        "outside": [{**_entry(entry), "why": why} for entry, why in ranking.outside],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "difference": pair.difference,
                "p": pair.p,
                "p_holm": pair.p_holm,
                "test": pair.way,
            }
            for pair in ranking.apart.pairs
        ],
        "contradictions": [{"what": item.what, "entries": list(item.entries)} for item in found],
        "unread": [{"file": each.file, "why": each.why} for each in unread],
        "tables": {table.name: [dict(row) for row in table.rows] for table in tables(ranking, found)},
    }


def _ranked(item: Ranked) -> dict[str, Any]:
    interval = None if item.low is None else [item.low, item.high]
    return {"place": item.place, "group": item.group, "ci95": interval, **_entry(item.entry)}


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "submission_id": entry.id,
        "method": entry.method,
        "model": entry.model,
        "organization": entry.organization,
        "status": entry.status,
        "discovery_by": entry.reads,
        "results": {name: result.model_dump(mode="json") for name, result in entry.results.items()},
        "cost_usd": entry.cost_usd,
        "tokens": entry.tokens,
        "swept": entry.swept,
        "metadata": entry.metadata.model_dump(mode="json"),
    }
