"""What attempts took, and what a right answer costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Column, Row, Table

_TOKENS = ("input", "cache_write", "cache_read", "output", "reasoning")


def costs(source: Source) -> Table:
    """One row a cell: steps, time, tokens by class, dollars."""
    cells = {cell["title"]: cell for cell in source.document["cells"]}
    return Table(
        "cost",
        "Work and cost",
        (
            Column("title", "agent"),
            Column("mean_steps", "steps", "number", about="mean over attempts"),
            Column("successful_steps", "steps that succeeded", "share"),
            Column("finish_rate", "finished", "share", about="attempts in which the agent itself handed something in"),
            Column("median_seconds", "median time", "seconds"),
            *(Column(f"{name}_tokens", f"{name.replace('_', ' ')} tokens", "count") for name in _TOKENS),
            Column("cost_usd", "cost", "usd", about="of all attempts"),
            Column("usd_per_right", "per right answer", "usd"),
        ),
        tuple(_row(source, cells[title]) for title in source.titles),
        note="A cost or count that is not known for one attempt is unknown in all (–). Reasoning is part of output.",
        hidden=("run", "cell"),
        query="cost",
    )


def _row(source: Source, cell: Mapping[str, Any]) -> Row:
    plain = ("title", "mean_steps", "successful_steps", "finish_rate", "median_seconds", "cost_usd", "usd_per_right")
    tokens = cell["tokens"] or {}
    return {
        **source.key(cell["title"]),
        **{name: cell[name] for name in plain},
        **{f"{name}_tokens": tokens.get(name) for name in _TOKENS},
    }
