"""`benchwright skills cluster` and `show`: from steps to a hierarchy of skills, and what it looks like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
from benchwright.cli.output import print_json, print_table, progress
from benchwright.cli.skills import skills
from benchwright.cli.skills_opening import (
    CategoriesOption,
    DescriptionsOption,
    EmbedderOption,
    EmbedderUrlOption,
    known_categories,
    needs,
    open_skills,
    opened_embedder,
)
from benchwright.cli.suites import JsonOption
from benchwright.errors import InputError

Rule = Literal["published", "sound"]

if TYPE_CHECKING:
    from benchwright.skills.hierarchy import Made
    from benchwright.skills.nodes import Hierarchy


@skills.command()
def cluster(  # noqa: PLR0913, PLR0917 - one parameter an option
    steps: Annotated[Path, typer.Argument(metavar="STEPS", help="steps.jsonl, or the folder of `skills extract`.")],
    model: ModelOption,
    out: Annotated[Path, typer.Option(help="The folder; the same command goes on with what is in it.")],
    method: Annotated[str, typer.Option(help="fast, or paper (UMAP and Gaussian mixtures).")] = "fast",
    embedder: EmbedderOption = "offline",
    embedder_url: EmbedderUrlOption = "",
    target: Annotated[int, typer.Option(help="Rounds end with so many skills on top.")] = 500,
    rounds: Annotated[int, typer.Option(help="At most so many rounds.")] = 5,
    cap: Annotated[int, typer.Option(help="Solutions in a cluster at most: what one prompt holds.")] = 30,
    min_solutions: Annotated[int, typer.Option(help="A skill of fewer solutions is no skill.")] = 2,
    words: Annotated[
        Rule, typer.Option(help="Words of names: published, or sound (C++ is not C; of, and say nothing).")
    ] = "published",
    ask_from: Annotated[
        float | None, typer.Option(help="Names of this cosine (0.9, say) and more, but under 0.95: the model judges.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the paper method; fast draws nothing.")] = 0,
    categories: Annotated[Path | None, typer.Option(help="Categories (.toml); default: the paper's seven.")] = None,
    allow_unassigned: Annotated[
        float, typer.Option(min=0, max=1, help="The share of steps that may be in no skill.")
    ] = 0.1,
    max_parallel: AtOnceOption = 8,
    tries: TriesOption = 3,
    budget_usd: UsdOption = None,
    budget_tokens: TokensOption = None,
    prices: PricesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a hierarchy of skills from steps: cluster, let the model split, merge synonyms, again until few are left.

    Killed at any moment, the same command goes on and asks only for what is missing. The key of an endpoint of
    embeddings is read from OPENAI_API_KEY. Exit code 1: more steps are in no skill than allowed, or the budget or the
    model ended the work.
    """
    import asyncio

    needs("fast_plscan", "snowballstemmer")
    from benchwright.chat.asking import Limits
    from benchwright.skills.clustering import clustering_named
    from benchwright.skills.hierarchy import make_skills
    from benchwright.skills.rounds.working import Means, Settings
    from benchwright.skills.steps import read_steps

    limits = Limits(max_parallel, tries, budget_usd, budget_tokens)
    settings = Settings(target=target, rounds=rounds, min_solutions=min_solutions, words=words, ask_from=ask_from)
    clustering = clustering_named(method, cap, seed)
    found = read_steps(steps)
    embeds = opened_embedder(embedder, embedder_url)
    means = Means(asked_model(model, prices, limits), embeds, clustering, limits, progress, telling)
    names = known_categories({}, categories)[1]
    made = asyncio.run(make_skills(found, out, means, settings, names))
    document = {"written": str(out), **_counts(made), **spent_document(made.spent)}
    print_json(document) if as_json else _print(made, document)
    if len(made.hierarchy.unassigned) > allow_unassigned * len(found):
        raise typer.Exit(1)


@skills.command()
def show(  # noqa: PLR0913, PLR0917 - one parameter an option
    path: Annotated[Path, typer.Argument(metavar="SKILLS", help="A folder of skills, or a step-clusters.jsonl.")],
    out: Annotated[Path | None, typer.Option(help="A page (.html), a graph (.graphml), or a folder of skills.")] = None,
    descriptions: DescriptionsOption = None,
    categories: CategoriesOption = None,
    depth: Annotated[int, typer.Option(min=1, help="Levels of skills in the tree.")] = 2,
    most: Annotated[int | None, typer.Option(min=1, help="Skills under one thing at most.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show skills by category as a tree; with --out as a page with search and a map, as GraphML or a folder of ours."""
    from benchwright.skills.hierarchy.tree import by_category, tree

    if out is not None and out.suffix not in ("", ".html", ".graphml"):
        expected = "a name that ends with .html or .graphml, or has no ending (a folder)"
        raise InputError("no such form of skills", found=out.name, expected=expected)
    found = open_skills(path, descriptions, categories)
    if out is not None:
        _write(found, out, path.resolve().name)
    if as_json:
        print_json(
            {"categories": {name: [_row(each) for each in rows] for name, rows in by_category(found.tops).items()}}
        )
    elif out is None:
        from rich.console import Console

        Console().print(tree(found, depth, most))
    else:
        typer.echo(f"written to {out}")


def _write(found: Hierarchy, out: Path, name: str) -> None:
    from benchwright.skills.nodes import require_no_other, write_hierarchy

    if not out.suffix:
        require_no_other(out, found)
        write_hierarchy(out, found)
        return
    needs("jinja2", "networkx", "wordllama")
    from benchwright.skills.hierarchy import graphml

    graphml(found, out) if out.suffix == ".graphml" else _write_page(found, out, name)


def _write_page(found: Hierarchy, out: Path, name: str) -> None:
    import asyncio
    import tempfile

    from benchwright.skills.embedding import KeptVectors
    from benchwright.skills.hierarchy import page
    from benchwright.skills.hierarchy.places import places

    texts = [f"{node.name}: {node.description}" for node in found.tops]
    with tempfile.TemporaryDirectory() as folder, KeptVectors(Path(folder) / "vectors.sqlite") as kept:
        vectors = asyncio.run(kept.of(opened_embedder("offline", ""), texts))
    page(found, out, places(vectors), f"Skills of {name}")


def _counts(made: Made) -> dict[str, Any]:
    last = made.counts[-1]
    return {
        "steps": last.steps,
        "assigned": last.assigned,
        "unassigned": last.unassigned,
        "skills": last.skills,
        "tops": last.tops,
        "overlaps": made.overlaps,
        "stages": [count.model_dump(mode="json") for count in made.counts],
    }


def _print(made: Made, document: dict[str, Any]) -> None:
    columns = ("stage", "skills before", "made", "gone", "skills", "on top", "steps in a skill", "in none")
    print_table(
        "",
        columns,
        [
            (
                each.stage,
                each.skills_before,
                each.made,
                each.gone,
                each.skills,
                each.tops,
                each.assigned,
                each.unassigned,
            )
            for each in made.counts
        ],
    )
    typer.echo(
        f"{document['calls']:,} calls, {document['tokens']:,} tokens; {made.overlaps} pairs share nine tenths of a "
        f"skill's steps; written to {document['written']}"
    )


def _row(node: Any) -> dict[str, Any]:
    return {"id": node.id, "name": node.name, "type": node.type, "steps": len(node.steps), "below": len(node.children)}
