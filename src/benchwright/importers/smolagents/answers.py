"""Records of answers as smolagents' own benchmark scripts write them, with what was done as messages or as text."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from benchwright.errors import Fault
from benchwright.importers.base import Draft, DraftStep
from benchwright.importers.values import identity, items, joined, mapping, moment, shown, text, tokens
from benchwright.trajectory import Answered, Broke, FinalAnswer, LimitHit, Usage

_CALLS = "Calling tools:"
_CAME = "Observation:"
_FAILED = ("Error:", "Call id:")
_LONGEST = 1 << 20


def is_answer(record: Mapping[str, Any]) -> bool:
    """Whether a record is one of these."""
    return "intermediate_steps" in record and ("answer" in record or "prediction" in record)


def answer_of(record: Mapping[str, Any]) -> Draft:
    """The run that a record tells of."""
    draft = Draft("smolagents", model=text(record.get("model_id")))
    draft.session = identity(record.get("task_id"))
    draft.prompt = text(record.get("question")) or text(record.get("augmented_question"))
    draft.time(moment(record.get("start_time")))
    draft.time(moment(record.get("end_time")))
    counted = mapping(record.get("token_counts"))
    if counted:
        given, made = (counted.get(name, counted.get(f"{name}_tokens")) for name in ("input", "output"))
        draft.usage = Usage(input_tokens=tokens(given), output_tokens=tokens(made))
    for message in map(mapping, items(record.get("intermediate_steps"))):
        _message(draft, text(message.get("role")), joined(message.get("content")))
    if not draft.steps:
        draft.note("what was done is not kept in a form that can be read")
    _end(draft, record)
    return draft


def _message(draft: Draft, role: str, words: str) -> None:
    step = draft.steps[-1] if draft.steps else None
    if role == "assistant":
        draft.step().say(words)
    elif role == "tool-call" and step is not None and words.startswith(_CALLS):
        _calls(draft, step, words.removeprefix(_CALLS).strip())
    elif role == "tool-response" and step is not None and step.calls:
        call = step.calls[-1]
        output = "\n".join(part for part in (call.output, words.removeprefix(_CAME).strip("\n")) if part)
        call.answer(output, is_error=words.lstrip().startswith(_FAILED) or call.is_error)


def _calls(draft: Draft, step: DraftStep, written: str) -> None:
    try:
        told = ast.literal_eval(written) if len(written) <= _LONGEST else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        told = None
    for item in map(mapping, items(told)):
        function = mapping(item.get("function"))
        call = draft.another_call(step, text(item.get("id")), text(function.get("name")))
        given = function.get("arguments")
        inside = mapping(given)
        call.text = text(inside["code"]) if isinstance(inside.get("code"), str) else shown(given)
        call.path = text(inside.get("path") or inside.get("file_path"))


def _end(draft: Draft, record: Mapping[str, Any]) -> None:
    words = shown(record.get("answer", record.get("prediction")))
    if words.strip():
        draft.answer = FinalAnswer(text=words, source="submission")
    error = text(record.get("agent_error"))
    if record.get("iteration_limit_exceeded") is True:
        draft.ending = LimitHit(which="messages")
    elif error and error != "None":
        draft.ending = Broke(fault=Fault.MODEL if "Generation" in error else Fault.AGENT, detail=error[:300])
    else:
        draft.ending = Answered()
