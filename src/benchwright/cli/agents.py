"""`benchwright agents`: what can be given to `benchwright run --agent`, and installing what others wrote for it."""

from __future__ import annotations

from typing import Annotated

import typer

from benchwright.cli.app import group
from benchwright.cli.output import print_json, print_table, progress

agents = group("agents", "List and install the agents that attempt tasks.")


@agents.command("list")
def list_agents(as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False) -> None:
    """The agents of this program, which of them are installed, and how to name others."""
    from benchwright.live.agents import ABOUT, FOREIGN, needs_model, needs_sandbox
    from benchwright.sandbox import programs

    found = {name: programs.find(name) for name in programs.pins()}
    installed = {name: "built in" if name not in found else "" for name in ABOUT}
    installed |= {name: program.title for name, program in found.items() if program is not None}
    rows = [(name, needs_model(name), needs_sandbox(name), installed[name], about) for name, about in ABOUT.items()]
    if as_json:
        keys = ("name", "needs_model", "needs_sandbox", "installed", "about")
        print_json({"agents": [dict(zip(keys, row, strict=True)) for row in rows]})
        return
    shown = [(name, _yes(model), _yes(sandbox), has or "no", about) for name, model, sandbox, has, about in rows]
    print_table("Agents", ("name", "model", "sandbox", "installed", "what it does"), shown)
    typer.echo(f"Others by name: {FOREIGN}.")


def _yes(needed: bool) -> str:
    return "yes" if needed else "no"


@agents.command()
def install(
    names: Annotated[list[str], typer.Argument(help="claude_code, codex, mini_swe_agent, openhands.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Install other people's agents, in pinned versions, into a folder that sandboxes see read-only.

    From npm's or Python's package index; each file is checked by its hash. Exit code 3: npm, Node.js, Python or the
    index is missing.
    """
    from benchwright.sandbox import programs

    done = [programs.install(name, progress) for name in dict.fromkeys(names)]
    rows = [(program.name, program.title, str(program.root)) for program in done]
    if as_json:
        print_json({"installed": [dict(zip(("name", "version", "folder"), row, strict=True)) for row in rows]})
        return
    print_table("Installed", ("agent", "version", "folder"), rows)
