"""`benchwright view`: runs in a browser, live while they go on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright.cli.app import app
from benchwright.cli.output import progress


@app.command()
def view(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders, of runs that go on too.")],
    host: Annotated[str, typer.Option(help="Where to listen; anything but loopback needs a token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 8765,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="One more name by which browsers may ask for the viewer.")
    ] = None,
    token: Annotated[bool, typer.Option("--token", help="Ask for a token on loopback too.")] = False,
    with_gold: Annotated[bool, typer.Option("--with-gold", help="Show the gold beside what was handed in.")] = False,
) -> None:
    """Show runs in a browser, live while they go on: progress, attempts to filter and sort, each step by step.

    The address is printed on stderr; Ctrl-C ends it. Nothing is written.
    """
    from benchwright.viewer.serving import Place, serve

    place = Place(host, port, tuple(allow_host or ()), token)
    serve(runs, place, with_gold=with_gold, tell=lambda address: progress(f"open {address}"))
