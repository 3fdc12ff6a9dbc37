"""`benchwright agents`: what can be given to `benchwright run --agent`."""

from __future__ import annotations

from typing import Annotated

import typer

from benchwright.cli.app import app
from benchwright.cli.output import print_json, print_table

agents = typer.Typer(
    name="agents", help="List the agents that attempt tasks.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(agents)


@agents.callback()
def group() -> None:
    """List the agents that attempt tasks."""


@agents.command("list")
def list_agents(as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False) -> None:
    """The agents of this program, and how to name others."""
    from benchwright.live.agents import ABOUT, FOREIGN, needs_model, needs_sandbox

    rows = [(name, needs_model(name), needs_sandbox(name), about) for name, about in ABOUT.items()]
    if as_json:
        keys = ("name", "needs_model", "needs_sandbox", "about")
        print_json({"agents": [dict(zip(keys, row, strict=True)) for row in rows]})
        return
    shown = [(name, *("yes" if needed else "no" for needed in needs), about) for name, *needs, about in rows]
    print_table("Agents", ("name", "model", "sandbox", "what it does"), shown)
    typer.echo(f"Others by name: {FOREIGN}.")
