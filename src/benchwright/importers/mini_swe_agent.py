"""mini-SWE-agent: trajectory files of versions 1 (a command in a code block) and 2 (tool calls)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchwright.errors import Fault
from benchwright.importers.base import Draft, DraftCall, DraftStep
from benchwright.importers.log_file import LogFile
from benchwright.importers.values import (
    dollars,
    identity,
    items,
    joined,
    mapping,
    moment,
    openai_usage,
    parsed,
    shown,
    text,
    whole,
)
from benchwright.trajectory import Answered, Broke, FinalAnswer, GaveUp, LimitHit, Trajectory

_BLOCK = re.compile(r"```(?:bash|mswea_bash_command|sh|shell)[ \t]*\n(.*?)\n?```", re.DOTALL)
_CODE = re.compile(r"<returncode>\s*(-?\d{1,5})\s*</returncode>")
_OF_THE_SERVER = re.compile(
    r"[A-Za-z]*(?:Authentication|PermissionDenied|RateLimit|ServiceUnavailable|InternalServer|BadGateway|Overloaded"
    r"|BudgetExceeded)Error|(?:OpenRouter|Requesty|Portkey)?API\w*Error|(?:NotFound|Connection|Connect|HTTP)Error"
    r"|(?:API|Connect|Read)?Timeout(?:Error)?|RemoteDisconnected"
)
"""The errors of LiteLLM and other clients by which the model's server did not serve: attempts end with their names."""
_RAISED = re.compile(r"\b(?:litellm|openai|anthropic|httpx|requests|portkey_ai)\.(?:\w+\.)*([A-Z]\w*)")
"""An error of a client in the text of another, or in its traceback."""
_TIMED_OUT = re.compile(r"\A.{0,300}timed out|^The last command .*?timed out and has been killed", re.DOTALL)
_MARKS = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")


class MiniSweAgent:
    """Reads mini-SWE-agent's trajectory files."""

    name = "mini_swe_agent"
    keeps_folder = False

    def parse(self, path: Path) -> tuple[Trajectory, ...]:
        """See `Importer.parse`."""
        log = LogFile(path)
        found = []
        for record in _records(log.values()):
            run = _Run(record)
            run.read()
            if not run.draft.empty or "info" in record:
                found.append(run.draft.finished(log.notes))
        return tuple(found)


def _records(values: Iterator[Any]) -> Iterator[Mapping[str, Any]]:
    """Each trajectory; a bare list of messages is one as well."""
    messages: list[Any] = []
    for value in values:
        record = mapping(value)
        if isinstance(record.get("messages"), list) or "info" in record:
            yield record
        elif "role" in record or record.get("type") == "function_call_output" or record.get("object") == "response":
            messages.append(record)
    if messages:
        yield {"messages": messages}


@dataclass(slots=True)
class _Run:
    record: Mapping[str, Any]
    draft: Draft = field(default_factory=lambda: Draft("mini_swe_agent"))
    waiting: list[DraftCall] = field(default_factory=list)
    asked: int = 0
    """How often the model was asked, replies among them that could not be read and are not kept."""

    def read(self) -> None:
        """The whole record."""
        self._about()
        spent: list[float | None] = []
        for message in map(mapping, items(self.record.get("messages"))):
            extra = mapping(message.get("extra"))
            self.draft.time(moment(extra.get("timestamp", message.get("timestamp"))))
            role = text(message.get("role"))
            if role == "assistant" or message.get("object") == "response":
                spent.append(dollars(extra.get("cost")))
            if message.get("object") == "response":
                self._response(message)
            elif role == "assistant":
                self._assistant(message, extra)
            elif role == "user" and not self.draft.prompt and not self.draft.steps:
                self.draft.prompt = joined(message.get("content"))
            elif role in ("user", "tool") or message.get("type") == "function_call_output":
                self._came_back(message, extra)
            elif role == "exit":
                self._exit(extra)
        info = mapping(self.record.get("info"))
        self._exit(info)
        self._end()
        if self.draft.cost is None and None not in spent:
            self.draft.cost = sum(cost or 0.0 for cost in spent) or None
        unkept = self.asked - len(self.draft.steps)
        if unkept > 0:
            self.draft.note(f"{unkept} replies of the model are not kept, nor their tokens")
            self.draft.lost += unkept

    def _about(self) -> None:
        info = mapping(self.record.get("info"))
        config = mapping(info.get("config"))
        self.draft.version = text(info.get("mini_version"))
        self.draft.session = identity(self.record.get("instance_id"))
        self.draft.model = text(mapping(config.get("model")).get("model_name"))
        self.draft.cwd = text(mapping(config.get("environment")).get("cwd"))
        spent = mapping(info.get("model_stats"))
        self.draft.cost = dollars(spent.get("instance_cost"))
        self.asked = whole(spent.get("api_calls")) or 0
        if self.asked:
            self.draft.cost = self.draft.cost or None  # what it knows no price of costs nothing, by its account

    def _assistant(self, message: Mapping[str, Any], extra: Mapping[str, Any]) -> None:
        step = self.draft.step()
        step.started = moment(extra.get("timestamp", message.get("timestamp")))
        response = mapping(extra.get("response"))
        step.usage = openai_usage(response.get("usage"))
        step.model = text(response.get("model"))
        words = joined(message.get("content"))
        step.think(text(message.get("reasoning_content")))
        step.say(words)
        self.waiting = []
        told = items(message.get("tool_calls"))
        for item in map(mapping, told):
            function = mapping(item.get("function"))
            self._call(step, text(item.get("id")), text(function.get("name")), parsed(function.get("arguments")))
        for action in () if told else items(extra.get("actions")) or _written(words):
            given = {"command": action} if isinstance(action, str) else mapping(action)
            self._call(step, text(given.get("tool_call_id")), "bash", given)

    def _response(self, message: Mapping[str, Any]) -> None:
        """A reply of OpenAI's responses interface, kept as it came."""
        step = self.draft.step()
        step.usage = openai_usage(message.get("usage"))
        step.model = text(message.get("model"))
        self.waiting = []
        for item in map(mapping, items(message.get("output"))):
            if item.get("type") == "function_call":
                self._call(step, text(item.get("call_id")), text(item.get("name")), parsed(item.get("arguments")))
            elif item.get("type") == "reasoning":
                step.think(joined(item.get("summary")))
            else:
                step.say(joined(item.get("content")))

    def _call(self, step: DraftStep, identity: str, tool: str, given: object) -> None:
        told = mapping(given)
        call = self.draft.another_call(step, identity, tool or "bash")
        command = told.get("command")
        call.text = text(command) if isinstance(command, str) else shown(given)
        call.kind = "shell" if isinstance(command, str) else "other"
        call.started = step.started
        self.waiting.append(call)

    def _came_back(self, message: Mapping[str, Any], extra: Mapping[str, Any]) -> None:
        identity = text(message.get("tool_call_id") or message.get("call_id"))
        call = next((call for call in self.waiting if call.id == identity), None) if identity else None
        if call is None and self.waiting:
            call = next((waiting for waiting in self.waiting if not waiting.output), self.waiting[-1])
        words = joined(message.get("content")) or joined(message.get("output"))
        if call is None:
            self.draft.note("a message to the agent answers no command")
            return
        code, output = _CODE.search(words), _between(words, "<output>", "</output>")
        told = whole(extra.get("returncode"))
        raw = extra.get("raw_output", extra.get("output"))
        call.answer(
            text(raw) if isinstance(raw, str) else words if output is None else output,
            exit_code=told if told is not None else int(code.group(1)) if code else None,
            is_error=bool(extra.get("exception_info")) or _TIMED_OUT.search(words) is not None,
        )
        call.ended = moment(extra.get("timestamp", message.get("timestamp")))

    def _exit(self, told: Mapping[str, Any]) -> None:
        """How it ended. Of an error, version 1 keeps the words where an answer would stand."""
        status, submission = text(told.get("exit_status")), text(told.get("submission"))
        draft = self.draft
        if not status:
            return
        if status.lower() == "submitted":
            draft.ending = Answered()
            if submission.strip():
                draft.answer = FinalAnswer(text=submission, source="submission")
        elif status in ("LimitsExceeded", "limits_exceeded"):
            config = mapping(mapping(mapping(self.record.get("info")).get("config")).get("agent"))
            limit = dollars(config.get("cost_limit"))
            spent = draft.cost is not None and bool(limit) and draft.cost >= (limit or 0)
            draft.ending = LimitHit(which="cost" if spent else "messages")
        elif status == "TimeExceeded":
            draft.ending = LimitHit(which="wall")
        elif status == "UserInterruption":
            draft.ending = GaveUp(detail=status)
        elif not isinstance(draft.ending, Broke):
            words = "\n".join(text(told.get(name)) for name in ("exception_str", "traceback", "submission"))
            detail = f"{status}: {text(told.get('exception_str')) or submission}".removesuffix(": ")
            draft.ending = Broke(fault=_fault(status, words), detail=detail[:300])

    def _end(self) -> None:
        """A submission that only the last output shows."""
        draft = self.draft
        last = next((call for step in reversed(draft.steps) for call in reversed(step.calls)), None)
        lines = last.output.lstrip().split("\n", 1) if last else [""]
        if draft.answer is None and lines[0].strip() in _MARKS:
            rest = lines[1] if len(lines) > 1 else ""
            draft.ending = draft.ending or Answered()
            if rest.strip():
                draft.answer = FinalAnswer(text=rest, source="submission")


def _fault(status: str, words: str) -> Fault:
    """Whose fault an error is: by its name, or by that of the error of a client that its words tell of."""
    names = [status.rsplit(".", 1)[-1], *_RAISED.findall(words[-20_000:])]
    return Fault.MODEL if any(_OF_THE_SERVER.fullmatch(name) for name in names) else Fault.AGENT


def _written(words: str) -> list[str]:
    """The command of a reply: it has to be the only one."""
    tagged = _between(words, "<mswea_bash_command>", "</mswea_bash_command>")
    found = [*_BLOCK.findall(words), *([] if tagged is None else [tagged])]
    return found if len(found) == 1 else []


def _between(words: str, opening: str, closing: str) -> str | None:
    """What stands between the first opening and the last closing mark, without the line ends that touch them."""
    start, end = words.find(opening), words.rfind(closing)
    if start < 0 or end < start + len(opening):
        return None
    return words[start + len(opening) : end].removeprefix("\n").removesuffix("\n")
