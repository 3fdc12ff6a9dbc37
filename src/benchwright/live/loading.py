"""What Inspect does for every run, and need not do for ours."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator

from inspect_ai.model import _assistant_internal

from benchwright.live.agents import OURS
from benchwright.run import RunSpec

_ANTHROPIC = ("anthropic", "bedrock", "vertex", "azure")
_WITHOUT_CLIENT = ("scripted/", "none/", "mockllm/")


def leave_unused_providers(spec: RunSpec) -> None:
    """Do not load the clients of Anthropic and OpenAI (thousands of modules, seconds of processor time) where no model
    needs them.

    Inspect prepares every installed provider at each sample's start. Agents that are not ours may call any model, so
    they get them all. Without these switches of Inspect's, everything works and starts more slowly.
    """
    models = [*filter(None, (cell.model for cell in spec.cells)), *spec.model_roles.values()]
    foreign = any(cell.agent not in OURS for cell in spec.cells)
    needed = {
        "_HAS_ANTHROPIC": any(word in model for word in _ANTHROPIC for model in models),
        "_HAS_OPENAI": not all(model.startswith(_WITHOUT_CLIENT) for model in models),
    }
    for switch, wanted in needed.items():
        if hasattr(_assistant_internal, switch):
            setattr(_assistant_internal, switch, wanted or foreign)


@contextlib.contextmanager
def unattended() -> Iterator[None]:
    """Do not translate every event for a person who looks on by Inspect's Agent Client Protocol.

    Its server is off in our runs, yet each sample has its own end of it. Under this mark, which Inspect sets itself for
    whatever runs inside of such a session, samples get an idle one; without it everything works and costs more.
    """
    try:
        mark = importlib.import_module("inspect_ai.agent._acp.transport")._acp_live_active  # noqa: SLF001 - no public way
    except (ImportError, AttributeError):
        yield
        return
    token = mark.set(True)
    try:
        yield
    finally:
        mark.reset(token)
