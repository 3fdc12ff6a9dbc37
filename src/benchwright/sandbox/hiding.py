"""Host folders that no attempt may see, and where they would show: inside /usr, the toolbox, or its Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import benchwright
from benchwright.files import home
from benchwright.sandbox.base import SandboxSpec

_ALWAYS_SHOWN: Final = Path("/usr")
_TOOLBOXES: Final = "toolbox"


def secrets(spec: SandboxSpec) -> Iterator[Path]:
    """What may hold gold, other attempts' outputs, or the rooms by a path at which no tracer watches."""
    package = Path(benchwright.__file__).resolve().parent
    yield package  # it holds the built-in suite's gold
    checkout = package.parent.parent
    if os.path.isfile(checkout / "pyproject.toml"):
        yield checkout
    if os.path.isdir(home()):
        yield from (entry for entry in home().iterdir() if entry.name != _TOOLBOXES and entry.is_dir())
    yield from (_suite_around(room.path.resolve()) for room in spec.rooms)
    yield from spec.hidden


def _suite_around(room: Path) -> Path:
    """The suite folder that a room lies in; the room itself where it lies in none."""
    around = (folder for folder in room.parents if os.path.isfile(folder / "suite.toml"))
    return next(around, room)


def places(shown: Iterable[Path], hidden: Iterable[Path]) -> Iterator[str]:
    """Every path at which a hidden folder would show, given the folders that are shown.

    A hidden folder around a shown one is not blotted out whole: of it only that one shows, as was asked.
    """
    everything = [_ALWAYS_SHOWN, *shown]
    for secret in {folder.resolve() for folder in hidden}:
        if any(folder.resolve().is_relative_to(secret) for folder in everything):
            continue
        for folder in everything:
            if secret.is_relative_to(folder.resolve()):
                yield str(folder / secret.relative_to(folder.resolve()))
