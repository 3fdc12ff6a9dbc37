"""Trajectories of OpenHands before its SDK: numbered actions, and observations that name their cause."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchwright.errors import Fault
from benchwright.importers.base import Draft, DraftCall, DraftStep, kind_of
from benchwright.importers.openhands.events import LIMIT, take_around, take_metrics
from benchwright.importers.values import mapping, moment, openai_usage, shown, text, whole
from benchwright.trajectory import Answered, Broke, FinalAnswer, LimitHit, Trajectory

_CALLS = frozenset(
    "run run_ipython read write edit browse browse_interactive call_tool_mcp mcp think delegate task_tracking".split()
)
_CODE = re.compile(r"exit code:? (-?\d+)")
_OF_THE_MODEL = re.compile(r"LLM|litellm|openai\.|AuthenticationError|RateLimitError|APIConnectionError", re.IGNORECASE)
_TRACEBACK = re.compile(
    r"^(?:Cell In ?\[\d+\], line \d+|Traceback \(most recent call last\)|\w*Error +Traceback)", re.MULTILINE
)


@dataclass(slots=True)
class Early:
    """One session as it is read, event by event."""

    around: Mapping[str, Any] = field(default_factory=dict)
    draft: Draft = field(default_factory=lambda: Draft("openhands"))
    actions: dict[str, DraftCall] = field(default_factory=dict)
    last: DraftCall | None = None
    folder: str = ""
    """Where the shell is, as its last observation tells; empty: not told."""
    seen: set[str] = field(default_factory=set)

    def begins(self, event: Mapping[str, Any], around: Mapping[str, Any]) -> bool:
        """Whether an event begins another session: of another record, or numbered anew from the start."""
        if around is not self.around and (around or self.around):
            return True
        return event.get("id") == 0 and "0" in self.seen

    def take(self, event: Mapping[str, Any]) -> None:
        """One event."""
        self.draft.time(moment(event.get("timestamp")))
        self.seen.add(str(event.get("id")))
        metrics = mapping(event.get("llm_metrics"))
        if metrics:
            take_metrics(self.draft, [metrics])
        if isinstance(event.get("action"), str):
            self._action(event)
        elif isinstance(event.get("observation"), str):
            self._observation(event)

    def _action(self, event: Mapping[str, Any]) -> None:
        action, given = text(event.get("action")), mapping(event.get("args"))
        words = text(given.get("content")) or text(event.get("message"))
        if action == "message" and event.get("source") == "user":
            self.draft.prompt = self.draft.prompt or words
        elif action == "message" and event.get("source") == "agent":
            self._turn(event).say(words)
            self.draft.last_message = words
            self.draft.ending = Answered()
        elif action in ("finish", "reject"):
            self._finish(event, given)
        elif action in _CALLS:
            self._call(event, action, given)

    def _turn(self, event: Mapping[str, Any]) -> DraftStep:
        about = mapping(event.get("tool_call_metadata"))
        response = mapping(about.get("model_response"))
        step = self.draft.step(
            text(response.get("id")) or f"event {event.get('id')}" if event.get("id") is not None else ""
        )
        step.started = step.started if step.started is not None else moment(event.get("timestamp"))
        step.usage = step.usage or openai_usage(response.get("usage"))
        step.model = step.model or text(response.get("model"))
        self.draft.model = self.draft.model or step.model
        return step

    def _call(self, event: Mapping[str, Any], action: str, given: Mapping[str, Any]) -> None:
        step = self._turn(event)
        step.say(text(given.get("thought")))
        about = mapping(event.get("tool_call_metadata"))
        identity = text(about.get("tool_call_id")) or f"event {event.get('id', len(self.draft.calls))}"
        call = self.draft.call(step, identity, text(about.get("function_name")) or action, kind_of(action))
        call.started = moment(event.get("timestamp"))
        call.path = text(given.get("path"))
        told = {name: value for name, value in given.items() if name not in ("thought", "security_risk")}
        match action:
            case "run":
                call.text, call.path = text(given.get("command")), self.folder
                call.kind = "other" if str(given.get("is_input")).lower() == "true" else "shell"
            case "run_ipython":
                call.text = text(given.get("code"))
            case "write":
                call.text = text(given.get("content"))
            case "edit":
                command = text(given.get("command"))
                call.kind = {"view": "read", "create": "write"}.get(command, "edit")  # type: ignore[assignment]
                call.text = text(given.get("file_text")) if command == "create" else shown(told)
            case _:
                call.text = shown(told)
        self.actions[str(event.get("id"))] = self.last = call
        self.draft.ending = None

    def _finish(self, event: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        words = text(given.get("final_thought")) or text(mapping(given.get("outputs")).get("content"))
        words = words or text(given.get("thought")) or text(event.get("message"))
        self._turn(event).say(words)
        self.draft.ending = Answered()
        self.draft.last_message = words or self.draft.last_message
        if words.strip():
            self.draft.answer = FinalAnswer(text=words, source="last_message")

    def _observation(self, event: Mapping[str, Any]) -> None:
        kind, extras = text(event.get("observation")), mapping(event.get("extras"))
        if kind == "agent_state_changed":
            self._state(extras)
            return
        cause = event.get("cause")
        call = self.actions.get(str(cause)) if cause is not None else self.last
        if call is None or kind in ("recall", "null", "condense"):
            return
        if call.kind == "shell":
            self.folder = text(mapping(extras.get("metadata")).get("working_dir")) or self.folder
        code = whole(mapping(extras.get("metadata")).get("exit_code"))
        code = code if code is not None else whole(extras.get("exit_code"))
        output = text(event.get("content"))
        found = _CODE.search(output[-200:]) if code is None and call.kind == "shell" else None
        code = int(found.group(1)) if found else code
        failed = kind == "error" or event.get("success") is False
        failed = failed or (call.kind == "python" and _TRACEBACK.search(output) is not None)
        call.answer(output, exit_code=code if code != -1 else None, is_error=failed)
        if call.kind == "read" and output.startswith("Here's the files and directories"):
            call.kind = "list"
        call.ended = moment(event.get("timestamp"))
        self.last = None

    def _state(self, extras: Mapping[str, Any]) -> None:
        state, reason = text(extras.get("agent_state")), text(extras.get("reason"))
        if state in ("error", "rate_limited"):
            limit = LIMIT.search(reason)
            self.draft.ending = (
                LimitHit(which="cost" if "budget" in reason.lower() else "messages", detail=reason[:300])
                if limit
                else Broke(fault=Fault.MODEL if _OF_THE_MODEL.search(reason) else Fault.AGENT, detail=reason[:300])
            )

    def finished(self, notes: list[str]) -> Trajectory:
        """The session as a trajectory."""
        draft = self.draft
        take_around(draft, self.around)
        return draft.finished(notes)
