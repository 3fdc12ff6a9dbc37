"""An ATIF document as a trajectory: ours come back as they were, those of other programs as far as they tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

from pydantic import ValidationError

from benchwright.importers.arguments import describe
from benchwright.importers.atif.names import INPUT, PATH_IN, TEXT_IN, ours
from benchwright.importers.base import Draft, DraftCall, DraftStep
from benchwright.importers.values import dollars, items, joined, mapping, moment, parsed, shown, text, tokens, whole
from benchwright.trajectory import Answered, Call, FinalAnswer, Step, Trajectory, Usage

_TEXTS = ("code", "query", "command", "content", INPUT)
_ANSWERS = ("answer", "final_answer", "message", "output", "result", "submission", "text")
_ENDS = frozenset(("mark_task_complete", "task_complete", "attempt_completion"))
"""Calls that hand nothing in, but say that the work is done."""
_CODE = re.compile(
    r"^\[?(?:process )?exit(?:ed with)?[ _]?code\]?:? (-?\d{1,5})\]?$"
    r"|^\[The command completed with exit code (-?\d{1,5})\.?\]|^<returncode>\s*(-?\d{1,5})\s*</returncode>",
    re.MULTILINE | re.IGNORECASE,
)
"""How converters write an exit code into what came back."""
_DEEPEST = 5
"""Sub-agents of sub-agents."""
_FAILED = "[error] tool reported failure"
_EXITS = ("exit_code", "returncode", "return_code")


def trajectory_of(document: Mapping[str, Any], notes: Iterable[str] = ()) -> Trajectory:
    """The trajectory that a document holds; never raises on what it holds."""
    agent = mapping(document.get("agent"))
    draft = Draft(text(agent.get("name")) or "atif", text(agent.get("version")), text(agent.get("model_name")))
    draft.session = text(document.get("session_id"))
    for step in map(mapping, items(document.get("steps"))):
        _take(draft, step)
    last, own = draft.last_message, len(draft.steps)
    _sub_agents(draft, document, _DEEPEST)
    draft.last_message = last
    metrics = mapping(document.get("final_metrics"))
    if metrics:
        draft.usage = _finer(_usage(metrics, "total_"), draft)
        draft.cost = dollars(metrics.get("total_cost_usd"))
    _costs(draft)
    _end(draft, draft.steps[:own])
    return _as_it_was(draft.finished(notes), document)


def _costs(draft: Draft) -> None:
    """What it cost by the steps' account, where each tells it; by our own prices it is told later."""
    costs = [None if turn.usage is None else turn.usage.cost_usd for turn in draft.steps]
    if draft.cost is None and costs and None not in costs:
        draft.cost = sum(cost or 0.0 for cost in costs)
    for turn in draft.steps:
        turn.usage = None if turn.usage is None else turn.usage.model_copy(update={"cost_usd": None})


def _sub_agents(draft: Draft, document: Mapping[str, Any], deepest: int) -> None:
    """The steps of sub-agents, which stand within the document: what they did, the attempt did."""
    for inside in map(mapping, items(document.get("subagent_trajectories")) if deepest else ()):
        for step in map(mapping, items(inside.get("steps"))):
            if step.get("source") == "agent":
                _take(draft, step)
        _sub_agents(draft, inside, deepest - 1)


def _take(draft: Draft, step: Mapping[str, Any]) -> None:
    draft.time(moment(step.get("timestamp")))
    if step.get("is_copied_context") is True:
        return
    words = joined(step.get("message"))
    if step.get("source") != "agent":
        if step.get("source") == "user" and not draft.prompt:
            draft.prompt = words
        return
    turn = draft.step()
    turn.say(words)
    turn.think(text(step.get("reasoning_content")))
    turn.model = text(step.get("model_name"))
    turn.started = moment(step.get("timestamp"))
    if isinstance(step.get("metrics"), dict):
        turn.usage = _usage(step["metrics"], "").model_copy(
            update={"cost_usd": dollars(step["metrics"].get("cost_usd"))}
        )
    elif step.get("llm_call_count") == 0:
        turn.usage = Usage(cost_usd=0.0)
    extra = mapping(step.get("extra"))
    told = [mapping(call) for call in items(step.get("tool_calls"))]
    calls = [_call(draft, turn, call) for call in told]
    named = {text(call.get("tool_call_id")): made for call, made in zip(told, calls, strict=True)}
    for place, result in enumerate(map(mapping, items(mapping(step.get("observation")).get("results")))):
        identity = text(result.get("source_call_id"))  # ids are those of this step: programs count anew in each
        call = named.get(identity) if identity else calls[place] if place < len(calls) else None
        if call is not None:
            _came_back(call, result)
    if len(calls) == 1 and extra.get("tool_result_is_error") is True:
        calls[0].is_error = True
    draft.last_message = words if words.strip() else draft.last_message


def _call(draft: Draft, turn: DraftStep, told: Mapping[str, Any]) -> DraftCall:
    call = draft.another_call(turn, text(told.get("tool_call_id")), text(told.get("function_name")))
    given = mapping(told.get("arguments"))
    describe(call, given)
    if "code" in given and call.kind == "other":
        call.kind = "python"
    if call.kind in ("shell", "python", "sql", "write") and call.text == shown(dict(given)):
        call.text = next((text(given[name]) for name in _TEXTS if isinstance(given.get(name), str)), call.text)
    if call.tool in _ENDS:
        call.kind, call.text = "submit", ""
    elif call.kind == "submit":
        told_as = next((name for name in _ANSWERS if name in given), None)
        call.text = shown(given[told_as]) if told_as else call.text if given else ""
    return call


def _came_back(call: DraftCall, result: Mapping[str, Any]) -> None:
    extra, words = mapping(result.get("extra")), joined(result.get("content"))
    code = _code_of(extra)
    if call.kind == "shell":
        words, code = _unwrapped(words, code)
    if code is None and call.kind == "shell":
        written = _CODE.search(words[:200]) or _CODE.search(words[-200:])
        code = next((int(number) for number in written.groups() if number), None) if written else None
    failed = extra.get("is_error") is True or words.rstrip().endswith(_FAILED)
    call.answer(words, exit_code=code, is_error=failed)


def _code_of(told: Mapping[str, Any]) -> int | None:
    every = (whole(inside.get(name)) for inside in (told, mapping(told.get("metadata"))) for name in _EXITS)
    return next((code for code in every if code is not None), None)


def _unwrapped(words: str, code: int | None) -> tuple[str, int | None]:
    """The output and the exit code of what came back as JSON, as some programs hand it on."""
    inside = mapping(parsed(words)) if words.startswith("{") else {}
    if "output" not in inside or (code is None and _code_of(inside) is None):
        return words, code
    return text(inside["output"]), _code_of(inside) if code is None else code


def _usage(told: Mapping[str, Any], prefix: str) -> Usage:
    prompt, read = tokens(told.get(f"{prefix}prompt_tokens")), tokens(told.get(f"{prefix}cached_tokens"))
    extra = mapping(told.get("extra"))
    write = tokens(_first(extra, prefix, "cache_creation_input_tokens", "cache_creation_tokens", "cache_write_tokens"))
    inside = mapping(extra.get("completion_tokens_details"))
    return Usage(
        input_tokens=max(0, prompt - read - write),
        output_tokens=tokens(told.get(f"{prefix}completion_tokens")),
        cache_read_tokens=read,
        cache_write_tokens=write,
        reasoning_tokens=tokens(
            _first(extra, prefix, "reasoning_tokens", "reasoning_output_tokens") or inside.get("reasoning_tokens")
        ),
    )


def _first(extra: Mapping[str, Any], prefix: str, *names: str) -> object:
    """The first of these that is told, with its prefix or without."""
    every = (name for bare in names for name in (f"{prefix}{bare}", bare))
    return next((extra[name] for name in every if extra.get(name) is not None), None)


def _finer(total: Usage, draft: Draft) -> Usage:
    """The sum over steps where it comes to the same total, for steps tell more classes apart than totals do."""
    steps = [step.usage for step in draft.steps if step.usage is not None]
    summed = reduce(Usage.plus, steps, Usage(cost_usd=0.0)).model_copy(update={"cost_usd": None})
    return summed if len(steps) == len(draft.steps) and _sizes(summed) == _sizes(total) else total


def _sizes(usage: Usage) -> tuple[int, int]:
    return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens, usage.output_tokens


def _end(draft: Draft, steps: list[DraftStep]) -> None:
    last = steps[-1] if steps else None
    submitted = [call for step in steps for call in step.calls if call.kind == "submit"]
    if submitted and submitted[-1].text.strip():
        draft.answer = FinalAnswer(text=submitted[-1].text, source="submission")
    if submitted or (last and last.texts and not last.calls):
        draft.ending = Answered()


def _as_it_was(found: Trajectory, document: Mapping[str, Any]) -> Trajectory:
    """What our own documents keep beside ATIF's fields, put back."""
    kept = ours(document.get("extra"))
    if kept is None:
        return found
    own = [step for step in map(mapping, items(document.get("steps"))) if step.get("source") == "agent"]
    steps = tuple(_step(step, told) for step, told in zip(found.steps, own, strict=False))
    about = {name: getattr(found, name) for name in ("prompt", "session", "model", "harness", "harness_version")}
    agent = {"harness": about["harness"], "harness_version": about["harness_version"]}
    named = {name: "" if value in ("unknown", "atif") else value for name, value in agent.items()}
    try:
        return Trajectory.model_validate({**kept, **about, **named, "steps": steps})
    except ValidationError:
        return found.model_copy(
            update={"notes": (*found.notes, "what Benchwright kept beside ATIF's fields is damaged")}
        )


def _step(found: Step, told: Mapping[str, Any]) -> Step:
    kept = ours(told.get("extra")) or {}
    calls = tuple(
        _call_as_it_was(call, written)
        for call, written in zip(found.calls, map(mapping, items(told.get("tool_calls"))), strict=False)
    )
    words = {"text": text(told.get("message")), "thought": text(told.get("reasoning_content"))}
    about = {"index": found.index, "model": found.model, "calls": calls}
    try:
        return Step.model_validate({**kept, **words, **about})
    except ValidationError:
        return found


def _call_as_it_was(found: Call, told: Mapping[str, Any]) -> Call:
    kept = ours(told.get("extra")) or {}
    given = mapping(told.get("arguments"))
    kind = kept.get("kind", "other")
    named = TEXT_IN.get(kind) or (INPUT if set(given) == {INPUT} else "")
    words = text(given.get(named)) if named else shown(dict(given)) if given else ""
    about = {"id": text(told.get("tool_call_id")), "text": words, "output": found.output}
    path = {PATH_IN: text(given.get(PATH_IN))} if PATH_IN not in kept and named in TEXT_IN.values() else {}
    try:
        return Call.model_validate({**path, **kept, **about})
    except ValidationError:
        return found
