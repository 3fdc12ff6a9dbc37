"""Carrying an attempt through: its slot, its limits, the run's budget, and how it ended."""

from __future__ import annotations

import traceback
from pathlib import Path

import anyio
from inspect_ai.agent import Agent, AgentState
from inspect_ai.model import ChatMessageAssistant, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import Limit as InspectLimit
from inspect_ai.util import (
    LimitExceededError,
    apply_limits,
    cost_limit,
    message_limit,
    sandbox,
    time_limit,
    token_limit,
)

from benchwright.errors import Fault
from benchwright.files import canonical_json, sha256
from benchwright.live.attempt import LimitReached, Live, enter
from benchwright.live.blame import fault_of, settings_at_fault, told_by
from benchwright.live.guard import guarded
from benchwright.live.machine import in_thread
from benchwright.live.provider import BenchwrightRoom
from benchwright.live.record import Course, epoch_of, record, written_answer
from benchwright.live.session import Session, current
from benchwright.live.suites import suite_at
from benchwright.live.usage import tell_prices
from benchwright.sandbox.base import Spent
from benchwright.task import Limits
from benchwright.trajectory import Answered, Broke, Ending, GaveUp, LimitHit

LIMITS = {"time": "wall", "working": "wall", "message": "messages", "turn": "messages", "token": "tokens"}
"""Inspect's words for limits, in ours."""

_AGAIN = (Fault.MODEL, Fault.SANDBOX)
"""Faults that say nothing of the agent: Inspect is shown the error, and tries again."""

_ERROR_TEXT = 8000


@solver
def carry_out(agent: Agent) -> Solver:
    """Let an agent attempt a task: within its limits and the run's budget, and record how it ended."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session = current()
        if session is None:
            await _attempt(agent, state, None)
        else:
            await _in_a_slot(agent, state, session)
        return state

    return solve


async def _in_a_slot(agent: Agent, state: TaskState, session: Session) -> None:
    """Wait for a free slot, then attempt, unless the budget is spent: then the attempt stays to be made."""
    async with session.slots:
        if not session.budget.exhausted:
            with session.budget.under() as scope:
                await _attempt(agent, state, scope)


async def _attempt(agent: Agent, state: TaskState, budget: anyio.CancelScope | None) -> None:
    here, course = _live_of(state), Course()
    enter(here)
    model = guarded(get_model())
    tell_prices((str(model),))
    try:
        ending = await _ending(agent, state, here)
    except LimitExceededError as error:
        # A limit from Inspect's own command line: recorded by us, then shown to Inspect as well.
        await record(here, state, limit_hit(error), course)
        raise
    except anyio.get_cancelled_exc_class():
        with anyio.CancelScope(shield=True):
            if budget is None or not budget.cancel_called:
                await record(here, state, LimitHit(which="wall", detail="stopped from outside"), course)
        raise
    except Exception as error:
        if _ends_the_run(error):
            return  # the attempt is still to be made
        ending = _broke(error, course)
        await record(here, state, ending, course)
        if ending.fault in _AGAIN:
            raise
        return
    await record(here, state, ending, course)


def _live_of(state: TaskState) -> Live:
    folder, task_id = state.metadata["suite"], state.metadata["task_id"]
    machine = sandbox().as_type(BenchwrightRoom).machine
    task = suite_at(folder).tasks[task_id]
    given = state.metadata
    variant = given["variant"]
    return Live(task, Path(folder), seed_of(state), machine, given["raised"], uuid=state.uuid, variant=variant)


def seed_of(state: TaskState) -> int:
    """One seed an attempt: of the run's seed, the task and the epoch, whatever the order they run in."""
    parts = [state.metadata["seed"], state.metadata["task_id"], epoch_of(state)]
    return int(sha256(canonical_json(parts))[:12], 16)


async def _ending(agent: Agent, state: TaskState, here: Live) -> Ending:
    """Let the agent work to its end or to a limit of the task's."""
    conversation = AgentState(messages=state.messages)
    try:
        with apply_limits(_limits(here.machine.spec.limits), catch_errors=True) as scope:
            conversation = await agent(conversation)
    except LimitReached as error:
        return error.ending
    except Spent as error:
        return LimitHit(which=error.limit, detail=str(error))
    finally:
        state.messages = conversation.messages
        state.output = conversation.output
    if scope.limit_error is not None:
        return limit_hit(scope.limit_error)
    return await _handed_in(conversation, here)


async def _handed_in(conversation: AgentState, here: Live) -> Ending:
    """Agents of ours hand in by `submit`; of any other agent the answer is in the task's file for it, where it has one,
    else in the last message.
    """
    written = None if here.handed_in else await in_thread(written_answer, here)
    if written is not None:
        here.submit(written)
    if not here.steps:
        here.steps = sum(isinstance(message, ChatMessageAssistant) for message in conversation.messages)
        if not here.handed_in and conversation.output.completion.strip():
            here.submit(conversation.output.completion)
    return Answered() if here.handed_in else GaveUp()


def _limits(limits: Limits) -> list[InspectLimit]:
    return [
        time_limit(limits.wall_seconds),
        message_limit(limits.messages),
        token_limit(limits.tokens),
        cost_limit(limits.cost_usd),
    ]


def limit_hit(error: LimitExceededError) -> LimitHit:
    """An Inspect limit in our words."""
    return LimitHit(which=LIMITS.get(error.type, error.type), detail=error.message)


def _ends_the_run(error: Exception) -> bool:
    """Whether an error says that no attempt with these settings can succeed: then the run stops, before all break."""
    session = current()
    if session is None or fault_of(error) is not Fault.MODEL:
        return False
    name = str(get_model())
    trouble = settings_at_fault(error, name, answered=name in session.answered)
    if trouble is not None:
        session.stop_for(trouble)
    return trouble is not None


def _broke(error: Exception, course: Course) -> Broke:
    course.error = "".join(traceback.format_exception(error, limit=-12))[-_ERROR_TEXT:]
    told = told_by(error)
    return Broke(fault=fault_of(error), detail=f"{type(told).__name__}: {told}"[:_ERROR_TEXT])
