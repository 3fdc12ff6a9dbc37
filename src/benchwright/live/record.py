"""The end of an attempt: what it handed in and what it read are taken out of the sandbox, and the sandbox is gone."""

from __future__ import annotations

import functools
import os
import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from inspect_ai.solver import TaskState

from benchwright.errors import Broken, Fault
from benchwright.files import home
from benchwright.live.attempt import AttemptRecord, Live
from benchwright.live.machine import in_thread, isolation_record
from benchwright.live.paying import pay
from benchwright.live.session import current
from benchwright.run import Artifact, Artifacts, Attempt
from benchwright.run.secrecy import cleared, cleared_values
from benchwright.sandbox.base import OutputsTooLarge, Spent
from benchwright.trajectory import (
    Accesses,
    Broke,
    Ending,
    FinalAnswer,
    LimitHit,
    NotMeasured,
    Trajectory,
    Usage,
)

_LONGEST_ANSWER = 1_000_000
"""Bytes of a written answer that are read."""


@dataclass(slots=True)
class Course:
    """How an attempt goes: when it began, and the error text it left."""

    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))
    clock: float = field(default_factory=time.monotonic)
    error: str = ""

    def seconds(self) -> float:
        """Since it began."""
        return round(time.monotonic() - self.clock, 3)


async def record(here: Live, state: TaskState, ending: Ending, course: Course) -> None:
    """Collect, end the sandbox, and write the attempt into the store; never raises on what an agent left there."""
    seconds = course.seconds()
    _pay_the_rest(here)
    folder = artifacts_folder()
    ending, files, accesses = await in_thread(_take_out, here, ending, Artifacts(folder))
    logs = await in_thread(_keep_logs, here, Artifacts(folder)) if here.logs else {}
    trajectory = _trajectory(here, state, ending, accesses)
    await in_thread(_keep_transcript, state.uuid, trajectory)
    attempt = Attempt(
        cell="",
        task_id=here.task.id,
        epoch=epoch_of(state),
        ending=ending,
        answer=here.answer,
        files=files,
        logs=logs,
        accesses=accesses,
        steps=here.steps,
        successful_steps=trajectory.successful_steps if here.told or _all_seen(here) else None,
        started=course.started,
        wall_seconds=seconds,
        isolation=isolation_record(here.machine.isolation()),
        model=state.output.model if state.output.choices else "",
        error=course.error,
        usage=Usage(uncounted_calls=here.uncounted),
    )
    AttemptRecord(cleared_values(attempt.to_json()), str(folder)).keep(state.store)


def _trajectory(here: Live, state: TaskState, ending: Ending, accesses: Accesses) -> Trajectory:
    """The attempt step by step: what we saw, or what an agent tells that runs things by itself.

    Of the latter, the tokens of single steps are those that it tells; their sum is what was counted. Where it was
    cut off before it told of any, they are what its model said and asked for.
    """
    steps = here.made.made(as_asked=here.unseen)
    used = [step.usage for step in steps if step.usage is not None]
    counted = functools.reduce(Usage.plus, used) if used else Usage()
    if here.told is not None and here.told.steps:
        return here.told.model_copy(update={"accesses": accesses, "ending": ending, "usage": counted})
    return Trajectory(
        steps=steps,
        usage=counted,
        accesses=accesses,
        model=state.output.model if state.output.choices else "",
        prompt=state.input_text,
        cwd="/workspace",
        answer=None if here.answer is None else FinalAnswer(text=here.answer, source="submission"),
        ending=ending,
    )


def _all_seen(here: Live) -> bool:
    """Whether we saw what was run in each step, and how it went."""
    return here.made.counted and not here.unseen


def _pay_the_rest(here: Live) -> None:
    """Write down the calls that Inspect told nothing of: it ends an attempt that has no tokens left before it tells."""
    session = current()
    while here.unpaid:
        model, used = here.unpaid.pop(0)
        if session is not None:
            pay(session, model, used, here.uuid)


def _keep_transcript(uuid: str, trajectory: Trajectory) -> None:
    """In the run folder; under `inspect eval` there is none, and Inspect's log is all there is."""
    session = current()
    if session is not None:
        session.folder.transcripts.write(uuid, trajectory)


def epoch_of(state: TaskState) -> int:
    """The attempt's epoch: the run's own count, else Inspect's."""
    return int(state.metadata["epoch"] or state.epoch)


def artifacts_folder() -> Path:
    """Where files that attempts hand in are kept: in the run folder; under `inspect eval`, in our home folder."""
    session = current()
    return session.folder.artifacts.path if session else home() / "artifacts"


def _take_out(here: Live, ending: Ending, artifacts: Artifacts) -> tuple[Ending, dict[str, Artifact], Accesses]:
    """Collect first, then ask what was read: both end the attempt's work, and closing ends its processes."""
    machine = here.machine
    try:
        files: dict[str, Artifact] = {}
        if here.answer is None:
            here.answer = written_answer(here)
        wanted = _hands_in_files(here)
        if wanted or machine.handed_in:
            files, ending = _collect(here, ending, artifacts, workspace=wanted)
        accesses = machine.accessed()
    except Broken as error:
        if error.fault is not Fault.SANDBOX:
            raise
        accesses = NotMeasured(reason=f"the sandbox broke: {error.what}")
        ending = ending if isinstance(ending, Broke) else Broke(fault=error.fault, detail=str(error))
        files = {}
    finally:
        machine.close()
    return ending, files, accesses


def _keep_logs(here: Live, artifacts: Artifacts) -> dict[str, Artifact]:
    """What programs wrote of themselves, without any key of ours."""
    kept = {}
    with tempfile.TemporaryDirectory(prefix="benchwright-") as folder:
        for number, (name, text) in enumerate(here.logs.items()):
            path = Path(folder) / str(number)
            path.write_text(cleared(text), encoding="utf-8", errors="replace")
            kept[name] = artifacts.keep(path)
    return kept


def written_answer(here: Live) -> str | None:
    """The answer in the file that the task names for it; None where there is no such file, or nothing in it."""
    name = next((output.file for output in here.task.outputs if output.kind == "answer" and output.file), "")
    if not name or not here.machine.started:
        return None
    try:
        data = here.machine.sandbox().read(f"/workspace/{name}")
    except (OSError, Broken, Spent):
        return None
    return data[:_LONGEST_ANSWER].decode(errors="replace").strip() or None


def _hands_in_files(here: Live) -> bool:
    return any(output.kind != "answer" for output in here.task.outputs)


def _collect(
    here: Live, ending: Ending, artifacts: Artifacts, *, workspace: bool
) -> tuple[dict[str, Artifact], Ending]:
    with tempfile.TemporaryDirectory(prefix="benchwright-") as folder:
        os.chmod(folder, 0o700)
        try:
            paths = here.machine.collect(Path(folder), workspace=workspace)
        except OutputsTooLarge as error:
            return {}, LimitHit(which="outputs", detail=str(error))
        return {str(path): artifacts.keep(Path(folder) / path) for path in paths}, ending
