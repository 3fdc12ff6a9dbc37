"""`benchwright leaderboard init|add|check|verify|...`: a leaderboard as a folder of submission files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.leaderboard import leaderboard
from benchwright.cli.output import print_json, print_table, progress
from benchwright.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchwright.publishing.leaderboard.repository import Unread
    from benchwright.publishing.submission import Verdict
    from benchwright.publishing.tables import Table

FolderOption = Annotated[Path, typer.Option("--to", help="The leaderboard's folder.")]
FolderArgument = Annotated[Path, typer.Argument(help="The leaderboard's folder.")]


@leaderboard.command("init")
def init_leaderboard(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    folder: Annotated[Path, typer.Argument(help="A new folder, as a rule of a repository.")],
    suite: Annotated[str, typer.Option(help="The suite's name or folder; its release and sizes are taken from it.")],
    title: Annotated[str, typer.Option(help="What it is called.")] = "",
    subset: Annotated[str, typer.Option(help="The subset that places go by.")] = "full",
    then: Annotated[str, typer.Option(help="Subsets that decide ties, split at commas.")] = "",
    partial: Annotated[bool, typer.Option("--partial", help="Tasks can be worth a part of 1.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Keep no scores of single tasks.")] = False,
) -> None:
    """Make an empty leaderboard: settings, a page on how to hand in, and workflows that check and publish."""
    from benchwright.publishing.leaderboard.entries import Board
    from benchwright.publishing.leaderboard.template import start
    from benchwright.suites import find

    board = Board(title=title, subset=subset, then=_names(then), partial=partial, private=private)
    start(folder, find(suite, progress), board)
    progress(f"the leaderboard is in {folder}")


@leaderboard.command("add")
def add_submission(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Submissions.")],
    to: FolderOption,
    suite: Annotated[str, typer.Option(help="Score them again by this suite's gold, and keep what that gives.")] = "",
    published: Annotated[
        bool, typer.Option("--published", help="Take claims whose numbers contradict themselves, and point it out.")
    ] = False,
) -> None:
    """Take submissions in, where nothing refuses them.

    Exit code 1: some are refused, and why is said; the others are in. Exit code 2: some cannot be read.
    """
    from benchwright.publishing.leaderboard.repository import Leaderboard
    from benchwright.suites import find

    board, opened = Leaderboard.open(to), find(suite, progress) if suite else None
    raise typer.Exit(_each(files, lambda file: board.add(file, opened, published=published), "added"))


@leaderboard.command("check")
def check_for_leaderboard(
    folder: FolderArgument,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Submissions, in the folder or elsewhere.")],
    suite: Annotated[str, typer.Option(help="Check ids and release, too, and score them again by its gold.")] = "",
) -> None:
    """Say whether submissions can be taken into this leaderboard; nothing is written.

    Exit code 1: some cannot. Exit code 2: one cannot be read.
    """
    from benchwright.publishing.leaderboard.repository import Leaderboard
    from benchwright.suites import find

    board, opened = Leaderboard.open(folder), find(suite, progress) if suite else None
    raise typer.Exit(_each(files, lambda file: board.judge(file, opened), "fine"))


@leaderboard.command("verify")
def verify_submissions(
    folder: FolderArgument,
    suite: Annotated[str, typer.Option(help="The suite with its gold.")],
) -> None:
    """Score every submission with predictions again, and keep what that gives as verified.

    Exit code 1: some score otherwise than they say; they stay as they are, not verified.
    """
    from benchwright.publishing.leaderboard.repository import Leaderboard
    from benchwright.suites import find

    found = Leaderboard.open(folder).verify(find(suite, progress))
    raise typer.Exit(1 if sum([_told(name, verdict, "verified") for name, verdict in found]) else 0)


@leaderboard.command("withdraw")
def withdraw_submission(
    folder: FolderArgument,
    submission_id: Annotated[str, typer.Argument(help="The submission's id.")],
    reason: Annotated[str, typer.Option(help="Why, for readers.")],
) -> None:
    """Take an entry out of the ranking; its file and the reason stay."""
    from benchwright.publishing.leaderboard.repository import Leaderboard

    Leaderboard.open(folder).withdraw(submission_id, reason)


@leaderboard.command("hide")
def hide_submission(
    folder: FolderArgument, submission_id: Annotated[str, typer.Argument(help="The submission's id.")]
) -> None:
    """Show an entry without its makers, agent, model and file until it is revealed, under a name that tells nothing."""
    from benchwright.publishing.leaderboard.repository import Leaderboard

    progress(f"it is shown as {Leaderboard.open(folder).hide(submission_id)}")


@leaderboard.command("reveal")
def reveal_submission(
    folder: FolderArgument, submission_id: Annotated[str, typer.Argument(help="The submission's id.")]
) -> None:
    """Show an anonymous entry as what it is."""
    from benchwright.publishing.leaderboard.repository import Leaderboard

    Leaderboard.open(folder).reveal(submission_id)


@leaderboard.command("rank")
def rank_submissions(
    folder: FolderArgument,
    subset: Annotated[str, typer.Option(help="The subset to rank by; default: the leaderboard's own.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Rank the entries: places, who cannot be told apart, domains, costs, sweeps, and numbers that cannot be.

    Exit code 1: some numbers cannot be right, or files are no submissions that can be read: they are named, the rest
    is ranked.
    """
    from benchwright.publishing.leaderboard.contradictions import contradictions
    from benchwright.publishing.leaderboard.document import document
    from benchwright.publishing.leaderboard.ranking import rank
    from benchwright.publishing.leaderboard.repository import Leaderboard
    from benchwright.publishing.leaderboard.tables import tables

    found = Leaderboard.open(folder)
    entries, unread = found.read()
    ranking, odd = rank(found.board, entries, subset), contradictions(found.board, entries)
    if as_json:
        print_json(document(ranking, odd, unread))
    else:
        for table in tables(ranking, odd):
            _print(table)
        if not entries:
            typer.echo("no entries yet: benchwright leaderboard add takes them in")
    _name(unread)
    raise typer.Exit(1 if odd or unread else 0)


@leaderboard.command("site")
def write_site(
    folder: FolderArgument,
    out: Annotated[Path, typer.Option(help="The folder for the pages; made anew.")],
) -> None:
    """Write the leaderboard as static pages, ready for any web server: no scripts or fonts from elsewhere.

    Exit code 1: files are no submissions that can be read; they are named, the pages show the rest.
    """
    from benchwright.publishing.leaderboard.repository import Leaderboard
    from benchwright.publishing.leaderboard.site import write_pages

    count, unread = write_pages(Leaderboard.open(folder), out)
    progress(f"{count} pages are in {out}")
    _name(unread)
    raise typer.Exit(1 if unread else 0)


def _name(unread: Sequence[Unread]) -> None:
    for each in unread:
        progress(f"not ranked: {each.file}: {each.why}")


def _each(files: Sequence[Path], judged: Callable[[Path], Verdict], good: str) -> int:
    """Go through all files, whatever becomes of one; returns the exit code."""
    code = 0
    for file in files:
        try:
            code = max(code, 1 if _told(str(file), judged(file), good) else 0)
        except InputError as error:
            progress(f"{file}: cannot be read\n{error.text()}")
            code = 2
    return code


def _told(name: str, verdict: Verdict, good: str) -> bool:
    """Say what became of a submission; returns whether it was refused."""
    progress(f"{verdict.package.id if verdict.package else name}: {'refused' if verdict.refused else good}")
    for finding in sorted(verdict.findings, key=lambda finding: not finding.refused):
        progress(f"  {'' if finding.refused else 'note, '}{finding.code}: {finding.reason}")
    return verdict.refused


def _print(table: Table) -> None:
    grid = table.grid
    print_table(
        table.title, [head.title for head in grid.heads], [[cell.plain for cell in line] for line in grid.lines]
    )
    if table.note:
        typer.echo(f"{table.note}\n")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
