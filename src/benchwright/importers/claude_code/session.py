"""One session of Claude Code as it is read, line by line: its turns, its calls, and how it ended."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchwright.errors import Fault
from benchwright.importers.base import Draft, DraftCall, DraftStep
from benchwright.importers.claude_code.spending import Spending, counted
from benchwright.importers.values import items, joined, mapping, moment, parsed, seconds, shown, text, whole
from benchwright.trajectory import Answered, Broke, LimitHit, Trajectory

_REMINDER = ("<system-reminder>", "</system-reminder>")
_EXIT = re.compile(r"^(?:Error: )?Exit code (\d{1,3})(?:\n|$)")
_TOOL_ERROR = re.compile(r"^<tool_use_error>(.*?)(?:</tool_use_error>)?$", re.DOTALL)
_REFUSED = re.compile(
    r"Claude requested permissions|Permission to use|The user doesn't want to"
    r"|This (?:Bash )?command (?:requires|contains)"
)
_BROKEN_OFF = re.compile(r"API Error|\[Request interrupted")
_NOT_ASKED = ("[Request interrupted", "<local-command", "<bash-", "<task-notification", "Caveat: The messages below")
"""How what the program itself writes as the user's words begins."""
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_INNER = ("parent_tool_use_id", "isSidechain")
_OWN = (*_INNER, "isMeta", "isSynthetic", "isCompactSummary", "isVisibleInTranscriptOnly")
"""What marks lines of the user's as none of the user's: sub-agents', the program's, summaries of what was before."""
_LIMITS = {"error_max_turns": "messages", "error_max_budget_usd": "cost"}


@dataclass(slots=True)
class Session:
    """One session."""

    draft: Draft = field(default_factory=lambda: Draft("claude_code"))
    spending: Spending = field(default_factory=Spending)
    ended: bool = False
    streamed: bool = False
    stop: str = ""
    spoke: bool = False
    """Whether the agent's own last line says something, and calls nothing."""
    refused: str = ""
    models: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set)
    folders: dict[str, str] = field(default_factory=dict)
    """Where the shell was, by the id of the call, as session files tell with each line."""
    beside: bool = False
    background: dict[str, DraftCall] = field(default_factory=dict)
    """Commands that go on in the background, by the name that they are fetched by."""

    @property
    def tells(self) -> bool:
        """Whether the lines told of anything."""
        return not self.draft.empty or self.ended or bool(self.refused)

    def take(self, line: Mapping[str, Any]) -> None:
        """One line."""
        identity = text(line.get("uuid"))
        if identity and identity in self.seen:
            return
        self.seen.add(identity)
        self.draft.time(moment(line.get("timestamp")))
        self._about(line)
        match line.get("type"):
            case "system":
                self._init(line)
            case "assistant":
                self._assistant(line)
            case "user":
                self._user(line)
            case "progress":
                told = mapping(line.get("data"))
                inside = mapping(told.get("message"))
                if inside.get("type") in ("assistant", "user"):
                    self.take_beside({**inside, "agentId": told.get("agentId")})
            case "stream_event":
                self.spending.part(line)
            case "result":
                self._result(line)

    def take_beside(self, line: Mapping[str, Any]) -> None:
        """One line of a sub-agent's, which is kept elsewhere than the session's own."""
        if line.get("type") in ("assistant", "user"):
            self.beside = True
            self.take({**line, "isSidechain": True})

    def _about(self, line: Mapping[str, Any]) -> None:
        draft = self.draft
        draft.version = draft.version or text(line.get("version") or line.get("claude_code_version"))
        draft.cwd = draft.cwd or text(line.get("cwd"))
        draft.session = draft.session or text(line.get("session_id") or line.get("sessionId"))
        self.spending.agent(line)

    def _init(self, line: Mapping[str, Any]) -> None:
        if line.get("subtype") == "init":
            self.streamed = True
            self.draft.model = text(line.get("model"))

    def _assistant(self, line: Mapping[str, Any]) -> None:
        message = mapping(line.get("message"))
        content = message.get("content")
        model = text(message.get("model"))
        failed = line.get("isApiErrorMessage") is True or isinstance(line.get("error"), str)
        if failed or model == "<synthetic>":  # the program's own words: of an error, an interruption
            self.refused = joined(content)[:300] if failed else ""
            self.stop = "" if failed or _BROKEN_OFF.match(joined(content)) else self.stop
            self.spoke = self.spoke and not (failed or _BROKEN_OFF.match(joined(content)))
            return
        inner = any(map(line.get, _INNER))
        parent = text(line.get("parent_tool_use_id"))
        key = text(message.get("id")) or text(line.get("uuid"))
        step = self.draft.step(f"{parent}/{key}" if key else "")
        step.started = step.started if step.started is not None else moment(line.get("timestamp"))
        step.model = model or step.model
        self.spending.reply(step, key, message, line, inner=inner)
        if not inner:
            self.models.update([model] if model else [])
            self.refused, self.draft.ending = "", None
            self.stop = text(message.get("stop_reason")) or self.stop
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else items(content)
        for block in map(mapping, blocks):
            self._block(step, block, line, inner=inner)

    def _block(self, step: DraftStep, block: Mapping[str, Any], line: Mapping[str, Any], *, inner: bool) -> None:
        match block.get("type"):
            case "thinking":
                step.think(text(block.get("thinking")))
            case "text":
                step.say(text(block.get("text")))
                if not inner and text(block.get("text")).strip():
                    self.draft.last_message, self.spoke = text(block.get("text")), True
            case "tool_use" | "server_tool_use":
                self._call(step, block)
                self.folders[text(block.get("id"))] = text(line.get("cwd"))
                self.spoke = self.spoke and inner

    def _call(self, step: DraftStep, block: Mapping[str, Any]) -> None:
        tool = text(block.get("name"))
        call = self.draft.call(step, text(block.get("id")), tool)
        given = mapping(block.get("input"))
        call.path = text(given.get("file_path") or given.get("notebook_path") or given.get("path"))
        command = (
            given.get("command") if call.kind == "shell" else given.get("content") if call.kind == "write" else None
        )
        call.text = text(command) if isinstance(command, str) else shown(dict(given))
        call.kind = "other" if call.kind == "python" else call.kind
        call.started = step.started

    def _user(self, line: Mapping[str, Any]) -> None:
        content = mapping(line.get("message")).get("content")
        results = [block for block in map(mapping, items(content)) if block.get("type") == "tool_result"]
        for block in results:
            self._came_back(block, line)
        if any(map(line.get, _INNER)):
            return
        words = joined(content)
        if not any(map(line.get, _OWN)) or words.startswith(_NOT_ASKED[0]):
            self.stop, self.spoke = "", False
        if not results and not any(map(line.get, _OWN)) and not self.draft.prompt:
            self.draft.prompt = _asked(words)

    def _came_back(self, block: Mapping[str, Any], line: Mapping[str, Any]) -> None:
        call = self.draft.calls.get(text(block.get("tool_use_id")))
        if call is None:
            self.draft.note("a result belongs to no call that the log shows")
            return
        raw = line.get("tool_use_result", line.get("toolUseResult"))
        output = _without_reminder(joined(block.get("content")))
        failed = block.get("is_error") is True or (isinstance(raw, str) and raw.startswith("Error:"))
        error, exit_code = _TOOL_ERROR.match(output), _EXIT.match(output)
        if error:
            output, failed = error.group(1), True
        if failed and exit_code is None and (error or _REFUSED.match(output)):
            call.kind = "other"  # it was never carried out
        call.answer(
            output, exit_code=int(exit_code.group(1)) if exit_code else _quiet_code(call, raw, failed), is_error=failed
        )
        call.is_error = call.is_error or mapping(raw).get("interrupted") is True
        call.ended = moment(line.get("timestamp"))
        self._behind(call, mapping(raw))

    def _behind(self, call: DraftCall, came: Mapping[str, Any]) -> None:
        """Commands in the background: what they gave back and how they ended is told where it is fetched."""
        if task := text(came.get("backgroundTaskId")):
            self.background[task] = call
        given = mapping(parsed(call.text)) if call.kind == "other" else {}
        begun = self.background.get(text(given.get("task_id") or given.get("bash_id") or given.get("shell_id")))
        if begun is not None:
            begun.answer_later(call)

    def _result(self, line: Mapping[str, Any]) -> None:
        self.ended = self.streamed = True
        draft = self.draft
        words = text(line.get("result"))
        words = words if words.strip() else shown(line.get("structured_output"))
        subtype, failed = text(line.get("subtype")), line.get("is_error") is True
        draft.last_message = words if words.strip() and not failed else draft.last_message
        self.spending.result(line)
        took = seconds(line.get("duration_ms"), per_second=1000)  # of one prompt, as a session may have several
        draft.seconds = took if draft.seconds is None else draft.seconds + (took or 0.0)
        if subtype in _LIMITS:
            draft.ending = LimitHit(which=_LIMITS[subtype])
        elif failed or subtype.startswith("error"):
            broken = subtype == "success" or line.get("api_error_status") is not None
            told = words or "; ".join(map(text, items(line.get("errors")))) or subtype
            draft.ending = Broke(fault=Fault.MODEL if broken else Fault.AGENT, detail=told[:300])
        else:
            draft.ending = Answered()

    def _place(self) -> None:
        """Where commands begin: of several of one message the first, for its lines are written before any is run."""
        for step in self.draft.steps:
            first = next((call for call in step.calls if call.kind == "shell"), None)
            if first is not None:
                first.path = first.path or self.folders.get(first.id, "")

    def finished(self, notes: list[str]) -> Trajectory:
        """The session as a trajectory."""
        draft = self.draft
        draft.model = self.models.most_common(1)[0][0] if self.models else draft.model
        if self.beside:
            draft.steps.sort(key=lambda step: step.started if step.started is not None else float("inf"))
        if len(set(filter(None, self.folders.values()))) > 1:  # else it never moved, or the log does not tell
            self._place()
        counted(self.spending, draft, streamed=self.streamed)
        if draft.ending is None:
            if not self.streamed and (self.stop in ("end_turn", "stop_sequence") or (self.spoke and not self.stop)):
                draft.ending = Answered()
            elif self.refused:
                draft.ending = Broke(fault=Fault.MODEL, detail=self.refused)
        return draft.finished(notes)


def _asked(words: str) -> str:
    """What the user asked, without what the program writes around it; nothing where it is the program's own."""
    opening, closing = _REMINDER
    bare = words.lstrip()
    while bare.startswith(opening) and closing in bare:
        bare = bare.partition(closing)[2].lstrip()
    if bare.startswith("<command-"):
        given = _ARGUMENTS.search(bare)
        return given.group(1).strip() if given else ""
    return "" if bare.startswith(_NOT_ASKED) else bare


def _without_reminder(output: str) -> str:
    """The output without what the harness tells the model behind it."""
    opening, closing = _REMINDER
    bare = output.rstrip()
    while bare.endswith(closing) and (start := bare.rfind(opening)) >= 0:
        output = bare = bare[:start].rstrip()
    return output


def _quiet_code(call: DraftCall, raw: object, failed: bool) -> int | None:
    """0 for a command that came back as it should: the tool tells of every other exit code."""
    came = mapping(raw)
    if (code := whole(mapping(came.get("task") or came).get("exitCode"))) is not None:
        return code
    ended = "stdout" in came and came.get("interrupted") is not True and not came.get("backgroundTaskId")
    return 0 if call.kind == "shell" and ended and not failed else None
