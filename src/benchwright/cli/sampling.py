"""`benchwright skills sample`: which skills new tasks are to need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from benchwright.cli.output import print_json, print_table
from benchwright.cli.skills import skills, traces_in
from benchwright.cli.suites import JsonOption

if TYPE_CHECKING:
    from benchwright.generation.examples import ExampleSampler
    from benchwright.generation.paths import PathSampler, SkillPath


Rule = Literal["paper", "published"]


@skills.command()
def sample(  # noqa: PLR0913, PLR0917 - one parameter an option
    clusters: Annotated[Path, typer.Argument(metavar="SKILLS", help="A folder of skills, or a step-clusters.jsonl.")],
    count: Annotated[int, typer.Option("--paths", min=1, help="How many paths.")] = 100,
    length: Annotated[int, typer.Option(min=1, help="Skills a path.")] = 8,
    examples: Annotated[int, typer.Option(min=0, help="Solutions drawn for each path.")] = 10,
    rule: Annotated[Rule, typer.Option(help="The paper's rule, or what the published program does.")] = "paper",
    rare: Annotated[float | None, typer.Option(min=0, max=1, help="The share of paths that get a rare skill.")] = None,
    uncovered: Annotated[float, typer.Option(min=0, max=1, help="The share that get any skill not taken yet.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="The same seed draws the same.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Paths and examples as JSON Lines.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Draw skill compositions for new tasks: random paths through the graph, each making its like rarer."""
    from benchwright.files import write_jsonl
    from benchwright.generation.examples import ExampleSampler
    from benchwright.generation.paths import PAPER, PUBLISHED, PathSampler, coverage
    from benchwright.skills.graph import early, graph_of

    traces = traces_in(clusters)
    known = PAPER if rule == "paper" else PUBLISHED
    chosen = replace(known, length=length, rare=known.rare if rare is None else rare, uncovered=uncovered)
    graph = graph_of([list(steps.values()) for steps in traces.values()])
    sampler = PathSampler(graph, early(traces.values()), chosen, seed)
    drawn = list(_drawn(sampler, ExampleSampler(traces, seed=seed) if examples else None, count, examples))
    if out is not None:
        write_jsonl(out, (row for _, row in drawn))
    covered = coverage([path for path, _ in drawn], graph.nodes)
    if as_json:
        print_json({"skills": len(graph.nodes), "coverage": covered, "paths": [row for _, row in drawn]})
        return
    shown = [n for n in (1, 10, 50, 100, 200, 500, 1000) if n < count] + [count]
    print_table("Skills covered", ("paths", "share of skills"), [(n, f"{covered[n - 1]:.3f}") for n in shown])
    _print_paths([path for path, _ in drawn])


def _drawn(
    sampler: PathSampler, examples: ExampleSampler | None, count: int, each: int
) -> Iterator[tuple[SkillPath, dict[str, Any]]]:
    for number in range(count):
        path = sampler.draw(number)
        sampler.accept(path)
        row: dict[str, Any] = {"path": list(path.skills), "placed": path.placed, "examples": []}
        if examples is not None:
            found = examples.draw(path.skills, each, number)
            examples.accept(found)
            row["examples"] = [
                {"solution": one.solution, "steps": list(one.steps), "skills": list(one.skills)} for one in found
            ]
        yield path, row


def _print_paths(paths: Sequence[SkillPath]) -> None:
    shown = paths[:5]
    print_table("The first paths", ("", "skills"), [(k + 1, " > ".join(path.skills)) for k, path in enumerate(shown)])
