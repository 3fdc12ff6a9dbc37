"""A trajectory as an ATIF document that keeps everything: reading it back gives the same steps, calls and usage."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from benchwright.importers.atif.names import OURS, arguments_of
from benchwright.trajectory import Call, Step, Trajectory, Usage

VERSION = "ATIF-v1.8"
_IN_DOCUMENT = {"steps", "prompt", "harness", "harness_version", "model", "session"}
_IN_STEP = {"index", "thought", "text", "calls", "model"}
_IN_CALL = {"id", "tool", "text", "output"}


def document_of(trajectory: Trajectory, identity: str) -> dict[str, Any]:
    """The document; `identity` names it among others."""
    steps = [{"source": "user", "message": trajectory.prompt}] if trajectory.prompt else []
    steps += [_step(step) for step in trajectory.steps]
    steps = steps or [{"source": "system", "message": "nothing is recorded"}]
    rest = {name: value for name, value in trajectory.to_json().items() if name not in _IN_DOCUMENT}
    agent = {"name": trajectory.harness or "unknown", "version": trajectory.harness_version or "unknown"}
    return {
        "schema_version": VERSION,
        **({"session_id": trajectory.session} if trajectory.session else {}),
        "trajectory_id": identity,
        "agent": {**agent, **({"model_name": trajectory.model} if trajectory.model else {})},
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, start=1)],
        "final_metrics": _final_metrics(trajectory),
        "extra": {OURS: rest},
    }


def _step(step: Step) -> dict[str, Any]:
    rest = {name: value for name, value in step.to_json().items() if name not in _IN_STEP}
    return {
        **({"timestamp": _written(step.started)} if step.started is not None else {}),
        "source": "agent",
        **({"model_name": step.model} if step.model else {}),
        "message": step.text,
        **({"reasoning_content": step.thought} if step.thought else {}),
        **({"tool_calls": [_tool_call(call) for call in step.calls]} if step.calls else {}),
        **({"observation": {"results": [_result(call) for call in step.calls]}} if step.calls else {}),
        **({"metrics": _metrics(step.usage)} if step.usage else {}),
        "extra": {OURS: rest},
    }


def _tool_call(call: Call) -> dict[str, Any]:
    rest = {name: value for name, value in call.to_json().items() if name not in _IN_CALL}
    return {
        "tool_call_id": call.id,
        "function_name": call.tool or "unknown",
        "arguments": arguments_of(call.kind, call.text, call.path),
        "extra": {OURS: {"tool": call.tool, **rest}},
    }


def _result(call: Call) -> dict[str, Any]:
    return {"source_call_id": call.id, "content": call.output}


def _metrics(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        "completion_tokens": usage.output_tokens,
        "cached_tokens": usage.cache_read_tokens,
        **({"cost_usd": usage.cost_usd} if usage.cost_usd is not None else {}),
    }


def _final_metrics(trajectory: Trajectory) -> dict[str, Any]:
    told = _metrics(trajectory.usage)
    cost = trajectory.usage.cost_usd if trajectory.usage.cost_usd is not None else trajectory.logged_cost_usd
    return {
        "total_prompt_tokens": told["prompt_tokens"],
        "total_completion_tokens": told["completion_tokens"],
        "total_cached_tokens": told["cached_tokens"],
        **({"total_cost_usd": cost} if cost is not None else {}),
        "total_steps": len(trajectory.steps),
    }


def _written(moment: float) -> str:
    try:
        return datetime.fromtimestamp(moment, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC).isoformat()
