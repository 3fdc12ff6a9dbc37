"""What attempts took, what a right answer costs, and what sending each kind of task to its best agent would gain."""

from __future__ import annotations

from benchwright.analysis.cost import CellCost
from benchwright.publishing.report.source import Source
from benchwright.publishing.tables import Column, Row, Table

_TOKENS = ("input", "cache_write", "cache_read", "output", "reasoning")
_PLAIN = (
    *("title", "steps", "successful_steps", "finished", "cost_usd", "total_usd", "right", "usd_per_right"),
    *(f"{name}_tokens" for name in _TOKENS),
)


def costs(source: Source) -> Table:
    """One row a cell: steps, time, tokens by class, dollars."""
    told = {cell.title: cell for cell in source.overview.costs.cells}
    medians = {cell["title"]: cell["median_seconds"] for cell in source.document["cells"]}
    return Table(
        "cost",
        "Work and cost",
        (
            Column("title", "agent"),
            Column("steps", "steps", "number", about="mean over attempts that were carried through"),
            Column("successful_steps", "steps that succeeded", "share"),
            Column("finished", "finished", "share", about="attempts in which the agent itself handed something in"),
            Column("median_seconds", "median time", "seconds"),
            *(
                Column(f"{name}_tokens", f"{name.replace('_', ' ')} tokens", "number", about="mean over attempts")
                for name in _TOKENS
            ),
            Column("cost_usd", "an attempt", "usd"),
            Column("total_usd", "in all", "usd"),
            Column("right", "right answers", "count", about="attempts worth 1"),
            Column("usd_per_right", "a right answer", "usd"),
            Column("front", "on the front", about="no other agent is both as cheap and as good, and better in one"),
        ),
        tuple(_row(source, told[title], medians[title]) for title in source.titles),
        note="A cost or count that is not known for one attempt is unknown in all (–). Reasoning is part of output.",
        hidden=("run", "cell"),
        query="cost",
    )


def _row(source: Source, cell: CellCost, median: float | None) -> Row:
    on_front = {True: "yes", False: "no", None: None}[cell.on_front]
    return {
        **source.key(cell.title),
        **{name: getattr(cell, name) for name in _PLAIN},
        "median_seconds": median,
        "front": on_front,
    }


def routers(source: Source) -> Table:
    """One row a kind of label that a router may choose by."""
    rows = [
        {
            "kind": each.kind,
            "groups": each.groups,
            "tasks": each.tasks,
            "router": each.router.mean,
            "router_usd": each.router.cost_usd,
            "single": each.best_single.title,
            "single_mean": each.best_single.mean,
            "single_usd": each.best_single.cost_usd,
            "gain": each.gain.mean,
            "low": each.gain.ci95[0],
            "high": each.gain.ci95[1],
            "oracle": each.oracle.mean,
        }
        for each in source.overview.routers
    ]
    return Table(
        "routers",
        "What a router would gain",
        (
            Column("kind", "chooses by"),
            Column("groups", "groups", "count"),
            Column("tasks", "tasks", "count"),
            Column("router", "router", "share"),
            Column("router_usd", "its cost", "usd", about="an attempt"),
            Column("single", "best single agent"),
            Column("single_mean", "its mean", "share"),
            Column("single_usd", "its cost", "usd", about="an attempt"),
            Column("gain", "gain", "points", "low", "high", "router minus best single agent, [95 % interval]"),
            Column("oracle", "best of each task", "share", about="what no router can pass: it looks at the verdicts"),
        ),
        tuple(rows),
        note="Each kind of task goes to the agent that is best at its kind on other tasks (cross-validated).",
    )


def raised(source: Source) -> Table:
    """One row a cell that was run again with higher limits."""
    rows = [
        {
            **source.key(each.title),
            "before_run": source.key(each.before)["run"],
            **each.model_dump(include={"title", "before", "pairs", "mean_before", "mean_after", "difference"}),
            **each.model_dump(include={"p", "better", "worse", "still_limited"}),
            "limits": f"{each.limits_before:g}x to {each.limits_after:g}x",
            "low": each.ci95[0],
            "high": each.ci95[1],
        }
        for each in source.overview.raised
    ]
    return Table(
        "raised",
        "The same attempts with raised limits",
        (
            Column("title", "agent"),
            Column("limits", "limits"),
            Column("pairs", "attempts", "count"),
            Column("mean_before", "before", "share"),
            Column("mean_after", "after", "share"),
            Column("difference", "difference", "points", "low", "high"),
            Column("p", "p", "p_value"),
            Column("better", "better", "count"),
            Column("worse", "worse", "count"),
            Column("still_limited", "ended by a limit again", "count"),
        ),
        tuple(rows),
        hidden=("run", "cell", "before", "before_run"),
        query="raised",
    )
