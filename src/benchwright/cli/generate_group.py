"""`benchwright generate`: new tasks from data, and what they need."""

from __future__ import annotations

import typer

from benchwright.cli.app import Group, app

generate = typer.Typer(
    cls=Group,
    name="generate",
    help="Make new tasks from data and skills, each of them proved.",
    no_args_is_help=True,
    invoke_without_command=True,
    rich_markup_mode=None,
)
app.add_typer(generate)
