"""`benchwright leaderboard`: submissions ranked, and a server that takes them."""

from __future__ import annotations

import typer

from benchwright.cli.app import app

leaderboard = typer.Typer(help="Rank submissions, and take them on a server.", no_args_is_help=True)
app.add_typer(leaderboard, name="leaderboard")
