"""Events of OpenHands' software agent SDK: actions and observations joined by the action's id."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchwright.errors import Fault
from benchwright.importers.arguments import describe
from benchwright.importers.base import Draft, DraftCall, DraftStep
from benchwright.importers.values import dollars, identity, joined, mapping, moment, parsed, text, tokens, whole
from benchwright.trajectory import Answered, Broke, FinalAnswer, LimitHit, Trajectory, Usage

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>]")
_LISTING = re.compile(r"^Here's the files and directories|is a directory")
LIMIT = re.compile(r"maximum (?:iteration|number of iterations)|max_iterations|budget", re.IGNORECASE)
_BY_PROTOCOL = {"execute": "shell", "read": "read", "edit": "edit", "search": "grep"}
"""Names of tools that stand for the kinds of calls of the agent client protocol."""
_OUTPUTS = ("formatted_output", "aggregated_output", "stdout", "output")
_INNER = frozenset(("security_risk", "summary", "kind"))


@dataclass(slots=True)
class Events:
    """One conversation as it is read, event by event."""

    around: Mapping[str, Any] = field(default_factory=dict)
    draft: Draft = field(default_factory=lambda: Draft("openhands"))
    begun: bool = False
    actions: dict[str, DraftCall] = field(default_factory=dict)
    folder: str = ""
    """Where the terminal is, as its last observation tells; empty: not told."""

    def begins(self, event: Mapping[str, Any], around: Mapping[str, Any]) -> bool:
        """Whether an event begins another conversation: one more system prompt, or another record."""
        return (around is not self.around and bool(around or self.around)) or (self.begun and _is_head(event))

    def take(self, event: Mapping[str, Any]) -> None:
        """One event."""
        self.draft.time(moment(event.get("timestamp")))
        kind = text(event.get("kind"))
        if _is_head(event):
            self.begun = True
        elif kind == "MessageEvent" or "llm_message" in event:
            self._message(event)
        elif kind == "ActionEvent":
            self._action(event)
        elif kind == "ACPToolCallEvent":
            self._by_protocol(event)
        elif "observation" in event or kind in ("AgentErrorEvent", "UserRejectObservation"):
            self._observation(event)
        else:
            self._state(kind, event)

    def _message(self, event: Mapping[str, Any]) -> None:
        words = joined(mapping(event.get("llm_message")).get("content"))
        if event.get("source") == "user":
            self.draft.prompt = self.draft.prompt or words
        elif event.get("source") == "agent":
            step = self.draft.step(text(event.get("llm_response_id")) or text(event.get("id")))
            step.think(text(event.get("reasoning_content")))
            step.say(words)
            step.started = step.started if step.started is not None else moment(event.get("timestamp"))
            if words.strip():
                self.draft.last_message = words
                self.draft.ending = Answered()

    def _action(self, event: Mapping[str, Any]) -> None:
        step = self.draft.step(text(event.get("llm_response_id")) or text(event.get("id")))
        step.started = step.started if step.started is not None else moment(event.get("timestamp"))
        step.think(text(event.get("reasoning_content")))
        step.say(joined(event.get("thought")))
        self.draft.ending = None
        identity = text(event.get("tool_call_id")) or text(event.get("id"))
        if identity in self.draft.calls:
            identity = f"{identity}/{text(event.get('id'))}"
        call = self.draft.call(step, identity, text(event.get("tool_name")))
        call.started = moment(event.get("timestamp"))
        self.actions[text(event.get("id"))] = call
        action = mapping(event.get("action"))
        given = action or mapping(parsed(mapping(event.get("tool_call")).get("arguments")))
        self._describe(step, call, given)

    def _describe(self, step: DraftStep, call: DraftCall, given: Mapping[str, Any]) -> None:
        told = {name: value for name, value in given.items() if name not in _INNER}
        describe(call, told)
        if call.tool == "finish":
            words = text(given.get("message"))
            call.text = words
            self.draft.last_message = words or self.draft.last_message
            self.draft.ending = Answered()
            if words.strip():
                self.draft.answer = FinalAnswer(text=words, source="last_message")
        elif call.tool == "think":
            step.think(text(given.get("thought")))
        elif call.kind == "shell":
            if given.get("reset") is True:  # a new terminal, which begins where the first one did
                self.folder = ""
            call.path = self.folder or ("." if given.get("reset") is True else "")
            if given.get("is_input") is True:
                call.kind = "other"

    def _by_protocol(self, event: Mapping[str, Any]) -> None:
        """A call of an agent that OpenHands only speaks to, by the agent client protocol; told again as it goes on."""
        given, came = mapping(event.get("raw_input")), event.get("raw_output")
        identity = text(event.get("tool_call_id"))
        call = self.draft.calls.get(identity)
        if call is None:
            step = self.draft.step(identity)
            step.started = moment(event.get("timestamp"))
            call = self.draft.call(step, identity, text(event.get("title")))
            self.draft.ending = None
        kind = _BY_PROTOCOL.get(text(event.get("tool_kind")), "other")
        if given:
            tool, call.tool = call.tool, kind
            describe(call, given)
            call.tool = tool
        inside = mapping(came)
        output = next((text(inside[name]) for name in _OUTPUTS if text(inside.get(name))), "") or joined(came)
        failed = event.get("is_error") is True or event.get("status") == "failed"
        call.answer(output or joined(event.get("content")), exit_code=whole(inside.get("exit_code")), is_error=failed)
        call.ended = moment(event.get("timestamp"))

    def _observation(self, event: Mapping[str, Any]) -> None:
        identity = text(event.get("tool_call_id"))
        call = self.actions.get(text(event.get("action_id"))) or self.draft.calls.get(identity)
        if call is None:
            self.draft.note("an observation belongs to no action that the log shows")
            return
        told = mapping(event.get("observation"))
        words = joined(told.get("content")) or text(told.get("output")) or text(event.get("error"))
        words = words or joined(event.get("rejection_reason"))
        if call.kind == "shell":
            self.folder = text(mapping(told.get("metadata")).get("working_dir")) or self.folder
        code = whole(told.get("exit_code"))
        code = code if code is not None else whole(mapping(told.get("metadata")).get("exit_code"))
        refused = text(event.get("kind")) in ("AgentErrorEvent", "UserRejectObservation")
        if refused:
            call.kind = "other"  # it was never carried out
        call.answer(
            _without_echo(_ESCAPES.sub("", words), call.text),
            exit_code=code if code != -1 else None,
            is_error=refused or told.get("is_error") is True,
        )
        call.is_error = call.is_error or told.get("timeout") is True
        if call.kind == "read" and _LISTING.search(call.output[:300]):
            call.kind = "list"
        call.ended = moment(event.get("timestamp"))

    def _state(self, kind: str, event: Mapping[str, Any]) -> None:
        if kind == "ConversationErrorEvent":
            code, detail = text(event.get("code")), text(event.get("detail"))
            if "MaxIteration" in code or "maximum iterations" in detail.lower():
                self.draft.ending = LimitHit(which="messages", detail=detail[:300])
            else:
                fault = Fault.MODEL if code.startswith("LLM") else Fault.AGENT
                self.draft.ending = Broke(fault=fault, detail=f"{code}: {detail}"[:300])
        elif kind == "ConversationStateUpdateEvent":
            self._stats(event)
            value = event.get("value")
            named = value if event.get("key") == "execution_status" else mapping(value).get("execution_status")
            self.status(text(named))

    def status(self, name: str) -> None:
        """What is told of the whole conversation, where nothing nearer told how it ended."""
        if name in ("stuck", "error") and self.draft.ending is None:
            self.draft.ending = Broke(fault=Fault.AGENT, detail=f"the conversation's status: {name}")

    def _stats(self, event: Mapping[str, Any]) -> None:
        """Usage, where a newer version tells it among the state's updates."""
        value = mapping(event.get("value"))
        stats = value if event.get("key") == "stats" else mapping(value.get("stats"))
        spent = [mapping(item) for item in mapping(stats.get("usage_to_metrics")).values()]
        if spent:
            take_metrics(self.draft, spent)

    def finished(self, notes: list[str]) -> Trajectory:
        """The conversation as a trajectory."""
        take_around(self.draft, self.around)
        return self.draft.finished(notes)


def take_around(draft: Draft, around: Mapping[str, Any]) -> None:
    """What an evaluation's record tells around a history: the instance, the question, the model, tokens, an error."""
    take_metrics(draft, [mapping(around.get("metrics"))])
    draft.session = identity(around.get("instance_id"))
    config = mapping(mapping(around.get("metadata")).get("llm_config")) or mapping(
        mapping(around.get("metadata")).get("llm")
    )
    draft.model = text(config.get("model")) or draft.model
    draft.prompt = draft.prompt or text(around.get("instruction"))
    error = text(around.get("error"))
    if error and not isinstance(draft.ending, Answered):
        limit = LIMIT.search(error)
        which = "cost" if "budget" in error.lower() else "messages"
        draft.ending = LimitHit(which=which, detail=error[:300]) if limit else draft.ending
        draft.ending = draft.ending or Broke(fault=Fault.AGENT, detail=error[:300])


def take_metrics(draft: Draft, spent: list[Mapping[str, Any]]) -> None:
    """Usage and cost as OpenHands accumulates them; its prompt tokens hold those of the cache."""
    told = [(mapping(item.get("accumulated_token_usage")), item) for item in spent]
    cost = [amount for _, item in told if (amount := dollars(item.get("accumulated_cost"))) is not None]
    if cost:
        draft.cost = sum(cost) or None  # what it knows no price of costs nothing, by its account
    models: dict[str, Usage] = {}
    for usage, item in told:
        if usage:  # an agent and its condenser have the same model as a rule
            name = text(usage.get("model") or item.get("model_name")) or "unknown"
            models[name] = models.get(name, Usage()).plus(_usage(usage))
    if models:
        draft.models = models
        draft.model = draft.model or next(iter(models)).replace("unknown", "")
        names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
        draft.usage = Usage(**{name: sum(getattr(usage, name) for usage in models.values()) for name in names})


def _usage(told: Mapping[str, Any]) -> Usage:
    prompt, read = tokens(told.get("prompt_tokens")), tokens(told.get("cache_read_tokens"))
    write = tokens(told.get("cache_write_tokens"))
    return Usage(
        input_tokens=max(0, prompt - read - write),
        output_tokens=tokens(told.get("completion_tokens")),
        cache_read_tokens=read,
        cache_write_tokens=write,
        reasoning_tokens=tokens(told.get("reasoning_tokens")),
    )


def _is_head(event: Mapping[str, Any]) -> bool:
    return event.get("kind") == "SystemPromptEvent" or ("system_prompt" in event and "kind" not in event)


def _without_echo(output: str, command: str) -> str:
    """The output without the command that the terminal shows before it."""
    bare = command.strip()
    for shown_as in (bare, bare.replace("\n", "\r\n")):
        if bare and output.lstrip().startswith(shown_as):
            return output.lstrip()[len(shown_as) :].lstrip("\r\n")
    return output
