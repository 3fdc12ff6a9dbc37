"""An attempt by a solver that is not ours: what it leaves is taken out of the sandbox before it is judged."""

from __future__ import annotations

from pathlib import Path

from inspect_ai.model import ChatMessageAssistant
from inspect_ai.solver import TaskState
from inspect_ai.util import sandbox

from benchwright.live.attempt import AttemptRecord, Live
from benchwright.live.machine import in_thread
from benchwright.live.provider import BenchwrightRoom
from benchwright.live.record import Course, record, written_answer
from benchwright.live.suites import suite_at
from benchwright.trajectory import Answered, GaveUp


async def recorded(state: TaskState) -> AttemptRecord:
    """What the attempt left in the store. Of solvers that are not ours it is taken out now, which ends the sandbox."""
    kept = AttemptRecord.of(state.store)
    if not kept.attempt and state.metadata.get("any_solver"):
        await _take_out(state)
        kept = AttemptRecord.of(state.store)
    return kept


async def _take_out(state: TaskState) -> None:
    """Record the attempt: the answer is in the task's file for it, where it has one, else the last message."""
    folder = state.metadata["suite"]
    task = suite_at(folder).tasks[state.metadata["task_id"]]
    machine = sandbox().as_type(BenchwrightRoom).machine
    here = Live(task, Path(folder), 0, machine, uuid=state.uuid, variant=state.metadata["variant"])
    here.unseen = True
    here.steps = sum(isinstance(message, ChatMessageAssistant) for message in state.messages)
    written = await in_thread(written_answer, here)
    answer = written or state.output.completion.strip() or None
    if answer is not None:
        here.submit(answer)
    files = any(output.kind != "answer" for output in task.outputs)
    await record(here, state, Answered() if answer is not None or files else GaveUp(), Course())
