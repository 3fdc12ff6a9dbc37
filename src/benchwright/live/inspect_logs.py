"""Logs of `inspect eval` of others as attempts at a suite's tasks: what their samples tell, by the tasks' ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ModelUsage

from benchwright.errors import Fault, InputError
from benchwright.importers import Imported, Settings, import_logs
from benchwright.importers.atif.reading import trajectory_of
from benchwright.live.attempt import AttemptRecord
from benchwright.live.carrying import LIMITS
from benchwright.live.convert import run_of_logs
from benchwright.live.usage import total, usage_of
from benchwright.suite import Suite
from benchwright.trajectory import Answered, Broke, Ending, FinalAnswer, GaveUp, LimitHit, Trajectory

_SUFFIXES = (".eval", ".json")
_BEGINS = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:')
_HEAD = 400
_BLAMED = (("inspect_ai/model/", Fault.MODEL), ("inspect_ai/util/_sandbox", Fault.SANDBOX))
"""What stands in the traceback of an error that is not the agent's."""


class InspectLogs:
    """Reads logs of Inspect; a sample's id is the task's id."""

    name = "inspect"
    keeps_folder = False

    def find(self, folder: Path) -> Iterator[Path]:
        """The logs in a folder, those that are written as JSON among them."""
        below = sorted(path for suffix in _SUFFIXES for path in folder.rglob(f"*{suffix}") if not path.is_symlink())
        yield from (path for path in below if path.suffix != ".json" or _is_log(path))

    def parse(self, path: Path) -> tuple[Trajectory, ...]:
        """See `Importer.parse`."""
        log = _read(path)
        samples = sorted(log.samples or (), key=lambda sample: sample.epoch)
        return tuple(_trajectory(log, sample) for sample in samples)

    def handed_in(self, path: Path) -> Mapping[str, Path]:
        """A log keeps no files."""
        return {}


def import_inspect(logs: Sequence[Path], suite: Suite, out: Path, settings: Settings) -> Imported:
    """A run folder of logs of Inspect: ours with the files that were handed in and read, others as far as they tell."""
    files = [path for log in logs for path in (InspectLogs().find(log) if log.is_dir() else (log,))]
    if files and all(_is_ours(path) for path in files):
        folder = run_of_logs(files, out, suite)
        return Imported(folder, list(folder.attempts().values()))
    return import_logs(InspectLogs(), files, suite, out, settings)


def _is_log(path: Path) -> bool:
    """Whether a file of JSON begins as Inspect's logs do."""
    try:
        with path.open("rb") as stream:
            return _BEGINS.match(stream.read(_HEAD)) is not None
    except OSError:
        return False


def _is_ours(path: Path) -> bool:
    """Whether a log's samples hold attempts as we record them."""
    log = _read(path)
    metadata = log.eval.metadata or {}
    return "suite_digest" in metadata and any(AttemptRecord.of(sample.store).attempt for sample in log.samples or ())


def _read(path: Path) -> EvalLog:
    if path.suffix not in _SUFFIXES or not path.is_file():
        raise InputError(
            f"no log of Inspect: {path}", expected="a file that ends in .eval or .json, or a folder of them"
        )
    try:
        return read_eval_log(str(path))
    except (ValueError, KeyError, OSError, BadZipFile, EOFError, NotImplementedError) as error:
        found = f"{type(error).__name__}: {error}"[:300]
        raise InputError(f"{path} cannot be read as a log of Inspect", found=found) from error


def _trajectory(log: EvalLog, sample: EvalSample) -> Trajectory:
    harness = log.eval.solver or ",".join(step.solver for step in log.plan.steps) or "inspect"
    told = trajectory_of(
        {
            "session_id": str(sample.metadata.get("task_id", sample.id)),
            "agent": {"name": harness, "version": "", "model_name": str(log.eval.model)},
            "steps": list(_steps(sample.messages)),
        }
    )
    used = _used(sample)
    completion = sample.output.completion
    answer = FinalAnswer(text=completion, source="last_message") if completion.strip() else told.answer
    return told.model_copy(
        update={
            "answer": answer,
            "usage": total(used, 0),
            "models": {name: usage_of(spent) for name, spent in used.items()},
            "started": _moment(sample.started_at),
            "ended": _moment(sample.completed_at),
            "seconds": sample.total_time,
            "ending": _ending(sample, answered=answer is not None),
            "notes": (),
        }
    )


def _used(sample: EvalSample) -> dict[str, ModelUsage]:
    """What the sample's models took without what its scorers asked of them, which Inspect counts among it."""
    inside: set[str] = set()
    used = dict(sample.model_usage)
    for event in sample.events:
        if event.event == "span_begin":
            scores = event.type == "scorer" or event.name == "scorers"
            inside |= {event.id} if scores or event.parent_id in inside else set()
        elif event.event == "model" and event.span_id in inside and event.cache != "read":
            spent, asked = used.get(event.model), event.output.usage
            if spent is not None and asked is not None:
                used[event.model] = _without(spent, asked)
    return {
        name: spent for name, spent in used.items() if spent.total_tokens or not sample.model_usage[name].total_tokens
    }


def _without(used: ModelUsage, asked: ModelUsage) -> ModelUsage:
    counts = {name: count for name, count in used if isinstance(count, int)}
    return ModelUsage(**{name: max(0, count - (getattr(asked, name) or 0)) for name, count in counts.items()})


def _ending(sample: EvalSample, *, answered: bool) -> Ending:
    if sample.error is not None:
        trace = sample.error.traceback
        fault = next((fault for place, fault in _BLAMED if place in trace), Fault.AGENT)
        return Broke(fault=fault, detail=sample.error.message[:2000])
    if sample.limit is not None:
        return LimitHit(which=LIMITS.get(sample.limit.type, sample.limit.type))
    return Answered() if answered else GaveUp()


def _steps(messages: Iterable[ChatMessage]) -> Iterator[dict[str, Any]]:
    """The conversation as steps of an ATIF document, each reply with what its calls gave back."""
    listed = list(messages)
    results = {message.tool_call_id: message for message in listed if isinstance(message, ChatMessageTool)}
    for message in listed:
        if isinstance(message, ChatMessageAssistant):
            yield _reply(message, results)
        elif not isinstance(message, ChatMessageTool):
            yield {"source": message.role, "message": message.text}


def _reply(message: ChatMessageAssistant, results: Mapping[str | None, ChatMessageTool]) -> dict[str, Any]:
    calls = message.tool_calls or []
    came_back = [(call.id, results[call.id]) for call in calls if call.id in results]
    return {
        "source": "agent",
        "message": message.text,
        "model_name": message.model or "",
        "tool_calls": [
            {"tool_call_id": call.id, "function_name": call.function, "arguments": call.arguments} for call in calls
        ],
        "observation": {
            "results": [
                {
                    "source_call_id": identity,
                    "content": result.text or (result.error.message if result.error else ""),
                    "extra": {"is_error": result.error is not None},
                }
                for identity, result in came_back
            ]
        },
    }


def _moment(told: str | None) -> float | None:
    try:
        return datetime.fromisoformat(told).timestamp() if told else None
    except ValueError:
        return None
