"""`benchwright packages`: the pinned packages that agents may install on the way."""

from __future__ import annotations

from typing import Annotated

import typer

from benchwright.cli.app import group
from benchwright.cli.output import print_json, progress

packages = group("packages", "The packages that agents may install in their sandboxes.")


@packages.command()
def fetch(as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False) -> None:
    """Fetch the wheelhouse of `benchwright run --packages wheelhouse`: pinned wheels, each checked by its hash.

    Exit code 3: the package index cannot be reached.
    """
    from benchwright.sandbox import wheelhouse

    root = wheelhouse.ensure(progress)
    held = wheelhouse.wheels(root)
    if as_json:
        print_json({"folder": str(root), "version": wheelhouse.version(), "wheels": list(held)})
        return
    typer.echo(f"{len(held)} packages, version {wheelhouse.version()}, in {root}")
