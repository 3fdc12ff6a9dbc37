"""`benchwright skills`: skills of solutions, and which follow which."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright.cli.app import app
from benchwright.cli.output import print_json, print_table
from benchwright.cli.suites import JsonOption
from benchwright.errors import InputError

skills = typer.Typer(
    name="skills", help="Skills of solutions, and which follow which.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(skills)
_SHOWN = 10


@skills.callback()
def options() -> None:
    """Skills of solutions, and which follow which."""


def traces_in(clusters: Path) -> dict[str, dict[int, tuple[str, ...]]]:
    """By solution, the skills of its annotated steps, from a file of skills with their steps."""
    from benchwright.skills.published import read_skills, traces

    if not clusters.is_file():
        raise InputError("no file of skills", found=str(clusters), expected="a step-clusters.jsonl")
    return traces(read_skills(clusters))


@skills.command()
def graph(
    clusters: Annotated[Path, typer.Argument(metavar="SKILLS", help="Skills with their steps: step-clusters.jsonl.")],
    blend: Annotated[Path | None, typer.Option(help="Counts of other traces: skills_pairs_frequency.json.")] = None,
    node_share: Annotated[float, typer.Option(help="The share of all node weight that these make up.")] = 0.1,
    edge_share: Annotated[float, typer.Option(help="The share of all edge weight that these make up.")] = 0.05,
    out: Annotated[Path | None, typer.Option(help="Nodes and edges as JSON Lines.")] = None,
    as_json: JsonOption = False,
) -> None:
    """The graph of skills: how often each is used, and how often one comes right after another."""
    from benchwright.files import write_jsonl
    from benchwright.skills.graph import blend as blended
    from benchwright.skills.graph import early, graph_of, rows
    from benchwright.skills.published import read_frequencies

    answers = traces_in(clusters)
    made = graph_of([list(steps.values()) for steps in answers.values()])
    if blend is not None:
        counts = read_frequencies(blend)
        made = blended(made, counts.skills, counts.pairs, node_share, edge_share)
    if out is not None:
        write_jsonl(out, rows(made))
    if as_json:
        document = {"answers": len(answers), **made.summary(), "early": list(early(answers.values()))}
        print_json(document)
        return
    print_table("", ("what", "how many"), [("answers", len(answers)), *made.summary().items()])
    often = sorted(made.edges.items(), key=lambda pair: -pair[1])[:_SHOWN]
    print_table("Most often in a row", ("skill", "then", "times"), [(*edge, f"{n:.0f}") for edge, n in often])
