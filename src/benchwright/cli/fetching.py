"""`benchwright suites fetch`: download a suite's files, and build it from them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchwright.cli.output import progress
from benchwright.cli.suites import suites
from benchwright.errors import InputError


@suites.command()
def fetch(  # noqa: PLR0913, PLR0917 - one parameter an option
    name: Annotated[str, typer.Argument(help="The family to fetch, e.g. coda_bench.")],
    into: Annotated[Path | None, typer.Option(help="Where to put the files [default: by name].")] = None,
    origin: Annotated[str, typer.Option("--from", help="A repository (owner/name) or a folder here.")] = "",
    endpoint: Annotated[str, typer.Option(help="The address of another hub.")] = "",
    revision: Annotated[str, typer.Option(help="A commit, branch or tag.")] = "",
    rooms: Annotated[str, typer.Option(help="all, none, or room names separated by commas.")] = "all",
    release: Annotated[str, typer.Option(help="The release to build, where there are several.")] = "",
    out: Annotated[Path | None, typer.Option(help="The suite folder to make [default: by name].")] = None,
) -> None:
    """Download a suite's files and build it. What is there already is not downloaded again."""
    from benchwright.files import home
    from benchwright.suites import loader
    from benchwright.suites.base import BuildRequest, FetchRequest, SuiteFetcher

    family = loader(name)
    if not isinstance(family, SuiteFetcher):
        raise InputError(f"{name} has nothing to fetch", hint=f"benchwright suites build {name}")
    request = FetchRequest(
        into=into or home() / "downloads" / name,
        origin=origin,
        endpoint=endpoint,
        revision=revision,
        rooms=_rooms(rooms),
        progress=progress,
    )
    sources = family.fetch(request)
    folder = out or home() / "suites" / name
    made = family.load(BuildRequest(out=folder, sources=sources, release=release, progress=progress))
    typer.echo(f"{made.name} {made.info.release}: {len(made.tasks)} tasks in {folder}")


def _rooms(text: str) -> tuple[str, ...] | None:
    if text in {"all", ""}:
        return None
    return () if text == "none" else tuple(name.strip() for name in text.split(",") if name.strip())
