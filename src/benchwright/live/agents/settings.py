"""Settings of a model that an agent's own protocol fixes, and which of them a provider did not pass on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import GenerateConfig

from benchwright.run.records import Setting

DSBC: Mapping[str, Setting] = {"seed": 1024, "max_tokens": 8192}
"""Held in all runs of the paper (appendix B)."""

_SENT_AS = {
    "temperature": ("temperature",),
    "seed": ("seed", "random_seed"),
    "max_tokens": ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "num_predict"),
}
"""What providers call a setting in their requests."""


def last_call() -> dict[str, Any]:
    """The settings of the attempt's last call of a model, and `ignored`: those that are not in the request that went
    out; None where the provider's request is not known.
    """
    for event in reversed(transcript().events):
        if isinstance(event, ModelEvent):
            wanted = event.config.model_dump(include=set(_SENT_AS), exclude_none=True)
            sent = event.call.request if event.call is not None else None
            return {"settings": wanted, "ignored": None if sent is None else unsent(event.config, sent)}
    return {"settings": {}, "ignored": None}


def unsent(config: GenerateConfig, request: Mapping[str, Any]) -> list[str]:
    """The settings of a call that its request does not hold, under any name and in any part of it."""
    wanted = config.model_dump(include=set(_SENT_AS), exclude_none=True)
    sent = set(_names(request))
    return [name for name in wanted if not sent.intersection(_SENT_AS[name])]


def _names(value: Any, depth: int = 0) -> Iterator[str]:
    """The keys of a request that hold something, at most three levels deep: some providers put settings apart."""
    if isinstance(value, Mapping) and depth < 3:
        for name, item in value.items():
            if item is not None:
                yield str(name)
                yield from _names(item, depth + 1)
