"""`benchwright skills`: skills of solutions, and which follow which."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright.cli.app import group
from benchwright.cli.output import print_json, print_table
from benchwright.cli.suites import JsonOption
from benchwright.errors import InputError

skills = group("skills", "Extract, cluster, review and count the skills that solutions use.")
_SHOWN = 10


def traces_in(clusters: Path) -> dict[str, dict[int, tuple[str, ...]]]:
    """By solution, the skills of its annotated steps, from skills with their steps."""
    from benchwright.skills.nodes import read_hierarchy, traces_of

    return traces_of(read_hierarchy(clusters))


def _each(flag: str, shares: list[float], sources: int) -> list[float]:
    """One share for each source: as many as there are, or one for all."""
    if len(shares) not in (1, sources):
        raise InputError(flag, found=f"{len(shares)} shares", expected=f"one for all, or {sources}: one a --blend")
    return shares * sources if len(shares) == 1 else shares


@skills.command()
def graph(
    clusters: Annotated[Path, typer.Argument(metavar="SKILLS", help="A folder of skills, or a step-clusters.jsonl.")],
    blend: Annotated[
        list[Path] | None,
        typer.Option(help="Counts of other traces: skills_pairs_frequency.json, or labels.jsonl of tasks; any number."),
    ] = None,
    node_share: Annotated[
        list[float] | None, typer.Option(help="The share of all node weight that each makes up [default: 0.1].")
    ] = None,
    edge_share: Annotated[
        list[float] | None, typer.Option(help="The share of all edge weight that each makes up [default: 0.05].")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Nodes and edges as JSON Lines.")] = None,
    as_json: JsonOption = False,
) -> None:
    """The graph of skills: how often each is used, and how often one comes right after another."""
    from benchwright.files import write_jsonl
    from benchwright.skills.graph import EDGE_SHARE, NODE_SHARE, Source, early, graph_of, rows
    from benchwright.skills.graph import blend as blended
    from benchwright.skills.published import read_frequencies

    sources = blend or []
    node_shares = _each("--node-share", node_share or [NODE_SHARE], len(sources))
    edge_shares = _each("--edge-share", edge_share or [EDGE_SHARE], len(sources))
    answers = traces_in(clusters)
    made = graph_of([list(steps.values()) for steps in answers.values()])
    if sources:
        counts = [read_frequencies(path) for path in sources]
        shares = zip(counts, node_shares, edge_shares, strict=True)
        made = blended(made, *(Source(each.skills, each.pairs, nodes, edges) for each, nodes, edges in shares))
    if out is not None:
        write_jsonl(out, rows(made))
    if as_json:
        document = {"answers": len(answers), **made.summary(), "early": list(early(answers.values()))}
        print_json(document)
        return
    print_table("", ("what", "how many"), [("answers", len(answers)), *made.summary().items()])
    often = sorted(made.edges.items(), key=lambda pair: -pair[1])[:_SHOWN]
    print_table("Most often in a row", ("skill", "then", "times"), [(*edge, f"{n:.0f}") for edge, n in often])
