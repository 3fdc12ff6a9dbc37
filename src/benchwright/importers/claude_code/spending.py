"""What a session of Claude Code took: tokens and dollars, by results where there are any, else by its replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchwright.importers.base import Draft, DraftStep
from benchwright.importers.values import anthropic_usage, dollars, mapping, text, tokens
from benchwright.trajectory import Usage

_CLASSES = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_long_tokens")
_ROUNDING = 1e-9
_SEVERAL = "(several models)"
"""Stands for models whose tokens are not told apart, and has no price."""


@dataclass(slots=True)
class _Reply:
    """One message of the model's; `whole` is false while its lines tell only how far it has come."""

    step: DraftStep
    model: str = ""
    usage: Usage | None = None
    whole: bool = False
    cost: float = 0.0


@dataclass(slots=True)
class Spending:
    """What is told, as the lines come."""

    replies: dict[str, _Reply] = field(default_factory=dict)
    results: int = 0
    inner: bool = False
    usage: Usage = field(default_factory=Usage)
    """By the results' `usage`, which is of one prompt each, and of no model but the first."""
    models: dict[str, Usage] = field(default_factory=dict)
    """By the last result's `modelUsage`: the total of a process, as is its cost."""
    cost: float | None = None
    before: dict[str, Usage] = field(default_factory=dict)
    """Of the processes before, for a session may be taken up again."""
    cost_before: float = 0.0
    under_way: dict[str, str] = field(default_factory=dict)
    """The message that partial ones are of, by the call that sent the agent."""
    begun: dict[str, Usage] = field(default_factory=dict)
    partial: dict[str, Usage] = field(default_factory=dict)
    """What partial messages count up to, of those that came to their end."""
    since: set[str] = field(default_factory=set)
    """Replies behind the last result."""
    sent: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)
    """Sub-agents: those that were sent, and those whose lines the log holds."""

    def agent(self, line: Mapping[str, Any]) -> None:
        """Whether a line is of a sub-agent, or tells what came of one."""
        if isinstance(line.get("agentId"), str):
            self.told.add(text(line["agentId"]))
        came = mapping(line.get("toolUseResult"))
        if isinstance(came.get("agentId"), str):
            self.sent.add(text(came["agentId"]))

    def reply(
        self, step: DraftStep, key: str, message: Mapping[str, Any], line: Mapping[str, Any], *, inner: bool
    ) -> None:
        """A line of a message: its lines repeat a count that grows."""
        reply = self.replies.setdefault(key or f"line {len(self.replies)}", _Reply(step))
        self.inner = self.inner or inner
        self.since.add(key)
        reply.model = text(message.get("model")) or reply.model
        reply.whole = reply.whole or message.get("stop_reason", "") is not None
        reply.cost = max(reply.cost, dollars(line.get("costUSD")) or 0.0)
        if isinstance(told := message.get("usage"), dict):
            reply.usage = step.usage = _most(reply.usage or Usage(), anthropic_usage(told))

    def part(self, line: Mapping[str, Any]) -> None:
        """A partial message: the last of a message's tells all that it took."""
        event, sent = mapping(line.get("event")), text(line.get("parent_tool_use_id"))
        if event.get("type") == "message_start":
            message = mapping(event.get("message"))
            self.under_way[sent] = text(message.get("id"))
            self.begun[sent] = anthropic_usage(mapping(message.get("usage")))
        elif event.get("type") == "message_delta" and isinstance(event.get("usage"), dict):
            told = anthropic_usage(event["usage"])
            self.partial[self.under_way.get(sent, "")] = _most(self.begun.get(sent, Usage()), told)

    def result(self, line: Mapping[str, Any]) -> None:
        """A result: its `usage` adds up, its `modelUsage` and cost are totals, which begin anew in another process."""
        self.results += 1
        self.since.clear()
        if isinstance(line.get("usage"), dict):
            self.usage = self.usage.plus(anthropic_usage(line["usage"]))
        models = {text(name): _usage_of_model(told) for name, told in mapping(line.get("modelUsage")).items()}
        cost = dollars(line.get("total_cost_usd", line.get("cost_usd")))
        if _anew(self.models, models) or (cost is not None and cost < (self.cost or 0.0) - _ROUNDING):
            self.before = _together(self.before, self.models)
            self.cost_before += self.cost or 0.0
        self.models = models or self.models
        self.cost = cost if cost is not None else self.cost


def counted(spending: Spending, draft: Draft, *, streamed: bool) -> None:
    """The session's tokens, by model where that is told, and what it cost by its own account.

    Snapshots in a stream are no count, nor are those of session files that never tell a message's end: with them
    tokens are too few.
    """
    replies = spending.replies
    if streamed:
        for reply in replies.values():
            reply.step.usage = None
    models = _together(spending.before, spending.models)
    billed = Usage()
    for told in models.values():
        billed = billed.plus(told)
    if billed == spending.usage == Usage():  # no result, or none that tells tokens
        _by_replies(spending, draft, streamed=streamed)
    else:
        _by_results(spending, draft, models, billed)
    costs = sum(reply.cost for reply in replies.values())
    draft.cost = spending.cost + spending.cost_before if spending.cost is not None else costs or None


def _by_results(spending: Spending, draft: Draft, models: dict[str, Usage], billed: Usage) -> None:
    several = len(models) > 1 or spending.results > 1 or spending.inner
    kept = _kept(spending)
    if kept == "long":
        models, billed = {name: _long(told) for name, told in models.items()}, _long(billed)
    usage = billed if billed != Usage() and (several or spending.usage == Usage()) else spending.usage
    behind = len(spending.since)
    draft.usage = usage.model_copy(update={"uncounted_calls": behind})
    if kept == "both" and models:  # which of the models' tokens are which is not told
        draft.models = {_SEVERAL: usage} if several else {}
    else:
        draft.models = models if not behind else {}


def _kept(spending: Spending) -> str:
    """For how long caches keep what is written: a short time, or long, or both; totals by model do not tell."""
    told = [spending.usage, *(reply.usage for reply in spending.replies.values() if reply.usage is not None)]
    long = any(usage.cache_write_long_tokens for usage in told)
    return "short" if not long else "both" if any(map(_short, told)) else "long"


def _short(usage: Usage) -> bool:
    return usage.cache_write_tokens > usage.cache_write_long_tokens


def _long(usage: Usage) -> Usage:
    return usage.model_copy(update={"cache_write_long_tokens": usage.cache_write_tokens})


def _by_replies(spending: Spending, draft: Draft, *, streamed: bool) -> None:
    total, by_model, unsure = Usage(), dict[str, Usage](), 0
    for key, reply in spending.replies.items():
        if key in spending.partial:
            reply.usage = reply.step.usage = _most(reply.usage or Usage(), spending.partial[key])
        if reply.usage is not None:
            total = total.plus(reply.usage)
            model = reply.model or draft.model
            by_model[model] = by_model.get(model, Usage()).plus(reply.usage)
        if key not in spending.partial and (streamed or reply.usage is None or not reply.whole):
            unsure += 1
            reply.step.usage = None
    unknown = spending.sent - spending.told if not streamed else set[str]()
    if unknown:
        draft.note(f"{len(unknown)} sub-agents are not in the log, nor what they read and took")
    unsure += len(unknown)
    draft.usage = total.model_copy(update={"uncounted_calls": unsure})
    draft.models = by_model if not unsure else {}


def _anew(before: Mapping[str, Usage], now: Mapping[str, Usage]) -> bool:
    """Whether a total is that of another process: some count of it has fallen."""
    none = Usage()
    return bool(now) and any(
        getattr(now.get(model, none), name) < getattr(usage, name)
        for model, usage in before.items()
        for name in _CLASSES
    )


def _together(first: Mapping[str, Usage], second: Mapping[str, Usage]) -> dict[str, Usage]:
    return {name: first.get(name, Usage()).plus(second.get(name, Usage())) for name in [*first, *second]}


def _usage_of_model(value: object) -> Usage:
    told = mapping(value)
    return Usage(
        input_tokens=tokens(told.get("inputTokens")),
        output_tokens=tokens(told.get("outputTokens")),
        cache_read_tokens=tokens(told.get("cacheReadInputTokens")),
        cache_write_tokens=tokens(told.get("cacheCreationInputTokens")),
    )


def _most(first: Usage, second: Usage) -> Usage:
    """The larger of each."""
    return Usage(**{name: max(getattr(first, name), getattr(second, name)) for name in _CLASSES})
