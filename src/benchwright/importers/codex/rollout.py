"""Rollout files of Codex's sessions folder: the model's own items, with events between them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchwright.importers.arguments import script
from benchwright.importers.base import DraftCall, about_file
from benchwright.importers.codex.code_mode import commands, one_script
from benchwright.importers.codex.events import Events
from benchwright.importers.codex.folder import parent_of
from benchwright.importers.codex.reader import Reader
from benchwright.importers.values import joined, mapping, moment, parsed, shown, text, whole

_EXIT = re.compile(r"(?:^|\n)(?:Exit code:|Process exited with code) (-?\d{1,5})(?:\n|$)")
_RUNNING = re.compile(r"(?:^|\n)Process running with session ID (\d{1,12})(?:\n|$)")
_BODY = re.compile(r"(?:^|\n)Output:\n", re.DOTALL)
_ITEMS = frozenset(
    "message reasoning function_call function_call_output local_shell_call custom_tool_call custom_tool_call_output "
    "web_search_call".split()
)
_INJECTED = (
    "# AGENTS.md",
    *(
        f"<{tag}"
        for tag in "environment_context user_instructions permissions INSTRUCTIONS skill turn_aborted "
        "collaboration_mode user_shell_command subagent_notification model_switch personality_spec".split()
    ),
)
"""How what the program itself writes as the user's words begins."""
_FROM_EVENTS = frozenset(
    "token_count task_complete turn_complete turn_aborted error user_message exec_command_end patch_apply_end".split()
)
_NEVER_RUN = re.compile(
    r"(?:exec_command failed|execution error|failed to parse|unsupported call|apply_patch verification failed"
    r"|(?:exec )?command rejected|rejected by user|patch rejected|approval policy is .{1,80}; reject)",
    re.IGNORECASE,
)
"""How results of calls begin that were not carried out."""
_BROKEN_OFF = re.compile(r"aborted(?: by user|$)|command timed out", re.IGNORECASE)


@dataclass(slots=True)
class Rollout(Reader):
    """Reads rollout files, also those of early versions, whose lines are bare items."""

    waiting: set[str] = field(default_factory=set)
    events: Events = field(default_factory=Events)
    going_on: dict[str, DraftCall] = field(default_factory=dict)
    """Commands that had not ended when their call came back, by the number that they go on under."""
    parents: frozenset[str] = frozenset()
    """The threads whose history this one takes over."""

    def __post_init__(self) -> None:
        self.events.draft, self.events.totals = self.draft, self.totals

    @property
    def spoke_last(self) -> bool:
        """Some versions do not keep the end of a turn."""
        return self._open is not None and bool(self._open.texts) and not self._open.calls and not self.waiting

    def begins(self, line: Mapping[str, Any]) -> bool:
        """A second session's head."""
        head = (
            mapping(line.get("payload")) if line.get("type") == "session_meta" else line if "type" not in line else {}
        )
        return bool(head.get("id")) and text(head["id"]) not in {self.draft.session or text(head["id"]), *self.parents}

    def take(self, line: Mapping[str, Any]) -> None:
        """One line."""
        at = moment(line.get("timestamp"))
        self.draft.time(at)
        kind, payload = text(line.get("type")), mapping(line.get("payload"))
        if kind == "response_item":
            self._item(payload, at)
        elif kind == "event_msg":
            self._event(payload)
        elif kind in ("session_meta", "turn_context") or not kind:
            self._head(payload or line)
        elif kind in _ITEMS:
            self._item(line, at)

    def _head(self, told: Mapping[str, Any]) -> None:
        draft = self.draft
        draft.session = draft.session or text(told.get("id"))
        self.parents |= {parent for parent in (text(told.get("forked_from_id")), parent_of(told)) if parent}
        draft.cwd = text(told.get("cwd")) or draft.cwd
        draft.model = text(told.get("model")) or draft.model
        draft.version = draft.version or text(told.get("cli_version"))

    def _event(self, told: Mapping[str, Any]) -> None:
        if told.get("type") in _FROM_EVENTS:
            known = text(told.get("call_id")) in self.draft.calls
            if told.get("type") not in ("exec_command_end", "patch_apply_end") or known:
                self.events.event(told)
            self.ended = self.ended or self.events.ended
            self.failure = self.events.failure

    def _item(self, item: Mapping[str, Any], at: float | None) -> None:
        match item.get("type"):
            case "message":
                self._message(item)
            case "reasoning":
                words = joined(item.get("summary")) or joined(item.get("content"))
                self.words_step().think(words)
            case "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call":
                self._call(item, at)
            case "function_call_output" | "custom_tool_call_output":
                self._came_back(item, at)

    def _message(self, item: Mapping[str, Any]) -> None:
        words = joined(item.get("content"))
        if item.get("role") == "assistant":
            self.message(words)
        elif item.get("role") == "user" and not self.draft.prompt and not words.lstrip().startswith(_INJECTED):
            self.draft.prompt = words

    def _call(self, item: Mapping[str, Any], at: float | None) -> None:
        identity = text(item.get("call_id") or item.get("id"))
        tool = text(item.get("name")) or text(item.get("type")).removesuffix("_call")
        call = self.draft.call(self.call_step(beside=bool(self.waiting)), identity, tool)
        call.started = at
        given = item.get("arguments", item.get("input", item.get("action")))
        _describe(call, parsed(given) if isinstance(given, str) else given, shown(given))
        self.waiting.add(call.id)

    def _came_back(self, item: Mapping[str, Any], at: float | None) -> None:
        call = self.draft.calls.get(text(item.get("call_id")))
        if call is None:
            self.draft.note("a result belongs to no call that the log shows")
            return
        self.waiting.discard(call.id)
        told = mapping(item.get("output")).get("content", item.get("output"))
        inside = mapping(parsed(told))
        words = text(inside.get("output")) or joined(told)
        code = whole(mapping(inside.get("metadata")).get("exit_code"))
        found, running = _EXIT.search(words[:500]), _RUNNING.search(words[:500])
        if code is None and (found or running):
            code = int(found.group(1)) if found else None
            body = _BODY.search(words)
            words = words[body.end() :] if body else words
        failed = inside.get("success") is False or mapping(item.get("output")).get("success") is False
        never = code is None and _NEVER_RUN.match(words) is not None
        if never and call.kind != "edit":
            call.kind = "other"
        failed = failed or never or (code is None and _BROKEN_OFF.match(words) is not None)
        call.answer(words, exit_code=code, is_error=failed)
        call.ended = at
        if call.tool == "spawn_agent" and not failed:
            self.sent += 1
        if call.tool == "write_stdin":
            self._came_later(call, ended=not running)
        elif running:
            self.going_on[running.group(1)] = call

    def _came_later(self, call: DraftCall, *, ended: bool) -> None:
        """What a command gave back, and how it ended, where a later call waited for it."""
        number = str(mapping(parsed(call.text)).get("session_id"))
        if (begun := self.going_on.get(number)) is not None:
            begun.answer_later(call)
            if ended:
                del self.going_on[number]


def _describe(call: DraftCall, given: Any, written: str) -> None:
    """What a call does, by its arguments: a command, a patch, or else the arguments themselves."""
    told = mapping(given)
    command = told.get("command", told.get("cmd"))
    if call.tool == "apply_patch":
        call.kind, call.text = "edit", text(told.get("input")) or written
    elif command is not None:
        call.kind, call.text = "shell", script(command)
        call.path = text(told.get("workdir") or told.get("working_directory"))
    elif about_file(call, call.tool, told):
        call.text = written
    elif found := commands(written):
        call.kind, call.text = "shell", found[0].text if len(found) == 1 else one_script(found)
        call.path = found[0].folder if len(found) == 1 else ""
    else:
        call.text = written
        call.kind = "other" if call.kind in ("shell", "python") else call.kind
