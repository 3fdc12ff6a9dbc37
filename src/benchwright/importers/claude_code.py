"""Claude Code: what `--output-format stream-json` prints, and the session files of its projects folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchwright.errors import Fault
from benchwright.importers.base import Draft, DraftCall, DraftStep
from benchwright.importers.log_file import LogFile
from benchwright.importers.values import (
    anthropic_usage,
    dollars,
    items,
    joined,
    mapping,
    moment,
    seconds,
    shown,
    text,
    tokens,
    whole,
)
from benchwright.trajectory import Answered, Broke, LimitHit, Trajectory, Usage

_REMINDER = ("<system-reminder>", "</system-reminder>")
_EXIT = re.compile(r"^(?:Error: )?Exit code (\d{1,3})(?:\n|$)")
_TOOL_ERROR = re.compile(r"^<tool_use_error>(.*?)(?:</tool_use_error>)?$", re.DOTALL)
_REFUSED = re.compile(
    r"Claude requested permissions|Permission to use|The user doesn't want to"
    r"|This (?:Bash )?command (?:requires|contains)"
)
_BROKEN_OFF = re.compile(r"API Error|\[Request interrupted")
_LIMITS = {"error_max_turns": "messages", "error_max_budget_usd": "cost"}


class ClaudeCode:
    """Reads Claude Code's logs."""

    name = "claude_code"
    keeps_folder = True

    def parse(self, path: Path) -> tuple[Trajectory, ...]:
        """See `Importer.parse`."""
        log = LogFile(path)
        sessions: list[_Session] = [_Session()]
        for value in log.values():
            line = mapping(value)
            if _begins(line, sessions[-1]):
                sessions.append(_Session())
            sessions[-1].take(line)
        found = [session for session in sessions if not session.draft.empty or session.ended]
        return tuple(session.finished(log.notes) for session in found)


def _begins(line: Mapping[str, Any], before: _Session) -> bool:
    """Whether a line begins another session: one more `init`, of another id or behind a result."""
    if line.get("type") != "system" or line.get("subtype") != "init":
        return False
    session = text(line.get("session_id"))
    return before.draft.session not in ("", session) or (before.ended and not session)


@dataclass(slots=True)
class _Session:
    """One session as it is read, line by line."""

    draft: Draft = field(default_factory=lambda: Draft("claude_code"))
    ended: bool = False
    streamed: bool = False
    usage: dict[str, Usage] = field(default_factory=dict)
    models: Counter[str] = field(default_factory=Counter)
    model_of: dict[str, str] = field(default_factory=dict)
    stop: str = ""
    refused: str = ""
    results: int = 0
    seen: set[str] = field(default_factory=set)

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
            case "result":
                self._result(line)

    def _about(self, line: Mapping[str, Any]) -> None:
        draft = self.draft
        draft.version = draft.version or text(line.get("version") or line.get("claude_code_version"))
        draft.cwd = draft.cwd or text(line.get("cwd"))
        draft.session = draft.session or text(line.get("session_id") or line.get("sessionId"))
        if (cost := dollars(line.get("costUSD"))) is not None and line.get("type") == "assistant":
            draft.cost = (draft.cost or 0.0) + cost

    def _init(self, line: Mapping[str, Any]) -> None:
        if line.get("subtype") == "init":
            self.streamed = True
            self.draft.model = text(line.get("model"))

    def _assistant(self, line: Mapping[str, Any]) -> None:
        message = mapping(line.get("message"))
        parent = text(line.get("parent_tool_use_id"))
        key = text(message.get("id")) or text(line.get("uuid"))
        step = self.draft.step(f"{parent}/{key}" if key else "")
        step.started = step.started if step.started is not None else moment(line.get("timestamp"))
        self._count(step, key, message)
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else items(content)
        synthetic = text(message.get("model")) == "<synthetic>"  # the program's own words: of an error, an interruption
        failed = line.get("isApiErrorMessage") is True
        inner = bool(parent) or line.get("isSidechain") is True or synthetic or failed
        for block in map(mapping, blocks):
            self._block(step, block, inner=inner)
        self.refused = joined(content)[:300] if failed else ""
        if not synthetic:
            self.stop = text(message.get("stop_reason")) or self.stop
        elif failed or _BROKEN_OFF.match(joined(content)):
            self.stop = ""

    def _count(self, step: DraftStep, key: str, message: Mapping[str, Any]) -> None:
        model = text(message.get("model"))
        if model and model != "<synthetic>":
            step.model = model
            self.models[model] += 1
            self.model_of[key] = model
        told = message.get("usage")
        if isinstance(told, dict) and model != "<synthetic>":
            self.usage[key] = _most(self.usage.get(key, Usage()), anthropic_usage(told))
            step.usage = self.usage[key]

    def _block(self, step: DraftStep, block: Mapping[str, Any], *, inner: bool) -> None:
        match block.get("type"):
            case "thinking":
                step.think(text(block.get("thinking")))
            case "text":
                step.say(text(block.get("text")))
                if not inner and text(block.get("text")).strip():
                    self.draft.last_message = text(block.get("text"))
            case "tool_use" | "server_tool_use":
                self._call(step, block)

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
        message = mapping(line.get("message"))
        content = message.get("content")
        results = [block for block in map(mapping, items(content)) if block.get("type") == "tool_result"]
        for block in results:
            self._came_back(block, line)
        inner = bool(line.get("parent_tool_use_id")) or line.get("isSidechain") is True or bool(line.get("isMeta"))
        if not results and not inner and not self.draft.prompt:
            self.draft.prompt = joined(content)

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

    def _result(self, line: Mapping[str, Any]) -> None:
        self.ended = self.streamed = True
        draft = self.draft
        words = text(line.get("result"))
        subtype, failed = text(line.get("subtype")), line.get("is_error") is True
        draft.last_message = words if words.strip() and not failed else draft.last_message
        cost = dollars(line.get("total_cost_usd", line.get("cost_usd")))
        draft.cost = cost if cost is not None else draft.cost
        draft.models = {text(name): _usage_of_model(told) for name, told in mapping(line.get("modelUsage")).items()}
        self.results += 1
        self._total(line)
        draft.seconds = seconds(line.get("duration_ms"), per_second=1000)
        if subtype in _LIMITS:
            draft.ending = LimitHit(which=_LIMITS[subtype])
        elif failed or subtype.startswith("error"):
            broken = subtype == "success" or line.get("api_error_status") is not None
            draft.ending = Broke(fault=Fault.MODEL if broken else Fault.AGENT, detail=(words or subtype)[:300])
        else:
            draft.ending = Answered()

    def _total(self, line: Mapping[str, Any]) -> None:
        """The session's tokens: by model where several served, or where more than one result is told: `usage` is of the
        last prompt alone, and of no model but the first.
        """
        draft, billed = self.draft, Usage()
        for told in draft.models.values():
            billed = billed.plus(told)
        if isinstance(line.get("usage"), dict) and (self.results == 1 or draft.models):
            draft.usage = anthropic_usage(line["usage"])
        if draft.models and (len(draft.models) > 1 or self.results > 1 or draft.usage in (None, Usage())):
            draft.usage = billed

    def finished(self, notes: list[str]) -> Trajectory:
        """The session as a trajectory. Snapshots in a stream are no count: without a result, tokens are too few."""
        draft = self.draft
        draft.model = self.models.most_common(1)[0][0] if self.models else draft.model
        for step in draft.steps if self.streamed else ():
            step.usage = None
        if draft.usage is None:
            self._sum()
        if draft.ending is None:
            if not self.streamed and self.stop in ("end_turn", "stop_sequence"):
                draft.ending = Answered()
            elif self.refused:
                draft.ending = Broke(fault=Fault.MODEL, detail=self.refused)
        return draft.finished(notes)

    def _sum(self) -> None:
        total, by_model = Usage(), dict[str, Usage]()
        for key, told in self.usage.items():
            total = total.plus(told)
            model = self.model_of.get(key, self.draft.model)
            by_model[model] = by_model.get(model, Usage()).plus(told)
        unsure = (
            sum(bool(step.calls or step.texts) for step in self.draft.steps) if self.streamed or not self.usage else 0
        )
        self.draft.usage = total.model_copy(update={"uncounted_calls": unsure})
        self.draft.models = by_model if not unsure else {}


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
    if (code := whole(came.get("exitCode"))) is not None:
        return code
    ended = "stdout" in came and came.get("interrupted") is not True and not came.get("backgroundTaskId")
    return 0 if call.kind == "shell" and ended and not failed else None


def _usage_of_model(value: object) -> Usage:
    told = mapping(value)
    return Usage(
        input_tokens=tokens(told.get("inputTokens")),
        output_tokens=tokens(told.get("outputTokens")),
        cache_read_tokens=tokens(told.get("cacheReadInputTokens")),
        cache_write_tokens=tokens(told.get("cacheCreationInputTokens")),
    )


def _most(first: Usage, second: Usage) -> Usage:
    """The larger of each: the lines of one message repeat a count that grows."""
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    return Usage(**{name: max(getattr(first, name), getattr(second, name)) for name in names})
