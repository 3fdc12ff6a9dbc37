"""What each cell of the runs reached, where it stands, and how its attempts ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum
from typing import Any

from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Column, Pivot, Row, Table

_CELL = Column("title", "agent", about="agent, preset, model, wording and settings")
_KEY = ("run", "cell")


def accuracy(source: Source) -> Table:
    """One row a cell: its mean with interval, what it is over, and the same by the other verdict."""
    rows = [_accuracy(source, cell) for cell in source.document["cells"]]
    rows.sort(key=lambda row: (row["mean"] is None, -(row["mean"] or 0.0), row["title"]))
    other = source.other
    return Table(
        "accuracy",
        "Accuracy",
        (
            _CELL,
            Column(
                "mean", f"{source.mode} mean", "share", "low", "high", "mean over all planned tasks, [95 % interval]"
            ),
            *((Column("other_mean", f"{other} mean", "share", about="the other verdict's mean"),) if other else ()),
            Column("without_faulty", "without faulty tasks", "share", about="without tasks that a check found faulty"),
            Column("discovery", "files found", "share", about="attempts that opened every required file, as measured"),
            *(Column(name, name, "share") for name in source.repeats),
            Column("tasks", "tasks", "count"),
            Column(
                "clusters", "groups", "count", about="datasets or domains that the interval takes whole; else tasks"
            ),
            Column("planned", "planned", "count", about="attempts at tasks that can be judged: what the mean is over"),
            Column("attempts", "made", "count", about="attempts that were made; the others count 0"),
            Column("scored", "scored", "count", about="attempts with a verdict"),
            Column("unscored", "unscored", "count", about="attempts without a verdict: they count 0"),
            Column("broken", "broken", "count", about="attempts that broke: whose fault stands under endings"),
            Column(
                "unscorable", "no verdict possible", "count", about="tasks without a usable gold: in no denominator"
            ),
        ),
        tuple(rows),
        note="Intervals are 95 %, over the groups counted beside them. An attempt without a verdict counts 0.",
        query="accuracy",
        hidden=_KEY,
    )


def _accuracy(source: Source, cell: Mapping[str, Any]) -> Row:
    title = cell["title"]
    low, high = cell["ci95"] or (None, None)
    without, found = cell["without_faulty"], cell["discovery"]
    return {
        **source.key(title),
        "title": title,
        "mean": cell["mean"],
        "low": low,
        "high": high,
        "other_mean": source.other_mean(title),
        "without_faulty": without["mean"] if without else None,
        "discovery": found["mean"] if found else None,
        **{name: cell["pass"].get(name) for name in source.repeats},
        **{name: cell[name] for name in ("tasks", "clusters", "attempts", "unscored", "unscorable")},
        "planned": len(source.overview.sides[title].scores),
        "scored": len(source.overview.sides[title].scores) - cell["unscored"],
        "broken": sum(n for name, n in cell["endings"].items() if name.startswith("broke")),
    }


def places(source: Source) -> Table:
    """One row a cell: its place and between which it may stand; cells that share a letter cannot be told apart."""
    rows = [
        {
            **source.key(rank["title"]),
            "title": rank["title"],
            "mean": rank["mean"],
            "place": rank["place"],
            "best": rank["places95"][0],
            "worst": rank["places95"][1],
            "group_letters": rank["group"],
            "tasks": rank["tasks"],
        }
        for rank in source.document["ranks"]
    ]
    return Table(
        "places",
        "Places",
        (
            _CELL,
            Column(
                "place", "place", "count", "best", "worst", "[between which places 95 % of resampled task sets put it]"
            ),
            Column("group_letters", "group", about="agents that share a letter cannot be told apart"),
            Column("mean", "mean", "share"),
            Column("tasks", "tasks", "count", about="tasks that every cell has a verdict on"),
        ),
        tuple(rows),
        note="Agents that share a letter cannot be told apart by the paired test, after Holm's correction.",
        hidden=_KEY,
        query="places",
    )


def endings(source: Source) -> Table:
    """How many attempts of each cell ended how."""
    rows = [
        {**source.key(cell["title"]), "title": cell["title"], "ending": name, "attempts": count}
        for cell in source.document["cells"]
        for name, count in _all_endings(source, cell)
    ]
    return Table(
        "endings",
        "How attempts ended",
        (_CELL, Column("ending", "ending"), Column("attempts", "attempts", "count")),
        tuple(rows),
        hidden=_KEY,
        pivot=Pivot("title", "ending"),
        query="endings",
    )


def whole(accuracy: Table, costs: Table) -> Table:
    """One row over all agents: what a reader adds up in mind."""
    paid = [row["total_usd"] for row in costs.rows]
    names = {
        "planned": "planned",
        "attempts": "made",
        "not_made": "not made",
        "unscored": "unscored",
        "broken": "broken",
    }
    every = [{**row, "not_made": row["planned"] - row["attempts"]} for row in accuracy.rows]
    row = {name: sum(row[name] for row in every) for name in names}
    row["total_usd"] = None if None in paid else fsum(paid)
    columns = (*(Column(name, head, "count") for name, head in names.items()), Column("total_usd", "cost", "usd"))
    return Table("whole", "All agents together", columns, (row,), query="whole")


def _all_endings(source: Source, cell: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Every ending that any cell has: those that this one has not are 0."""
    for name in sorted({name for each in source.document["cells"] for name in each["endings"]}):
        yield name, cell["endings"].get(name, 0)
