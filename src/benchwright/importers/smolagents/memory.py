"""What a smolagents agent remembers: the steps of its memory, and the full result of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchwright.errors import Fault
from benchwright.importers.base import Draft, DraftStep
from benchwright.importers.values import (
    dollars,
    identity,
    items,
    joined,
    mapping,
    moment,
    openai_usage,
    parsed,
    seconds,
    shown,
    text,
    tokens,
)
from benchwright.trajectory import Answered, Broke, FinalAnswer, LimitHit, Trajectory, Usage

_HEADS = frozenset(("task", "system_prompt", "plan"))
_CODE = re.compile(r"(?:<code>|```(?:py|python)?)[ \t]*\n?(.*?)(?:</code>|```|<end_code>|$)", re.DOTALL)
_FINAL = re.compile(r"^\s*(?:Last output from code snippet:|Final answer:)\s*", re.IGNORECASE)


@dataclass(slots=True)
class Memory:
    """One run as it is read, step by step."""

    draft: Draft = field(default_factory=lambda: Draft("smolagents"))
    done: bool = False
    last_error: str = ""
    planned: DraftStep | None = None
    """A plan, which is part of the step behind it: the library counts no step for it."""

    def begins(self, step: Mapping[str, Any]) -> bool:
        """Whether a step begins another run: a task behind steps."""
        return "task" in step and not self.draft.empty

    def take(self, step: Mapping[str, Any]) -> None:
        """One step of the memory, whatever its kind."""
        timing = mapping(step.get("timing")) or step
        self.draft.time(moment(timing.get("start_time", timing.get("start"))))
        self.draft.time(moment(timing.get("end_time", timing.get("end"))))
        if isinstance(step.get("task"), str):
            self.draft.prompt = self.draft.prompt or text(step["task"])
        elif "plan" in step or "facts" in step:
            self._plan(step)
        elif "step_number" in step or "code_action" in step or "tool_calls" in step or "model_output" in step:
            self._action(step, timing)
        elif "output" in step or "final_answer" in step:
            self._final(step.get("output", step.get("final_answer")))

    def _plan(self, step: Mapping[str, Any]) -> None:
        turn = self.planned = self.planned or DraftStep()
        turn.think(text(step.get("facts")))
        turn.think(joined(step.get("plan")))
        turn.usage = _both(turn.usage, _usage(step))

    def _turn(self, step: Mapping[str, Any], error: str) -> DraftStep:
        """The turn of a step, with the plan before it; what is asked for at the limit belongs to the last one."""
        if "MaxSteps" in error and self.draft.steps and not items(step.get("tool_calls")):
            turn = self.draft.steps[-1]
        else:
            turn = self.draft.step()
        planned, self.planned = self.planned or DraftStep(), None
        for words in planned.thoughts:
            turn.think(words)
        turn.usage = _both(turn.usage, _both(planned.usage, _usage(step)))
        return turn

    def _action(self, step: Mapping[str, Any], timing: Mapping[str, Any]) -> None:
        error = step.get("error")
        self.last_error = text(mapping(error).get("type")) or text(error)
        turn, before = self._turn(step, self.last_error), len(self.draft.calls)
        turn.started = turn.started or moment(timing.get("start_time", timing.get("start")))
        message = mapping(step.get("model_output_message"))
        turn.say(joined(step.get("model_output")) or joined(message.get("content")))
        turn.think(text(message.get("reasoning_content")))
        raw = mapping(message.get("raw"))
        turn.model = text(raw.get("model"))
        self.draft.model = self.draft.model or turn.model
        self._calls(turn, step)
        output = joined(step.get("observations"))
        failure = text(mapping(error).get("message")) or text(error)
        for call in turn.calls[-1:] if len(self.draft.calls) > before else ():
            words = "\n".join(part for part in (output, failure) if part)
            call.answer(words, is_error=bool(error))
            call.ended = moment(timing.get("end_time", timing.get("end")))
        if step.get("is_final_answer") is True or (self._submits(turn) and not error):
            last = turn.calls[-1].text if self._submits(turn) and turn.calls[-1].kind == "submit" else None
            self._final(last if step.get("action_output") is None else step["action_output"])
        elif "MaxSteps" in self.last_error:
            self._final(step.get("action_output"))

    def _submits(self, turn: DraftStep) -> bool:
        """Whether the step hands in the answer, in versions that do not say so."""
        return any(call.kind == "submit" for call in turn.calls)

    def _calls(self, turn: DraftStep, step: Mapping[str, Any]) -> None:
        code = text(step.get("code_action"))
        for item in map(mapping, items(step.get("tool_calls"))):
            function = mapping(item.get("function")) or item
            tool = text(function.get("name"))
            call = self.draft.another_call(turn, text(item.get("id")), tool)
            given = parsed(function.get("arguments"))
            written = given if given is not None else function.get("arguments")
            call.text = code if call.kind == "python" and code else _written(written)
            call.path = text(mapping(written).get("path") or mapping(written).get("file_path"))
        if not items(step.get("tool_calls")) and not turn.calls and (code := code or _code_in(turn, step)):
            self.draft.call(turn, "", "python_interpreter").text = code

    def _final(self, value: object) -> None:
        self.done = True
        words = shown(value)
        if words.strip():
            self.draft.answer = FinalAnswer(text=_FINAL.sub("", words), source="submission")

    def result(self, record: Mapping[str, Any]) -> None:
        """What stands around the steps."""
        state = text(record.get("state"))
        if record.get("output") is not None:
            self._final(record.get("output"))
        if state == "success" or record.get("finished") is True:
            self.done, self.draft.ending = True, Answered()
        elif state == "max_steps_error":
            self.draft.ending = LimitHit(which="messages")
        self.draft.model = text(record.get("model") or record.get("model_id")) or self.draft.model
        timing = mapping(record.get("timing"))
        self.draft.time(moment(timing.get("start_time")))
        self.draft.time(moment(timing.get("end_time")))
        self.draft.seconds = seconds(timing.get("duration"))
        total = mapping(record.get("token_usage"))
        if total:
            self.draft.usage = _tokens(total)
        self.draft.cost = dollars(record.get("cost"))
        self.draft.session = identity(record.get("instance_id", record.get("task_id")))

    def finished(self, notes: list[str]) -> Trajectory:
        """The run as a trajectory."""
        draft = self.draft
        if self.planned is not None:  # nothing came behind it
            draft.steps.append(self.planned)
        if draft.ending is None:
            if "MaxSteps" in self.last_error:
                draft.ending = LimitHit(which="messages")
            elif self.done:
                draft.ending = Answered()
            elif self.last_error:
                fault = Fault.MODEL if "Generation" in self.last_error else Fault.AGENT
                draft.ending = Broke(fault=fault, detail=self.last_error[:300])
        return draft.finished(notes)


def _written(value: object) -> str:
    given = mapping(value)
    for name in ("code", "answer", "command"):
        if len(given) == 1 and isinstance(given.get(name), str):
            return text(given[name])
    return shown(value)


def _code_in(turn: DraftStep, step: Mapping[str, Any]) -> str:
    """The code of a step that was not parsed into a call, where something came back from it."""
    found = _CODE.search(turn.texts[0]) if turn.texts and step.get("observations") else None
    return found.group(1).strip() if found else ""


def _usage(step: Mapping[str, Any]) -> Usage | None:
    told = mapping(step.get("token_usage")) or mapping(mapping(step.get("model_output_message")).get("token_usage"))
    told = told or mapping(step.get("usage"))
    if not told:
        return None
    counted = _tokens(told)
    raw = openai_usage(mapping(mapping(step.get("model_output_message")).get("raw")).get("usage"))
    read = raw.cache_read_tokens + raw.cache_write_tokens if raw else 0
    same = raw and (raw.input_tokens + read, raw.output_tokens) == (counted.input_tokens, counted.output_tokens)
    return raw if same else counted


def _both(first: Usage | None, second: Usage | None) -> Usage | None:
    return first.plus(second) if first and second else first or second


def _tokens(told: Mapping[str, Any]) -> Usage:
    return Usage(
        input_tokens=tokens(told.get("input_tokens", told.get("prompt_tokens"))),
        output_tokens=tokens(told.get("output_tokens", told.get("completion_tokens"))),
    )
