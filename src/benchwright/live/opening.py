"""Which sandbox an attempt gets: one provider of each kind serves the whole process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchwright.errors import EnvironmentFault
from benchwright.run.records import Packages, SandboxChoice
from benchwright.sandbox import toolbox, wheelhouse
from benchwright.sandbox.base import Sandbox, SandboxSpec
from benchwright.sandbox.choice import Choice, Providers, provider

_PROVIDERS: Final = Providers()
_KINDS: Final[tuple[Choice, ...]] = ("namespace", "podman", "docker")


def open_sandbox(spec: SandboxSpec, choice: SandboxChoice) -> Sandbox:
    """Start a sandbox of the chosen kind. Errors: EnvironmentFault where this machine cannot."""
    return _PROVIDERS.open(replace(spec, toolbox=toolbox_here()), choice)


def toolbox_here(say: Callable[[str], None] = lambda _: None) -> Path:
    """The Python that agents' code runs in; built first where it is not there yet, which takes minutes."""
    return toolbox.find("core") or toolbox.ensure("core", say)


def tools_here(packages: Packages, say: Callable[[str], None]) -> None:
    """What a run's sandboxes need, made before the first attempt's clock runs.

    Errors: EnvironmentFault where it cannot be made.
    """
    toolbox_here(say)
    if packages == "wheelhouse":
        wheelhouse.ensure(say)


def close_sandboxes() -> None:
    """End every sandbox of this process."""
    _PROVIDERS.close()


def clear_leftovers() -> None:
    """Clear away what killed runs have left.

    Namespaces go with the process that made them; control groups and containers may stay, and every kind of sandbox
    clears those of runs that are gone when one of its kind starts.
    """
    for kind in _KINDS:
        with suppress(EnvironmentFault):
            made = provider(kind)
            try:
                made.open(SandboxSpec(tracing="off")).close()
            finally:
                made.close()
