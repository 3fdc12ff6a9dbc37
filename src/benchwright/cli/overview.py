"""How `benchwright analyse` prints runs over any suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import typer

from benchwright.agreement import in_words
from benchwright.cli.output import print_table

if TYPE_CHECKING:
    from benchwright.analysis.cost import Costs
    from benchwright.analysis.discovery.summary import Searched, Summary
    from benchwright.analysis.overview import Overview
    from benchwright.analysis.raised import Raised
    from benchwright.analysis.routing import Router

_SHOWN: Final = 8
_CELL_COLUMNS: Final = (
    *("cell", "mean", "95 %", "tasks", "attempts", "unscored", "unscorable"),
    *("without\nfaulty tasks", "DA", "endings"),
)
_WORK_COLUMNS: Final = (
    *("cell", "steps", "successful\nsteps", "finish rate", "seconds", "tokens in", "tokens out"),
    *("cost $", "$ a right\nanswer"),
)


def print_overview(found: Overview) -> None:
    """Cells first, then their places, groups of tasks and skills; what is long is cut, and says so."""
    document = found.document()
    cells = document["cells"]
    titles = [cell["title"] for cell in cells]
    asked = f"{document['n_tasks']} of {document['of_tasks']} tasks"
    head = f"{document['suite']} {document['release']}, {document['mode']} verdicts, {asked}"
    print_table(head, _CELL_COLUMNS, list(map(_cell, cells)))
    print_table("Work", _WORK_COLUMNS, list(map(_work, cells)))
    _print_repeats(cells)
    if document["ranks"]:
        title = "Places (cells that share a letter cannot be told apart)"
        print_table(title, ("cell", "mean", "place", "95 %", "group"), list(map(_rank, document["ranks"])))
    _print_matrix(document["matrix"])
    _print_failures(document["failures"], titles)
    _print_discovery(found.searched)
    _print_costs(found.costs, found.routers)
    _print_raised(found.raised)
    _print_groups(document["groups"], titles)
    _print_skills(document["skills"], titles)


def _print_repeats(cells: Sequence[Mapping[str, Any]]) -> None:
    for cell in cells:
        if told := cell["pass"]:
            shown = ", ".join(f"{name} {_number(value)}" for name, value in told.items() if name != "tasks")
            typer.echo(f"{cell['title']}: {shown} over {told['tasks']} tasks")


def _print_groups(found: Mapping[str, Sequence[Mapping[str, Any]]], titles: Sequence[str]) -> None:
    """Means by each kind of label that tasks have."""
    for kind, groups in found.items():
        if groups:
            rows = [(group["name"], group["n_tasks"], *(_mean(group["cells"][t]) for t in titles)) for group in groups]
            print_table(f"By {kind}", (kind, "tasks", *titles), rows)


def _print_matrix(found: Mapping[str, Any]) -> None:
    """Where there are several agents and several models."""
    if min(len(found["agents"]), len(found["models"])) < 2:
        return
    told: dict[tuple[str, str], list[str]] = {}
    for cell in found["cells"]:
        told.setdefault((cell["agent"], cell["model"]), []).append(_number(cell["mean"]) or "-")
    rows = [
        (agent, *(", ".join(told.get((agent, m), [])) or None for m in found["models"])) for agent in found["agents"]
    ]
    print_table("By agent and model", ("agent", *(model or "no model" for model in found["models"])), rows)


def _print_failures(found: Mapping[str, Any], titles: Sequence[str]) -> None:
    if not found["classes"]:
        return
    cells = {cell["title"]: cell for cell in found["cells"]}
    rows = [
        (each["title"], *(_failure(cells[title]["classes"].get(each["failure"])) for title in titles))
        for each in found["classes"]
    ]
    head = ("why", *(f"{title}\n{cells[title]['failed']} of {cells[title]['n']} failed" for title in titles))
    print_table("Failures (attempts, share of the failed; ~ is an estimate)", head, rows)

    for name, part in (found["agreement"] or {}).items():
        if part["n"]:
            kappa = in_words(part["kappa"])
            typer.echo(f"Model and {name}: the same class for {part['agreed']} of {part['n']} failures, kappa {kappa}")


def _failure(found: Mapping[str, Any] | None) -> str | None:
    if found is None:
        return None
    mark = "~" if found["estimated"] else ""
    share = "" if found["of_failures"] is None else f" ({found['of_failures']:.0%})"
    return f"{mark}{found['n']}{share}"


def _print_discovery(cells: Sequence[Searched]) -> None:
    columns = (
        *("cell", "known", "required\nfiles", "listed", "opened", "step first\nopened", "seconds"),
        *("step last\nused", "wasted reads\nan attempt", "near misses", "precision", "recall"),
    )
    rows = [_search(cell.title, basis, known) for cell in cells for basis, known in cell.known()]
    if rows:
        print_table("Discovery (medians of steps and seconds; precision and recall at the end)", columns, rows)


def _search(title: str, basis: str, found: Summary) -> tuple[Any, ...]:
    last = found.curve[-1] if found.curve else None
    near = ", ".join(f"{role} {n}" for role, n in found.near_misses.items() if n)
    return (
        *(title, f"{basis} {found.attempts}", found.required, _number(found.listed), _number(found.opened)),
        *(_number(found.first_opened.step, 1), _number(found.first_opened.seconds, 1)),
        *(_number(found.last_used.step, 1), _number(found.wasted_per_attempt, 1), near or None),
        *((_number(last.precision), _number(last.recall)) if last else (None, None)),
    )


def _print_costs(found: Costs, routers: Sequence[Router]) -> None:
    if len(found.cells) > 1 and found.front:
        unknown = f"; unknown cost: {', '.join(found.unknown_cost)}" if found.unknown_cost else ""
        typer.echo(f"No other cell is as good and as cheap: {', '.join(found.front)}{unknown}")
    columns = ("by", "groups", "router", "$ a task", "best single", "mean", "$ a task", "gain [95 %]", "per-task best")
    if routers:
        title = "A router that sends each group to the cell that is best at it (cross-validated)"
        print_table(title, columns, list(map(_router, routers)))


def _router(row: Router) -> tuple[Any, ...]:
    router, single = row.router, row.best_single
    return (
        *(row.kind, row.groups, _number(router.mean), _money(router.cost_usd), single.title),
        *(_number(single.mean), _money(single.cost_usd), _change(row.gain.mean, row.gain.ci95)),
        _number(row.oracle.mean),
    )


def _print_raised(rows: Sequence[Raised]) -> None:
    columns = (
        *("cell", "limits", "pairs", "before", "after", "difference [95 %]"),
        *("p", "better", "worse", "limited again"),
    )
    shown = [
        (
            *(row.title, f"x{row.limits_before:g} -> x{row.limits_after:g}", row.pairs, _number(row.mean_before)),
            *(_number(row.mean_after), _change(row.difference, row.ci95)),
            *(f"{row.p:.2g}", row.better, row.worse, row.still_limited),
        )
        for row in rows
    ]
    if shown:
        print_table("The same attempts with raised limits", columns, shown)


def _change(mean: float, ci95: tuple[float, float]) -> str:
    return f"{mean:+.3f} [{ci95[0]:+.3f}, {ci95[1]:+.3f}]"


def _print_skills(skills: Mapping[str, Any], titles: Sequence[str]) -> None:
    if not skills["ranking"]:
        return
    typer.echo(f"Skills with 3 applications or more ({skills['estimated']})")
    ranked = skills["ranking"]
    columns = ("skill", "mean", "weighted", "applications")
    for name, rows in (("Strongest", ranked[:_SHOWN]), ("Weakest", ranked[::-1][:_SHOWN])):
        print_table(f"{name} of {len(ranked)}", columns, [_skill(row) for row in rows])
    if len(titles) > 1:
        rows = [row for title in titles for row in _strengths(title, skills["deviations"][title])]
        print_table("Strengths and weaknesses against the others", ("cell", "skill", "deviation"), rows)
    rows = [
        (domain, name, f"{score['mean']:.3f}", score["n"])
        for domain, found in skills["challenging"].items()
        for name, score in list(found.items())[:2]
    ]
    print_table("Hardest skills of each domain", ("domain", "skill", "mean", "applications"), rows)


def _strengths(title: str, found: Mapping[str, float]) -> Iterator[tuple[str, str, str]]:
    """The three largest and the three smallest deviations."""
    ordered = [(name, value) for name, value in found.items() if value]
    for name, value in dict.fromkeys((*ordered[:3], *ordered[-3:])):
        yield title, name, f"{value:+.3f}"


def _cell(cell: Mapping[str, Any]) -> tuple[Any, ...]:
    endings = ", ".join(f"{name} {count}" for name, count in cell["endings"].items())
    return (
        *(cell["title"], _number(cell["mean"]), _interval(cell["ci95"]), cell["tasks"], cell["attempts"]),
        *(cell["unscored"], cell["unscorable"], _mean(cell["without_faulty"]), _mean(cell["discovery"]), endings),
    )


def _work(cell: Mapping[str, Any]) -> tuple[Any, ...]:
    tokens = cell["tokens"] or {}
    spent = sum(tokens[name] for name in ("input", "cache_write", "cache_read")) if tokens else "unknown"
    return (
        *(cell["title"], _number(cell["mean_steps"], 1), _number(cell["successful_steps"])),
        *(_number(cell["finish_rate"]), _number(cell["median_seconds"], 1), spent, tokens.get("output", "unknown")),
        *(_money(cell["cost_usd"]), _money(cell["usd_per_right"]) if cell["mean"] else None),
    )


def _rank(rank: Mapping[str, Any]) -> tuple[Any, ...]:
    low, high = rank["places95"]
    return rank["title"], _number(rank["mean"]), rank["place"], f"{low}-{high}", rank["group"]


def _skill(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["skill"], _number(row["mean"]), _number(row["weighted"]), row["n"]


def _mean(part: Mapping[str, Any] | None) -> str | None:
    return None if part is None else _number(part["mean"])


def _interval(bounds: Sequence[float] | None) -> str | None:
    return None if bounds is None else f"{bounds[0]:.3f}-{bounds[1]:.3f}"


def _number(value: float | None, digits: int = 3) -> str | None:
    return None if value is None else f"{value:.{digits}f}"


def _money(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4f}"
