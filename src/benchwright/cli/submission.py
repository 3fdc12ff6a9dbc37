"""`benchwright submission`: runs as submissions to a leaderboard, and whether a submission can be taken."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli.app import group
from benchwright.cli.output import print_json, print_table, progress
from benchwright.cli.suites import find_suite

if TYPE_CHECKING:
    from benchwright.publishing.submission import Result, Verdict
    from benchwright.run import RunFolder

submission = group("submission", "Make submissions to a leaderboard, and check them.")


@submission.command("make")
def make_submission(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders of one agent; each task in one.")],
    out: Annotated[Path, typer.Option(help="A .zip file, or a new folder; with --each the folder of zip files.")],
    cell: Annotated[str, typer.Option(help="The agent's cell, by id or title, where the runs have several.")] = "",
    each: Annotated[bool, typer.Option("--each", help="One submission for every cell of the runs.")] = False,
    epoch: Annotated[int, typer.Option(min=1, help="Which epoch is handed in, of several.")] = 1,
    suite: Annotated[str, typer.Option(help="The suite, where it no longer lies where the run was made.")] = "",
    submission_id: Annotated[str, typer.Option(help="Default: made of method, model, date and digest.")] = "",
    method: Annotated[str, typer.Option(help="The agent's name; default: as the run has it.")] = "",
    model: Annotated[str, typer.Option(help="The model's name; default: as the run has it.")] = "",
    organization: Annotated[str, typer.Option(help="Who hands it in.")] = "",
    contact: Annotated[str, typer.Option(help="Where to ask.")] = "",
    paper: Annotated[str, typer.Option(help="Its address.")] = "",
    code: Annotated[str, typer.Option(help="Its address.")] = "",
    notes: Annotated[str, typer.Option(help="What a reader must know.")] = "",
    date: Annotated[str, typer.Option(help="YYYY-MM-DD; default: when the run ended.")] = "",
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Leave organization, contact and links out.")] = False,
) -> None:
    """Write a submission: both published forms, the predictions, and a manifest of how they came about. Never gold.

    The runs must hold every task of a subset, and be scored where the suite has its gold; without gold the results
    are left open, for the leaderboard to fill in.
    """
    from benchwright.publishing.submission import About, make, write
    from benchwright.run import RunFolder

    folders = [RunFolder.open(run) for run in runs]
    opened = find_suite(suite or folders[0].spec.suite_folder)
    about = About(submission_id, method, model, organization, contact, paper, code, notes, date, anonymous)
    for wanted in _cells(folders) if each else [cell]:
        package = make(opened, folders, wanted, epoch, about)
        target = out / f"{package.id}.zip" if each else out
        write(package, target)
        progress(f"{package.id}: {len(package.predictions)} predictions are in {target}")
        print_table("", _HEADS, [_row(name, result) for name, result in package.detailed.results.items()])


@submission.command("check")
def check_submission(
    file: Annotated[Path, typer.Argument(help="A .zip file or folder, or one JSON document in a published form.")],
    suite: Annotated[
        str, typer.Option(help="Check ids and release, too, and score it again by this suite's gold.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Say whether a submission can be taken: documents, ids, counts, digests, release, and what scoring it again says.

    Exit code 1: it is refused, and why is said. Exit code 2: it cannot be read.
    """
    from benchwright.publishing.submission import check, opened

    with opened(file) as parcel:
        verdict = check(parcel, find_suite(suite) if suite else None)
    if as_json:
        print_json(_document(verdict))
    else:
        _print(verdict)
    raise typer.Exit(1 if verdict.refused else 0)


_HEADS = ("subset", "EA", "DA", "tasks", "right")


def _cells(runs: list[RunFolder]) -> list[str]:
    return list(dict.fromkeys(cell.id for run in runs for cell in run.spec.cells))


def _row(name: str, result: Result) -> tuple[object, ...]:
    shares = (result.execution_accuracy, result.discovery_accuracy)
    return name, *(None if share is None else f"{share:.4f}" for share in shares), result.n_tasks, result.n_correct


def _document(verdict: Verdict) -> dict[str, Any]:
    package = verdict.package
    return {
        "submission_id": package.id if package else None,
        "refused": verdict.refused,
        "findings": [
            {"code": item.code, "refused": item.refused, "reason": item.reason, "tasks": list(item.tasks)}
            for item in verdict.findings
        ],
        "rescored": {name: result.model_dump(mode="json") for name, result in verdict.results.items()},
    }


def _print(verdict: Verdict) -> None:
    package = verdict.package
    print_table(
        package.id if package else "no submission",
        ("", "what", "why"),
        [("refused" if item.refused else "note", item.code, item.reason) for item in verdict.findings]
        or [("fine", "", "nothing is wrong with it")],
    )
    if package:
        print_table("as handed in", _HEADS, [_row(*item) for item in package.detailed.results.items()])
    if verdict.results:
        print_table("scored again", _HEADS, [_row(*item) for item in verdict.results.items()])
