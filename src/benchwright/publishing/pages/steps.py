"""Steps of a transcript and files that were read, as pages show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.gold import Gold
from benchwright.publishing.pages.attempt import CallShown, FileShown, FilesShown, StepShown
from benchwright.publishing.pages.words import excerpt, line
from benchwright.score import Score, Scored
from benchwright.trajectory import Accesses, Call, Estimated, FileAccess, Measured, NotMeasured, Step

MOST_STEPS = 300
_THOUGHT, _CODE, _OUTPUT = 6_000, 12_000, 8_000
_CALLS, _FILES, _IN_STEP = 40, 400, 12
_TOTAL, _LEAST = 2_000_000, 300
"""Characters of all texts together, and of each text where there are so many."""


def steps_shown(steps: Sequence[Step], accesses: Accesses, began: float | None) -> tuple[StepShown, ...]:
    """The first steps; `began` is seconds since the epoch."""
    read: dict[int, list[str]] = {}
    if not isinstance(accesses, NotMeasured):
        for access in accesses.files:
            if access.step is not None:
                read.setdefault(access.step, []).append(line(access.path))
    shown = steps[:MOST_STEPS]
    most = max(_LEAST, _TOTAL // max(1, sum(2 + 2 * min(len(step.calls), _CALLS) for step in shown)))
    return tuple(_step(step, began, read, most) for step in shown)


def _step(step: Step, began: float | None, read: Mapping[int, Sequence[str]], most: int) -> StepShown:
    started = step.started if step.started is not None else (step.calls[0].started if step.calls else None)
    return StepShown(
        index=step.index,
        thought=excerpt(step.thought, min(most, _THOUGHT)),
        text=excerpt(step.text, min(most, _THOUGHT)),
        calls=tuple(_call(call, most) for call in step.calls[:_CALLS]),
        usage=step.usage,
        at=None if started is None or began is None else max(0.0, started - began),
        failed=any(_failed(call) for call in step.calls),
        files=tuple(read.get(step.index, ()))[:_IN_STEP],
    )


def _call(call: Call, most: int) -> CallShown:
    timed = call.started is not None and call.ended is not None
    return CallShown(
        tool=line(call.tool, 80),
        kind=call.kind,
        path=line(call.path),
        text=excerpt(call.text, min(most, _CODE)),
        output=excerpt(call.output, min(most, _OUTPUT)),
        exit_code=call.exit_code,
        failed=_failed(call),
        truncated=call.truncated,
        seconds=max(0.0, (call.ended or 0.0) - (call.started or 0.0)) if timed else None,
    )


def _failed(call: Call) -> bool:
    return call.is_error or bool(call.exit_code)


def files_shown(accesses: Accesses, gold: Gold | None, discovery: Score | None) -> FilesShown:
    """The files that were read; with a gold and the verdict on discovery, which were required and which were missed."""
    missing = _missing(discovery)
    if isinstance(accesses, NotMeasured):
        return FilesShown("not measured", line(accesses.reason), missing=missing)
    wanted = _wanted(gold)
    files = sorted(accesses.files, key=lambda access: (access.step is None, access.step or 0, access.path))
    return FilesShown(
        basis=f"measured by {accesses.tracer}"
        if isinstance(accesses, Measured)
        else "estimated from the log's commands",
        note=_doubt(accesses),
        files=tuple(_file(access, wanted) for access in files[:_FILES]),
        missing=missing,
        left_out=max(0, len(files) - _FILES),
    )


def _doubt(accesses: Measured | Estimated) -> str:
    if isinstance(accesses, Measured):
        return "nearly everything was opened: that says nothing of a search" if accesses.swept else ""
    return f"{accesses.unresolved} reads name no file" if accesses.unresolved else ""


def _missing(discovery: Score | None) -> tuple[str, ...] | None:
    if not isinstance(discovery, Scored):
        return None
    return tuple(line(path) for path in discovery.details.get("missing") or ())


def _wanted(gold: Gold | None) -> frozenset[str] | None:
    """The paths that required files may have; None where they may not be shown, or are not known."""
    if gold is None or not gold.discovery_known:
        return None
    return frozenset(path for file in gold.required_files for path in (file.matches or (file.path,)))


def _file(access: FileAccess, wanted: frozenset[str] | None) -> FileShown:
    return FileShown(
        path=line(access.path),
        room=access.room,
        step=access.step,
        certain=access.certain,
        bytes=access.bytes_read,
        required=None if wanted is None else access.path in wanted or access.path.rpartition("/")[2] in wanted,
    )
