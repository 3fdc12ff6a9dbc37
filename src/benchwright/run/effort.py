"""What attempts took: steps, tokens by class, dollars, successful steps, and how many finished."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from benchwright.files import Record
from benchwright.run.records import Attempt
from benchwright.trajectory import Answered, Usage


class Effort(Record):
    """Means over the attempts that were carried through; what broke by the model's or the sandbox's fault is not.

    `successful_steps` is the share of steps in which the agent acted and nothing failed that it ran, over the steps of
    the attempts that count them; `finished` the share of attempts in which the agent itself handed something in
    (Success Steps and Finish of AgenticDataBench, Table 5). `tokens` counts every class once: uncached, read from a
    cache, written to one, and output, of which reasoning is a part. None is unknown: `cost_usd` where any attempt's is,
    tokens where the model's replies to any attempt did not tell theirs (`untold` attempts).
    """

    attempts: int = 0
    steps: float | None = None
    successful_steps: float | None = None
    finished: float | None = None
    tokens: float | None = None
    input_tokens: float | None = None
    cache_read_tokens: float | None = None
    cache_write_tokens: float | None = None
    output_tokens: float | None = None
    reasoning_tokens: float | None = None
    cost_usd: float | None = None
    unknown_costs: int = 0
    untold: int = 0


_CLASSES = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")


def effort(attempts: Collection[Attempt]) -> Effort:
    """The effort of attempts, of one cell as a rule."""
    done = [attempt for attempt in attempts if not attempt.runs_again]
    if not done:
        return Effort()
    known = [(attempt.successful_steps, attempt.steps) for attempt in done if attempt.successful_steps is not None]
    steps = sum(number for _, number in known)
    costs = [attempt.usage.cost_usd for attempt in done]
    unknown = costs.count(None)
    untold = sum(attempt.usage.uncounted_calls > 0 for attempt in done)
    return Effort(
        attempts=len(done),
        steps=sum(attempt.steps for attempt in done) / len(done),
        successful_steps=sum(good or 0 for good, _ in known) / steps if steps else None,
        finished=sum(isinstance(attempt.ending, Answered) for attempt in done) / len(done),
        **({} if untold else _tokens([attempt.usage for attempt in done])),
        cost_usd=None if unknown else sum(cost or 0.0 for cost in costs) / len(done),
        unknown_costs=unknown,
        untold=untold,
    )


def _tokens(usage: Sequence[Usage]) -> dict[str, float]:
    counts = {name: sum(getattr(item, name) for item in usage) / len(usage) for name in _CLASSES}
    return {"tokens": sum(map(all_tokens, usage)) / len(usage), **counts}


def all_tokens(usage: Usage) -> int:
    """Every token once; reasoning is part of the output."""
    return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens
