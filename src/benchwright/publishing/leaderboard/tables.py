"""A ranking as tables: places, costs, domains, sweeps, what contradicts, and what is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from statistics import pstdev
from typing import Any

from benchwright.publishing.leaderboard.apart import ALPHA, WAYS
from benchwright.publishing.leaderboard.contradictions import Contradiction
from benchwright.publishing.leaderboard.entries import Entry
from benchwright.publishing.leaderboard.ranking import Ranked, Ranking
from benchwright.publishing.tables import Column, Pivot, Row, Table

_STATUS = {
    "verified": "verified",
    "stated": "stated",
    "claim": "claim only",
}


def tables(ranking: Ranking, contradictions: Sequence[Contradiction] = ()) -> tuple[Table, ...]:
    """Every table that holds something, in the order in which a reader wants them."""
    made = (
        places(ranking),
        domains(ranking),
        costs(ranking),
        sweeps(ranking),
        contradicting(ranking, contradictions),
        outside(ranking),
    )
    return tuple(table for table in made if table.rows)


def places(ranking: Ranking) -> Table:
    """One row an entry: its place, its letters, what it reached on each subset, by whose word."""
    shown = (ranking.subset, *(name for name in ranking.board.then if name != ranking.subset))
    shares = [column for name in shown for column in _shares(name, ranking.subset)]
    return Table(
        "places",
        f"Ranking on {ranking.subset}",
        (
            Column("place", "place", "count"),
            Column("method", "method", link="link"),
            Column("model", "model"),
            Column("group", "group", about="entries that share a letter cannot be told apart"),
            *shares,
            Column("tasks", "tasks", "count"),
            Column(
                "status",
                "scores",
                about="verified: scored again by the keepers; stated: could be; claim only: without predictions",
            ),
            Column(
                "reads",
                "DA by",
                about="measured: a tracer of the keepers'; self-reported: the submitter's trace, which scoring again "
                "does not repeat; claimed: a number without a trace",
            ),
            Column("cost_usd", "$ a task", "usd"),
            Column("swept", "swept", "count", about="attempts that opened nearly every file of a room"),
            Column("organization", "by"),
            Column("date", "date"),
        ),
        tuple(_place(item, ranking.subset, shown) for item in ranking.ranked),
        note=_note(ranking),
        hidden=("id",),
    )


def _shares(name: str, main: str) -> Iterator[Column]:
    interval = (f"ea_{name}_low", f"ea_{name}_high") if name == main else ("", "")
    yield Column(f"ea_{name}", f"EA ({name})", "share", *interval, about="Execution Accuracy")
    yield Column(f"da_{name}", f"DA ({name})", "share", about="Discovery Accuracy: every required file was opened")


def _place(item: Ranked, main: str, shown: Sequence[str]) -> Row:
    entry = item.entry
    shares = {f"ea_{name}": entry.accuracy(name) for name in shown} | {
        f"da_{name}": entry.discovery(name) for name in shown
    }
    return {
        "id": entry.id,
        "link": entry.id,
        "place": item.place,
        "method": entry.method,
        "model": entry.model,
        "group": item.group,
        **shares,
        f"ea_{main}_low": item.low,
        f"ea_{main}_high": item.high,
        "tasks": entry.results[main].n_tasks,
        "status": _STATUS[entry.status],
        "reads": entry.reads,
        "cost_usd": entry.cost_usd,
        "swept": entry.swept,
        "organization": entry.organization,
        "date": entry.metadata.date,
    }


def _note(ranking: Ranking) -> str:
    main = ranking.subset == ranking.board.subset and ranking.board.then
    order = (
        f"Execution Accuracy, ties by {'that of the next subsets, then ' if main else ''}Discovery Accuracy, then the "
        "earlier day"
    )
    told = {item.entry.reads for item in ranking.ranked}
    reads = (
        " Discovery Accuracy that is self-reported or claimed is the submitter's word, also where scores are verified."
        if told & {"self-reported", "claimed"}
        else ""
    )
    ways = "; ".join(
        f"{count} pair{'s' if count > 1 else ''} {WAYS[way]}" for way, count in ranking.apart.ways().items()
    )
    tested = (
        f" Entries that share a letter cannot be told apart at {ALPHA:.0%} after Holm's correction: {ways}."
        if ways
        else ""
    )
    return f"Places go by {order}. Intervals are 95 %, by whole domains where the paired test is.{reads}{tested}"


def domains(ranking: Ranking) -> Table:
    """A row a domain and entry, shown as a matrix: the mean over the domain's tasks, where they are told apart."""
    titles = [entry.title for entry in ranking.entries]
    rows = [
        {**row, "agent": entry.title if titles.count(entry.title) == 1 else f"{entry.title} ({entry.id})"}
        for entry in ranking.entries
        for row in _domains(entry, ranking.subset)
    ]
    rows.sort(key=lambda row: row["domain"])
    several = len({row["domain"] for row in rows}) > 1
    return Table(
        "domains",
        "By domain",
        (
            Column("domain", "domain"),
            Column("tasks", "tasks", "count"),
            Column("agent", "agent"),
            Column("mean", "mean", "share"),
        ),
        tuple(rows) if several else (),
        pivot=Pivot("domain", "agent", ("tasks",)),
        note="Mean of what tasks were worth. Entries without scores by task are not here.",
    )


def _domains(entry: Entry, subset: str) -> Iterator[dict[str, Any]]:
    worths = entry.worths(subset)
    by_domain: dict[str, list[float]] = {}
    for line in entry.lines:
        if line.id in worths:
            by_domain.setdefault(line.domain or "none", []).append(worths[line.id])
    for domain, values in by_domain.items():
        yield {"domain": domain, "tasks": len(values), "mean": fsum(values) / len(values)}


def costs(ranking: Ranking) -> Table:
    """One row an entry whose cost or tokens are known."""
    known = [entry for entry in ranking.entries if entry.cost_usd is not None or entry.tokens is not None]
    rows = [_cost(entry, known, ranking.subset) for entry in known]
    return Table(
        "costs",
        "Cost",
        (
            Column("method", "method"),
            Column("model", "model"),
            Column("accuracy", f"EA ({ranking.subset})", "share"),
            Column("tokens", "tokens a task", "count"),
            Column("cost_usd", "$ a task", "usd"),
            Column("usd_per_right", "$ a right task", "usd", about="dollars a task over Execution Accuracy"),
            Column("front", "on the front", about="no other entry is both as cheap and as good, and better in one"),
        ),
        tuple(rows),
        note="Means over attempts, as submitted; a cost that is not known of one attempt is unknown in all.",
        hidden=("id",),
    )


def _cost(entry: Entry, known: Sequence[Entry], subset: str) -> Row:
    accuracy, cost = entry.accuracy(subset) or 0.0, entry.cost_usd
    beaten = cost is not None and any(_beats(other, accuracy, cost, subset) for other in known)
    return {
        "id": entry.id,
        "method": entry.method,
        "model": entry.model,
        "accuracy": accuracy,
        "tokens": entry.tokens,
        "cost_usd": cost,
        "usd_per_right": cost / accuracy if cost is not None and accuracy else None,
        "front": "" if cost is None else "no" if beaten else "yes",
    }


def _beats(other: Entry, accuracy: float, cost: float, subset: str) -> bool:
    theirs, price = other.accuracy(subset) or 0.0, other.cost_usd
    return price is not None and price <= cost and theirs >= accuracy and (price < cost or theirs > accuracy)


def sweeps(ranking: Ranking) -> Table:
    """One row a setup that was run at several temperatures: the best, the worst, all together, and their spread."""
    setups: dict[tuple[str, ...], list[Entry]] = {}
    for entry in ranking.entries:
        if entry.cell is not None and "temperature" in entry.cell.generation:
            others = {name: value for name, value in entry.cell.generation.items() if name != "temperature"}
            key = (
                entry.cell.agent,
                entry.cell.preset,
                entry.cell.model,
                entry.cell.variant,
                str(sorted(others.items())),
            )
            setups.setdefault(key, []).append(entry)
    rows = [_sweep(key, found, ranking.subset) for key, found in setups.items() if len(found) > 1]
    return Table(
        "sweeps",
        "Temperature sweeps",
        (
            Column("model", "model"),
            Column("approach", "approach"),
            Column("variant", "query"),
            Column("highest", "highest", "share"),
            Column("highest_at", "highest at T", "number"),
            Column("lowest", "lowest", "share"),
            Column("lowest_at", "lowest at T", "number"),
            Column("overall", "overall", "share"),
            Column("sd", "sd", "share"),
            Column("runs", "temperatures", "count"),
        ),
        tuple(sorted(rows, key=lambda row: -row["overall"])),
        note="Of equal accuracies the lower temperature is named; sd is over temperatures, divided by their number.",
    )


def _sweep(key: tuple[str, ...], entries: Sequence[Entry], subset: str) -> dict[str, Any]:
    values = [(_temperature(entry), entry.accuracy(subset) or 0.0) for entry in sorted(entries, key=_temperature)]
    highest, lowest = max(values, key=lambda one: one[1]), min(values, key=lambda one: one[1])
    total = sum(entry.results[subset].n_tasks for entry in entries)
    weighted = fsum((entry.accuracy(subset) or 0.0) * entry.results[subset].n_tasks for entry in entries)
    agent, preset, model, variant, _ = key
    return {
        "model": model,
        "approach": f"{agent} {preset}".strip(),
        "variant": variant,
        "highest": highest[1],
        "highest_at": highest[0],
        "lowest": lowest[1],
        "lowest_at": lowest[0],
        "overall": weighted / total,
        "sd": pstdev(value for _, value in values),
        "runs": len(values),
    }


def _temperature(entry: Entry) -> float:
    value = entry.cell.generation["temperature"] if entry.cell else 0.0
    return float(value) if isinstance(value, int | float) else 0.0


def contradicting(ranking: Ranking, found: Sequence[Contradiction]) -> Table:
    """One row a thing that cannot be."""
    titles: Mapping[str, str] = {entry.id: entry.title for entry in ranking.entries}
    rows = tuple(
        {"what": item.what, "of": "; ".join(titles.get(each, each) for each in item.entries)} for item in found
    )
    return Table(
        "contradictions",
        "What cannot be",
        (Column("of", "entries"), Column("what", "what")),
        rows,
        note="Shares of whole tasks that are k/n for no whole k at their printed precision, and claims that differ.",
    )


def outside(ranking: Ranking) -> Table:
    """One row an entry that has no place, with the reason."""
    rows = tuple(
        {"method": entry.method, "model": entry.model, "why": why, "date": entry.metadata.date}
        for entry, why in ranking.outside
    )
    return Table(
        "outside",
        "Without a place",
        (Column("method", "method"), Column("model", "model"), Column("why", "why"), Column("date", "date")),
        rows,
    )
