"""What commands have in common that let a cluster work on many items."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from benchwright.cli.output import progress

if TYPE_CHECKING:
    from benchwright.spreading import Spread

RayOption = Annotated[str, typer.Option("--ray", help="Let all nodes of a Ray cluster work: its address, or auto.")]


@contextmanager
def spread_of(address: str) -> Iterator[Spread | None]:
    """All nodes of the cluster at this address; None where there is no address."""
    if not address:
        yield None
        return
    from benchwright.crews.crew import on_ray

    with on_ray(address, progress) as spread:
        yield spread
