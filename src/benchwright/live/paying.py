"""Every call of a model, written into the run's journal and held against its budget."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai.model import ModelUsage

from benchwright.errors import EnvironmentFault
from benchwright.live.session import Session
from benchwright.live.usage import usage_of


def pay(session: Session, model: str, used: ModelUsage, sample: str) -> None:
    """Count what a call has cost; `sample` is the uuid of the attempt that made it, empty for calls of others."""
    usage, tokens = usage_of(used, model), _tokens(used)
    with trouble_stops(session):
        session.folder.append("usage", model=model, tokens=tokens, usd=usage.cost_usd, sample=sample)
    session.budget.pay(tokens, usage.cost_usd)
    if usage.cost_usd is None:
        session.budget.unknown(f"no price is known for {model}")


@contextmanager
def trouble_stops(session: Session) -> Iterator[None]:
    """A full disk must not pass for a finished run: what cannot be written stops it."""
    try:
        yield
    except OSError as error:
        hint = "make room; what is done is kept, and the same command goes on"
        session.stop_for(EnvironmentFault("the run folder cannot be written", found=str(error), hint=hint))


def _tokens(used: ModelUsage) -> int:
    """All tokens of a call; the total that a provider gives may leave out those of its cache."""
    cached = (used.input_tokens_cache_read or 0) + (used.input_tokens_cache_write or 0)
    return max(used.total_tokens, used.input_tokens + used.output_tokens + cached)
