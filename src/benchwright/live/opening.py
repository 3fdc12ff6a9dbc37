"""Which sandbox an attempt gets: one provider of each kind serves the whole process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from benchwright.errors import EnvironmentFault
from benchwright.run.records import SandboxChoice
from benchwright.sandbox import toolbox
from benchwright.sandbox.access import choose
from benchwright.sandbox.base import Sandbox, SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider


def open_sandbox(spec: SandboxSpec, choice: SandboxChoice) -> Sandbox:
    """Start a sandbox of the chosen kind. Errors: EnvironmentFault where this machine cannot."""
    if choice in ("auto", "namespace"):
        return _namespaces().open(replace(spec, toolbox=toolbox_here()), choose(spec.tracing))
    raise EnvironmentFault(f"no sandbox of kind {choice}", expected="auto or namespace")


def toolbox_here(say: Callable[[str], None] = lambda _: None) -> Path:
    """The Python that agents' code runs in; built first where it is not there yet, which takes minutes."""
    return toolbox.find("core") or toolbox.ensure("core", say)


@cache
def _namespaces() -> NamespaceProvider:
    return NamespaceProvider()


def close_sandboxes() -> None:
    """End every sandbox of this process."""
    _namespaces().close()
