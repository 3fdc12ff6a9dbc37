"""`benchwright skills annotate` and `agree`: which skills tasks use, and how far two annotators agree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.asking import (
    AtOnceOption,
    ModelOption,
    PricesOption,
    TokensOption,
    TriesOption,
    UsdOption,
    asked_model,
    spent_document,
    telling,
)
from benchwright.cli.output import print_json, print_table, shortened
from benchwright.cli.skills import skills
from benchwright.cli.skills_opening import (
    DescriptionsOption,
    EmbedderOption,
    EmbedderUrlOption,
    needs,
    open_skills,
    opened_embedder,
)
from benchwright.cli.suites import JsonOption, SuiteArgument, find_suite
from benchwright.errors import InputError

if TYPE_CHECKING:
    from benchwright.agreement import Agreement
    from benchwright.skills.annotation import Annotated as Outcome
    from benchwright.skills.annotation import Comparison

_SHOWN = 15
SkillsOption = Annotated[Path, typer.Option("--skills", help="Candidates: a folder of skills, or its file.")]


@skills.command()
def annotate(  # noqa: PLR0913, PLR0917 - one parameter an option
    suite: SuiteArgument,
    candidates: SkillsOption,
    model: ModelOption,
    out: Annotated[Path, typer.Option(help="The folder; the same command goes on with what is in it.")],
    descriptions: DescriptionsOption = None,
    batch: Annotated[int, typer.Option(min=1, help="Skills in one call; the paper asks about 1.")] = 20,
    shortlist: Annotated[
        int | None, typer.Option(min=1, help="Ask about so many skills a task only: the nearest by vectors.")
    ] = None,
    audit: Annotated[
        float, typer.Option(min=0, max=1, help="With --shortlist: the share of tasks asked about all skills.")
    ] = 0.05,
    embedder: EmbedderOption = "offline",
    embedder_url: EmbedderUrlOption = "",
    ids: Annotated[str, typer.Option(help="Only these tasks, split at commas.")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many tasks.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Also where tasks have skills already.")] = False,
    provider_batch: Annotated[
        bool, typer.Option("--provider-batch", help="By the provider's batch mode: cheaper, within a day.")
    ] = False,
    max_parallel: AtOnceOption = 8,
    tries: TriesOption = 3,
    budget_usd: UsdOption = None,
    budget_tokens: TokensOption = None,
    prices: PricesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask of every candidate skill whether a task's solution uses it, and then in which order it uses them.

    OUT/labels.jsonl holds the suite's labels with what was found; the suite stays as it is, and so do skills that a
    task has already, unless --replace. With --shortlist what the model is not asked about counts as not used; what that
    costs is measured on the tasks of --audit. Exit code 1: tasks without an annotation, or the budget or the model
    ended it.
    """
    import asyncio

    from benchwright.chat.asking import Limits
    from benchwright.skills.annotation import Request, Shortlist
    from benchwright.skills.annotation import annotate as ask
    from benchwright.suite import Selection

    found, tops = find_suite(suite), open_skills(candidates, descriptions).tops
    named = tuple(name for name in (part.strip() for part in ids.split(",")) if name)
    tasks = tuple(task.id for task in found.select(Selection(ids=named, limit=limit)))
    limits = Limits(max_parallel, tries, budget_usd, budget_tokens)
    chat = asked_model(model, prices, limits, batch=provider_batch)
    if shortlist is not None:
        needs("snowballstemmer")
    short = None if shortlist is None else Shortlist(opened_embedder(embedder, embedder_url), shortlist, audit)
    request = Request(found, tops, tasks, batch, replace, short)
    made = asyncio.run(ask(chat, request, out, limits, telling()))
    document = {"written": str(out), "skills": len(tops), **made.counts, **spent_document(made.spent)}
    print_json(document) if as_json else _print(made, document)
    if made.stopped is not None:
        raise made.stopped
    if made.counts["done"] < made.counts["tasks"]:
        raise typer.Exit(1)


def _print(made: Outcome, document: dict[str, object]) -> None:
    print_table("", ("what", "how many"), [(name, value) for name, value in document.items() if name != "written"])
    wrong = [(each.task_id, shortened(each.reason)) for each in made.annotations if each.status != "done"]
    if wrong:
        print_table("Without an annotation", ("task", "reason"), wrong[:_SHOWN])
    if audited := made.counts.get("audited"):
        missed, uses = made.counts["audited_left_out"], made.counts["audited_uses"]
        typer.echo(f"the shortlist leaves out {missed} of the {uses} uses in {audited} audited tasks")
    if made.kept_labels:
        typer.echo(f"{made.kept_labels} tasks keep the skills that they had; --replace takes the new ones")
    typer.echo(f"written to {document['written']}")


@skills.command()
def agree(  # noqa: PLR0913, PLR0917 - one parameter an option
    first: Annotated[Path, typer.Argument(metavar="LABELS", help="labels.jsonl, or a folder that holds one.")],
    second: Annotated[Path, typer.Argument(metavar="LABELS", help="Those of another annotator.")],
    label: Annotated[str, typer.Option(help="skills, categories, domain, or any other label of tasks.")] = "skills",
    candidates: Annotated[Path | None, typer.Option("--skills", help="All skills that could have been given.")] = None,
    out: Annotated[Path | None, typer.Option(help="What they say differently, for people: .csv.")] = None,
    decided: Annotated[Path | None, typer.Option(help="That list with the column `decided` filled in.")] = None,
    labels: Annotated[Path | None, typer.Option(help="With --decided: the labels that result (.jsonl, new).")] = None,
    as_json: JsonOption = False,
) -> None:
    """How far two annotators agree on labels of tasks: Cohen's kappa over all and by label, and what to adjudicate.

    With --decided and --labels, what people decided is put together with what both said.
    """
    from benchwright.skills.annotation.adjudicating import adjudicate, read_decisions, write_new_labels
    from benchwright.skills.annotation.agreeing import compare_labels, read_labels

    if out is not None and out.suffix != ".csv":
        raise InputError("--out", found=str(out), expected="a name that ends in .csv")
    if bool(decided) != bool(labels):
        raise InputError("--decided and --labels", expected="both or none")
    tops = open_skills(candidates).tops if candidates else ()
    given = (node.category if label == "categories" else node.name for node in tops)
    universe = list(filter(None, given))
    sides = read_labels(first), read_labels(second)
    found = compare_labels(*sides, label, universe)
    if decided is not None and labels is not None:
        write_new_labels(labels, adjudicate(*sides, found, read_decisions(decided)))
    if out is not None:
        _write_disputes(out, found)
    print_json(_document(found)) if as_json else _print_agreement(found, out)


def _print_agreement(found: Comparison, out: Path | None) -> None:
    """All labels together, those that are disputed most, and what only one annotator labelled."""
    by_label = sorted(found.by_label.items(), key=lambda pair: (pair[1].accuracy == 1.0, pair[1].kappa or 0.0))
    rows = [("all", *_cells(found.all)), *((name, *_cells(each)) for name, each in by_label[:_SHOWN])]
    columns = ("label", "n", "agreement", "kappa", "both/first/second")
    print_table(f"{found.field} of {found.tasks} tasks", columns, rows)
    typer.echo(f"{len(found.disputes)} to adjudicate{f', written to {out}' if out else ''}")
    for side, only in (("first", found.only_first), ("second", found.only_second)):
        if only:
            typer.echo(f"{len(only)} tasks only the {side} labelled: {shortened(', '.join(only))}")


def _cells(found: Agreement) -> tuple[object, ...]:
    counts = [found.confusion.get(pair, 0) for pair in ("yes/yes", "yes/no", "no/yes")]
    told = "/".join(map(str, counts)) if any(counts) else None
    return found.n, f"{found.accuracy:.3f}", found.kappa_in_words, told


def _document(found: Comparison) -> dict[str, object]:
    return {
        "label": found.field,
        "tasks": found.tasks,
        "only_first": list(found.only_first),
        "only_second": list(found.only_second),
        "all": found.all.model_dump(mode="json"),
        "overlap": found.overlap,
        "by_label": {name: each.model_dump(mode="json") for name, each in found.by_label.items()},
        "disputes": [[each.task_id, each.label, each.first, each.second] for each in found.disputes],
    }


def _write_disputes(path: Path, found: Comparison) -> None:
    from benchwright.skills.review.sheets import write_csv

    rows = [(each.task_id, each.label, each.first, each.second, "") for each in found.disputes]
    write_csv(path, ("task", "label", "first", "second", "decided"), rows)
