"""`benchwright compare`: what got better from one run to another, what worse, and whether it is more than noise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchwright.cli.app import app
from benchwright.cli.output import print_json, print_table, progress

if TYPE_CHECKING:
    from benchwright.analysis.sides import Side
    from benchwright.run import RunFolder
    from benchwright.suite import Suite

Mode = Literal["sound", "reference"]
ClusterBy = Literal["auto", "task", "dataset", "domain", "source"]
_SHOWN = 10


@app.command()
def compare(  # noqa: PLR0913, PLR0917 - one parameter an option
    first: Annotated[Path, typer.Argument(metavar="RUN", help="The run to compare with.")],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="The run that may be better.")],
    first_cell: Annotated[str, typer.Option(help="Which cell, by title or id, where the first has several.")] = "",
    second_cell: Annotated[str, typer.Option(help="Which cell, where the second has several.")] = "",
    mode: Annotated[Mode, typer.Option(help="The verdict to compare.")] = "sound",
    cluster_by: Annotated[
        ClusterBy, typer.Option(help="What tasks belong together by; auto: datasets or domains where there are 8.")
    ] = "auto",
    anyway: Annotated[bool, typer.Option("--anyway", help="Compare what unlike runs share.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Compare two runs task by task: the difference with its interval and test, and which tasks flipped.

    Both must have been scored. Runs of other questions, golds, scorers or tasks are refused, unless --anyway.
    """
    from benchwright.analysis.comparison import compare as compare_sides
    from benchwright.analysis.sides import side
    from benchwright.run import RunFolder

    runs = RunFolder.open(first), RunFolder.open(second)
    one, two = side(runs[0], first_cell, mode), side(runs[1], second_cell, mode)
    suite = _suite(*runs)
    found = compare_sides(one, two, suite.labels if suite else {}, cluster_by, anyway)
    document = {"mode": mode, **found.document(), "failures": _failures(suite, one, two, mode)}
    print_json(document) if as_json else _print(document)


def _suite(*runs: RunFolder) -> Suite | None:
    """The runs' suite, where its folder is still there."""
    from benchwright.errors import InputError
    from benchwright.suite import Suite

    for run in runs:
        try:
            return Suite.open(Path(run.spec.suite_folder))
        except (InputError, OSError):
            continue
    progress(f"no suite folder at {runs[0].spec.suite_folder}: tasks are compared without their labels")
    return None


def _failures(suite: Suite | None, one: Side, two: Side, mode: Mode) -> dict[str, Any] | None:
    """Which failures moved; None where the suite that the runs were made on is not here."""
    from benchwright.analysis.failures import failures
    from benchwright.analysis.failures.moves import moves

    if suite is None or any(each.run.spec.suite_digest != suite.digest for each in (one, two)):
        return None
    told = [[row for row in failures(suite, each.run, mode) if row.cell == each.cell.id] for each in (one, two)]
    return moves(*told)


def _print(document: dict[str, Any]) -> None:
    typer.echo(f"{document['mode']}, {document['n_tasks']} tasks: {document['verdict']}")
    for line in document["different"]:
        typer.echo(f"differs beside the cell: {line}")
    columns = ("", "cell", "mean", "attempts", "unscored", "endings", "cost $", "seconds", "steps")
    print_table("", columns, [(name, *_row(document[name])) for name in ("first", "second")])
    found, flips = document["difference"], document["flips"]
    typer.echo(
        f"tested over {found['clusters']} clusters ({found['cluster_by']}); only the first right: "
        f"{flips['mcnemar']['first_only']}, only the second: {flips['mcnemar']['second_only']} "
        f"(McNemar p = {flips['mcnemar']['p']:.2g})"
    )
    if (discovery := document["discovery"]) is not None:
        told = f"{discovery['first']:.3f} -> {discovery['second']:.3f} on {discovery['n_tasks']} tasks"
        typer.echo(f"Discovery Accuracy: {told} (p = {discovery['p']:.2g})")
    for kind in ("better", "worse"):
        rows = [(row["task"], f"{row['first']:.2f}", f"{row['second']:.2f}") for row in flips[kind]]
        if rows:
            print_table(f"{kind} by task: {len(rows)}{_more(rows)}", ("task", "first", "second"), rows[:_SHOWN])
        else:
            typer.echo(f"{kind} by task: none")
    if (failures := document["failures"]) is not None and failures["classes"]:
        rows = [(each["title"], each["first"], each["second"]) for each in failures["classes"]]
        print_table(f"failures of {failures['pairs']} attempts that both made", ("why", "first", "second"), rows)
    for kind, groups in document["groups"].items():
        rows = [_group(group) for group in groups]
        if rows:
            shown = ("", "tasks", "first", "second", "difference", "p (Holm)")
            print_table(f"by {kind}{_more(rows)}", shown, rows[:_SHOWN])


def _more(rows: list[Any]) -> str:
    return f" (the {_SHOWN} that moved most; all with --json)" if len(rows) > _SHOWN else ""


def _row(side: dict[str, Any]) -> tuple[Any, ...]:
    endings = ", ".join(f"{name} {count}" for name, count in side["endings"].items())
    cost = "unknown" if side["cost_usd"] is None else f"{side['cost_usd']:.2f}"
    seconds = None if side["median_seconds"] is None else f"{side['median_seconds']:.1f}"
    return (
        *(side["title"], f"{side['mean']:.3f}", side["attempts"], side["unscored"]),
        *(endings, cost, seconds, side["median_steps"]),
    )


def _group(group: dict[str, Any]) -> tuple[Any, ...]:
    numbers = (f"{group['first']:.2f}", f"{group['second']:.2f}", f"{group['difference']:+.2f}")
    return (group["name"], group["n_tasks"], *numbers, f"{group['p_holm']:.2g}")
