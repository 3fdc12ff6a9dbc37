"""Accuracy by what tasks are about: one table a kind of label, a line a label, a column an agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Column, Pivot, Row, Table


def groups(source: Source) -> Iterator[Table]:
    """One table a kind of label that tells tasks apart."""
    for kind, found in source.document["groups"].items():
        if len(found) > 1 or (found and found[0]["n_tasks"] < source.document["n_tasks"]):
            yield _table(source, kind, found)


def _table(source: Source, kind: str, found: Sequence[Row]) -> Table:
    rows = [
        {
            **source.key(title),
            "title": title,
            "label": group["name"],
            "n_tasks": group["n_tasks"],
            "mean": cell["mean"],
            "low": cell["ci95"][0],
            "high": cell["ci95"][1],
            "tasks": cell["tasks"],
        }
        for group in found
        for title in source.titles
        if (cell := group["cells"][title])
    ]
    overlap = "; a task with several is in several lines" if kind == "category" else ""
    return Table(
        f"by_{kind.replace(' ', '_')}",
        f"By {kind}",
        (
            Column("label", kind),
            Column("n_tasks", "tasks", "count"),
            Column("title", "agent"),
            Column("mean", f"{source.mode} mean", "share", "low", "high"),
        ),
        tuple(rows),
        note=f"{source.mode} means with 95 % intervals{overlap}.",
        pivot=Pivot("label", "title", ("n_tasks",)),
        hidden=("run", "cell", "tasks"),
        query="by_label",
    )
