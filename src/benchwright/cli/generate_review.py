"""`benchwright generate review`: tasks to people as pages, and their decisions back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.app import group
from benchwright.cli.generate_group import generate
from benchwright.cli.output import print_json, print_table, progress, shortened
from benchwright.cli.suites import JsonOption, SuiteArgument, find_suite

if TYPE_CHECKING:
    from benchwright.generation.review.applying import Applied
    from benchwright.generation.review.decisions import Decision
    from benchwright.suite import Suite

review = group("review", "Tasks to people as pages, and their decisions back.", generate)
Against = Annotated[
    list[str] | None, typer.Option("--against", help="A suite whose questions are known; may be given several times.")
]


@review.command("make")
def make(
    suite: SuiteArgument,
    out: Annotated[Path, typer.Option(help="A new folder for the pages; each reviewer gets a copy.")],
    ids: Annotated[str, typer.Option(help="These tasks only, by id, separated by commas.")] = "",
    against: Against = None,
    sample: Annotated[bool, typer.Option("--sample/--no-sample", help="With rows of the data, or without.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Write one Markdown page a task: question, workflow, code, gold, proofs, skills, data, and a decision to fill in.

    The pages hold golds. See docs/reviewing.md.
    """
    from benchwright.generation.review.folder import Wish, make_review

    wanted = tuple(name.strip() for name in ids.split(",") if name.strip())
    wish = Wish(wanted, tuple(map(find_suite, against or ())), sample, told=progress)
    made = make_review(find_suite(suite), out, wish)
    if as_json:
        print_json({"folder": str(out), **made.to_json()})
    else:
        typer.echo(f"{len(made.pages)} pages in {out}")


@review.command("apply")
def apply(
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER...", help="The folders of one reviewer, or two.")],
    suite: Annotated[str, typer.Option(help="The suite that was reviewed.")],
    out: Annotated[Path, typer.Option(help="The new suite; the old one stays as it is.")],
    adjudicated: Annotated[Path | None, typer.Option(help="The folder in which differences were decided.")] = None,
    differences: Annotated[
        Path | None, typer.Option(help="Write pages of the tasks on which reviewers differ.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Hold decisions against each other, check edits again, and write the suite of what was accepted.

    Exit code 1, and nothing written, while pages cannot be read, are undecided, or reviewers differ; 1 as well where an
    edit did not hold and its task was left out.
    """
    from benchwright.generation.review.applying import apply_review, ruled

    reviewed = find_suite(suite)
    ruling, problems = ruled(reviewed, folders, adjudicated)
    if ruling.differing and differences is not None:
        _write_differences(reviewed, folders, ruling.differing, differences)
    applied = apply_review(reviewed, ruling, problems, out)
    print_json(applied.document()) if as_json else _print(applied)
    held = not any(reason.startswith("the edit") for reason in applied.left_out.values())
    if applied.suite is None or not held:
        raise typer.Exit(1)


@review.command("novelty")
def novelty(
    suite: SuiteArgument,
    against: Against = None,
    least: Annotated[float, typer.Option(min=0, max=1, help="The cosine from which on two questions are told.")] = 0.85,
    as_json: JsonOption = False,
) -> None:
    """Questions that are nearly one: within a suite, and with those of others. Exit code 1 where there are any."""
    from benchwright.generation.review.novelty import novelty as compared

    own = find_suite(suite)
    found = compared(own, [find_suite(name) for name in against or ()], least)
    share = len({near.task for near in found}) / len(own.tasks) if own.tasks else 0.0
    if as_json:
        print_json({"suite": own.name, "share": share, "near": [near.model_dump(mode="json") for near in found]})
    else:
        rows = [
            (n.task, f"{n.suite}/{n.other}" if n.suite else n.other, f"{n.cosine:.2f}", f"{n.ratio:.2f}") for n in found
        ]
        print_table(f"{share:.1%} of {len(own.tasks)} tasks", ("task", "nearly", "words", "letters"), rows)
    raise typer.Exit(1 if found else 0)


def _write_differences(suite: Suite, folders: Sequence[Path], tasks: Sequence[str], out: Path) -> None:
    from benchwright.generation.review.folder import Wish, for_adjudication, make_review, read_review

    reviews: list[dict[str, Decision]] = [dict(read_review(folder, suite).decisions) for folder in folders]
    make_review(suite, out, for_adjudication(Wish(told=progress), reviews, tasks))
    progress(f"{len(tasks)} pages to adjudicate in {out}")


def _print(applied: Applied) -> None:
    from benchwright.generation.review.applying import NOT_REVIEWED

    rows = [
        *((task, "cannot be read", shortened(reason)) for task, reason in applied.problems.items()),
        *((task, "reviewers differ", "") for task in applied.ruling.differing),
        *((task, "undecided", "") for task in applied.ruling.undecided),
        *((task, "left out", shortened(why)) for task, why in applied.left_out.items() if why != NOT_REVIEWED),
    ]
    if rows:
        print_table("", ("task", "what", "why"), rows)
    if applied.ruling.agreement is not None:
        agreed = applied.ruling.agreement
        typer.echo(
            f"reviewers agree on {agreed.accuracy:.1%} of {agreed.n} tasks, Cohen's kappa {agreed.kappa_in_words}"
        )
    if applied.suite is None:
        typer.echo("nothing written")
    else:
        if others := sum(why == NOT_REVIEWED for why in applied.left_out.values()):
            typer.echo(f"{others} tasks left out: no page is about them")
        typer.echo(f"{len(applied.kept)} tasks kept, {len(applied.edited)} of them edited: {applied.suite.folder}")
