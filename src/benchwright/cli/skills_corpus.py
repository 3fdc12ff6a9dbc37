"""`benchwright skills corpus` and `extract`: from sources to solutions, and from solutions to steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchwright.cli.asking import (
    AtOnceOption,
    ModelOption,
    PricesOption,
    TokensOption,
    TriesOption,
    UsdOption,
    asked_over,
    spent_document,
    telling,
)
from benchwright.cli.clusters import RayOption, spread_of
from benchwright.cli.output import print_json, print_table, progress, shortened
from benchwright.cli.skills import skills
from benchwright.cli.suites import JsonOption, find_suite
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.skills.extraction import Extracted

_SHOWN = 10


@skills.command()
def corpus(  # noqa: PLR0913, PLR0917 - one parameter an option
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE...", help="Posts.xml, .jsonl, .json, .ipynb, folders of them, suites."),
    ],
    out: Annotated[Path, typer.Option(help="The corpus: one solution a line (.jsonl).")],
    tag: Annotated[
        list[str] | None, typer.Option(help="A wanted tag; any will do [default: data-science, data-analysis].")
    ] = None,
    any_tag: Annotated[bool, typer.Option("--any-tag", help="Whatever the tags.")] = False,
    score_above: Annotated[int, typer.Option(help="An answer is accepted, or its score is above this.")] = 3,
    site: Annotated[str, typer.Option(help="Where the posts come from.")] = "stackoverflow.com",
    as_json: JsonOption = False,
) -> None:
    """Collect solutions of data problems from dumps, exports, notebooks, pairs and suites.

    Every solution that is not taken is counted with the reason. Exit code 1: some of the sources could not be read.
    """
    from benchwright.skills.corpus import Wanted, collect
    from benchwright.skills.corpus.base import PAPER_TAGS

    if tag and any_tag:
        raise InputError("--tag and --any-tag", expected="one of them")
    tags = frozenset() if any_tag else frozenset(each.casefold() for each in tag or PAPER_TAGS)
    found = collect([_source(each) for each in sources], Wanted(tags, score_above, site), out)
    refused = dict(found.refused.most_common())
    if as_json:
        wrong = [{"where": each.where, "found": each.found} for each in found.unreadable]
        document = {"written": str(out), "found": found.found, "taken": dict(found.taken)}
        print_json({**document, "refused": refused, "unreadable": wrong})
    else:
        rows = [*((f"taken: {source}", count) for source, count in found.taken.items()), *refused.items()]
        print_table(f"{found.found:,} solutions", ("what", "how many"), rows)
        for each in found.unreadable[:_SHOWN]:
            progress(f"unreadable: {each.where}: {shortened(each.found)}")
        typer.echo(f"written to {out}")
    if found.unreadable:
        raise typer.Exit(1)


def _source(text: str) -> Path:
    """A path, or the folder of a suite of that name."""
    path = Path(text)
    return path if path.exists() or path.suffix else find_suite(text).folder


@skills.command()
def extract(  # noqa: PLR0913, PLR0917 - one parameter an option
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="Solutions (.jsonl), from `skills corpus`.")],
    model: ModelOption,
    out: Annotated[Path, typer.Option(help="The folder; the same command goes on with what is in it.")],
    coverage: Annotated[float, typer.Option(help="The share of a solution's calls that its steps name.")] = 0.8,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many solutions.")] = None,
    allow_failed: Annotated[float, typer.Option(min=0, max=1, help="The share that may fail.")] = 0.0,
    max_parallel: AtOnceOption = 8,
    tries: TriesOption = 3,
    budget_usd: UsdOption = None,
    budget_tokens: TokensOption = None,
    calls_per_minute: Annotated[float | None, typer.Option(min=0.0, help="Calls a minute, on all machines.")] = None,
    prices: PricesOption = None,
    ray: RayOption = "",
    as_json: JsonOption = False,
) -> None:
    """Take solutions apart into steps, each the use of one skill.

    Killed at any moment, the same command goes on and asks only for what is missing or failed. Exit code 1: more
    solutions failed than allowed, or the budget or the model ended the work.
    """
    import asyncio

    from benchwright.chat.asking import Limits
    from benchwright.skills.extraction import Rules, read_corpus
    from benchwright.skills.extraction import extract as take_apart

    solutions = read_corpus(corpus)[:limit]
    limits = Limits(max_parallel, tries, budget_usd, budget_tokens, per_minute=calls_per_minute)
    with spread_of(ray) as spread, asked_over(spread, model, prices, limits) as chat:
        made = asyncio.run(take_apart(chat, solutions, out, Rules(coverage), limits, telling(len(solutions))))
    document = {"written": str(out), **made.counts, **spent_document(made.spent)}
    print_json(document) if as_json else _print(made, document)
    _end(made, allow_failed)


def _print(made: Extracted, document: dict[str, Any]) -> None:
    print_table("", ("what", "how many"), [(name, value) for name, value in document.items() if name != "written"])
    failed = [(each.id, shortened(each.reason)) for each in made.solutions if each.status == "failed"]
    if failed:
        print_table("Failed", ("solution", "reason"), _first(failed))
    typer.echo(f"written to {document['written']}")


def _first(rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    more = len(rows) - _SHOWN
    return [*rows[:_SHOWN], *([(f"and {more} more", "see status.jsonl")] if more > 0 else [])]


def _end(made: Extracted, allow_failed: float) -> None:
    if made.stopped is not None:
        raise made.stopped
    if made.counts["failed"] > allow_failed * made.counts["solutions"]:
        raise typer.Exit(1)
