"""Removing what killed runs left on this machine: containers, control groups, stages and old images."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from benchwright.errors import EnvironmentFault
from benchwright.sandbox import container_engine, image
from benchwright.sandbox.container_engine import Engine, EngineName
from benchwright.sandbox.container_start import STAGES
from benchwright.sandbox.holder import cgroups, launcher

_ENGINES: Final[tuple[EngineName, ...]] = ("podman", "docker")


def remove() -> Iterator[str]:
    """Remove everything whose runner is gone, and say what it was. What a living run uses is never touched."""
    for group in cgroups.remove_stale(cgroups.parents()):
        yield f"control group {group}"
    for name in _ENGINES:
        try:
            engine = container_engine.find(name)
        except EnvironmentFault:
            continue  # what cannot be asked cannot hold anything of ours that runs
        yield from _containers(engine)
    for folder in _stages():
        launcher.clear(str(folder))
        yield f"folder {folder}"


def _containers(engine: Engine) -> Iterator[str]:
    for name in container_engine.remove_stale(engine):
        yield f"{engine.name} container {name}"
    for name in image.others(engine):
        with suppress(EnvironmentFault):  # a container still uses it
            engine.call("image", "rm", name)
            yield f"{engine.name} image {name}"


def _stages() -> Iterator[Path]:
    """Stages that a killed launcher left in the host's sight."""
    if os.geteuid() == 0 and STAGES.is_dir():
        yield from (folder for folder in STAGES.iterdir() if container_engine.is_stale(folder.name))
