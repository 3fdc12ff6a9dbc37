"""What Inspect loads at the start of a run, and need not."""

from __future__ import annotations

from inspect_ai.model import _assistant_internal

from benchwright.live.agents import OURS
from benchwright.run import RunSpec

_ANTHROPIC = ("anthropic", "bedrock", "vertex", "azure")


def leave_unused_providers(spec: RunSpec) -> None:
    """Do not load the Anthropic client (three thousand modules, seconds of processor time) where no model needs it.

    Inspect prepares every installed provider at each sample's start. Agents that are not ours may call any model, so
    they get them all. Without this switch of Inspect's, everything works and starts more slowly.
    """
    models = [*(cell.model for cell in spec.cells), *spec.model_roles.values()]
    needed = any(word in model for word in _ANTHROPIC for model in models)
    foreign = any(cell.agent not in OURS for cell in spec.cells)
    if hasattr(_assistant_internal, "_HAS_ANTHROPIC"):
        _assistant_internal._HAS_ANTHROPIC = needed or foreign  # noqa: SLF001 - there is no public way
