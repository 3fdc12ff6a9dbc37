"""`benchwright generate`: new tasks from data, and what they need."""

from __future__ import annotations

import typer

from benchwright.cli.app import app

generate = typer.Typer(
    name="generate",
    help="New tasks from data and skills.",
    no_args_is_help=True,
    invoke_without_command=True,
    rich_markup_mode=None,
)
app.add_typer(generate)
