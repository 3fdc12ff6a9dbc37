"""`codex exec --json`: items of a thread since version 0.44, bare events under `msg` before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchwright.errors import Fault
from benchwright.importers.arguments import script
from benchwright.importers.base import DraftCall, about_file
from benchwright.importers.codex.reader import Reader
from benchwright.importers.values import items, joined, mapping, moment, openai_usage, shown, text, whole
from benchwright.trajectory import Broke, Usage


@dataclass(slots=True)
class Events(Reader):
    """Reads both forms of what `codex exec --json` prints; rollouts keep events of the old form, too."""

    running: set[str] = field(default_factory=set)
    resumed: int = 0
    """How often the thread was taken up again: its items are then numbered anew."""

    def begins(self, line: Mapping[str, Any]) -> bool:
        """A thread that starts behind another; the old form's settings behind an end."""
        if line.get("type") == "thread.started":
            thread = text(line.get("thread_id"))
            return self.draft.session not in ("", thread) or (self.ended and not thread)
        return self.ended and "workdir" in line

    def take(self, line: Mapping[str, Any]) -> None:
        """One line."""
        self.draft.time(moment(line.get("timestamp")))
        self.trouble = ""
        if isinstance(line.get("msg"), dict):
            self.event(mapping(line["msg"]))
            return
        match line.get("type"):
            case "thread.started":
                self.resumed += bool(self.draft.session)
                self.ended, self.failure = False, ""
                self.draft.session = text(line.get("thread_id"))
            case "turn.completed":
                self._turn_completed(line)
            case "turn.failed":
                self.failure = joined(mapping(line.get("error")).get("message")) or "the turn failed"
            case "error":
                self._error(text(line.get("message")))
            case "item.started" | "item.updated" | "item.completed":
                self._item(mapping(line.get("item")), text(line.get("type")))
            case None:
                self._settings(line)

    def _error(self, words: str) -> None:
        self.draft.note(f"error: {words[:200]}")
        self.trouble = "" if words.startswith("Reconnecting") else words

    def _settings(self, line: Mapping[str, Any]) -> None:
        self.draft.model = self.draft.model or text(line.get("model"))
        self.draft.cwd = self.draft.cwd or text(line.get("workdir"))
        self.draft.prompt = self.draft.prompt or text(line.get("prompt"))

    def _turn_completed(self, line: Mapping[str, Any]) -> None:
        self.ended, self.failure = True, ""
        if (told := openai_usage(line.get("usage"))) is not None:
            # what is told is a total of the thread; a resumed one goes on from it, but began anew in early versions
            self.draft.usage = self.totals.take(told)

    def _item(self, item: Mapping[str, Any], event: str) -> None:
        kind = text(item.get("type") or item.get("item_type"))
        done = event == "item.completed"
        if kind in ("agent_message", "assistant_message"):
            if done:
                self.message(text(item.get("text")))
        elif kind in ("reasoning", "plan"):
            if done:
                self.words_step().think(text(item.get("text")))
        elif kind == "error":
            self.draft.note(f"error: {text(item.get('message'))[:200]}")
        elif kind and kind != "todo_list":
            self._call(kind, item, done=done)

    def _call(self, kind: str, item: Mapping[str, Any], *, done: bool) -> None:
        identity = text(item.get("id"))
        identity = f"{identity}/{self.resumed}" if self.resumed and identity else identity
        call = self.draft.calls.get(identity)
        if call is None:
            call = self.draft.call(self.call_step(beside=bool(self.running)), identity, kind)
        if kind == "command_execution":
            call.kind, call.text = "shell", script(item.get("command"))
        elif kind == "file_change":
            call.kind, call.text = "edit", shown(item.get("changes"))
            paths = [text(mapping(change).get("path")) for change in items(item.get("changes"))]
            call.path = paths[0] if len(paths) == 1 else ""
        else:
            call.text = shown({name: value for name, value in item.items() if name not in _RESULT})
            if kind == "mcp_tool_call":
                about_file(call, text(item.get("tool")), mapping(item.get("arguments")))
            elif item.get("tool") == "spawn_agent":
                self.sent += done and item.get("status") != "failed"
        if done:
            self.running.discard(call.id)
            failed = item.get("status") in ("failed", "declined")
            call.answer(_output(item), exit_code=whole(item.get("exit_code")), is_error=failed)
            if item.get("status") == "declined":
                call.kind = "other"  # it was never carried out
        else:
            self.running.add(call.id)

    def event(self, told: Mapping[str, Any]) -> None:
        """One event of the old form."""
        kind = text(told.get("type"))
        if kind in ("agent_message", "agent_reasoning"):
            words = text(told.get("message") or told.get("text"))
            if kind == "agent_message":
                self.message(words)
            else:
                self.words_step().think(words)
        elif kind in ("exec_command_begin", "patch_apply_begin", "mcp_tool_call_begin"):
            self._begin(kind, told)
        elif kind in ("exec_command_end", "patch_apply_end", "mcp_tool_call_end"):
            self._end(told)
        else:
            self._about(kind, told)

    def _about(self, kind: str, told: Mapping[str, Any]) -> None:
        match kind:
            case "token_count":
                self._count(told)
            case "session_configured":
                self.draft.model = text(told.get("model"))
                self.draft.session = text(told.get("session_id"))
            case "user_message":
                self.draft.prompt = self.draft.prompt or text(told.get("message"))
            case "task_complete" | "turn_complete":
                self.ended = True
                if (words := text(told.get("last_agent_message"))) != self.draft.last_message:
                    self.message(words)
            case "turn_aborted":
                self.draft.ending = Broke(fault=Fault.AGENT, detail=f"aborted: {text(told.get('reason'))}"[:300])
            case "error":
                self.failure = text(told.get("message"))
            case "collab_agent_spawn_end":
                self.sent += bool(told.get("new_thread_id"))
            case "stream_error" | "warning":
                self.draft.note(f"error: {text(told.get('message'))[:200]}")

    def _begin(self, kind: str, told: Mapping[str, Any]) -> DraftCall:
        identity = text(told.get("call_id"))
        if known := self.draft.calls.get(identity):
            return known
        tool = kind.removesuffix("_begin").removesuffix("_end")
        call = self.draft.call(self.call_step(beside=bool(self.running)), identity, tool)
        if kind.startswith("exec_command"):
            call.kind, call.text, call.path = "shell", script(told.get("command")), text(told.get("cwd"))
            self.draft.cwd = self.draft.cwd or call.path
        elif kind.startswith("patch_apply"):
            changes = mapping(told.get("changes"))
            call.kind, call.text = "edit", shown(told.get("changes"))
            call.path = text(next(iter(changes), "")) if len(changes) == 1 else ""
        else:
            asked = mapping(told.get("invocation"))
            call.text = shown(dict(asked))
            about_file(call, text(asked.get("tool")), mapping(asked.get("arguments")))
        self.running.add(call.id)
        return call

    def _end(self, told: Mapping[str, Any]) -> None:
        call = self._begin(text(told.get("type")), told)
        self.running.discard(call.id)
        output = text(told.get("aggregated_output")) or text(told.get("formatted_output"))
        result = mapping(told.get("result"))
        came = mapping(result.get("Ok", result))
        output = output or text(told.get("stdout")) + text(told.get("stderr"))
        output = output or joined(came.get("content")) or shown(told.get("result"))
        failed = told.get("success") is False or "Err" in result or came.get("isError", came.get("is_error")) is True
        call.answer(output or call.output, exit_code=whole(told.get("exit_code")), is_error=failed)

    def _count(self, told: Mapping[str, Any]) -> None:
        """A running total beside what the last reply took; before there were totals, each reply's own."""
        info = mapping(told.get("info"))
        total, last = openai_usage(info.get("total_token_usage")), openai_usage(info.get("last_token_usage"))
        if total is not None:
            self.draft.usage = self.totals.take(total)
        elif (last := openai_usage(told)) is not None:
            self.draft.usage = (self.draft.usage or Usage()).plus(last)
        if last is not None and self.draft.steps and self.draft.steps[-1].usage is None:
            self.draft.steps[-1].usage = last


_RESULT = frozenset(("id", "type", "item_type", "status", "result", "error", "aggregated_output"))


def _output(item: Mapping[str, Any]) -> str:
    return text(item.get("aggregated_output")) or joined(item.get("result")) or shown(item.get("error"))
