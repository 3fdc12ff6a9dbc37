"""Baselines as agents: programs without a model, each run in a thread of its own."""

from __future__ import annotations

from inspect_ai.agent import Agent, AgentState, agent

from benchwright.baselines import BASELINES, Baseline
from benchwright.live.attempt import Live, live
from benchwright.live.machine import in_thread
from benchwright.trajectory import Submission


@agent
def baseline(name: str) -> Agent:
    """One of the baselines, by name."""
    member = BASELINES[name]

    async def execute(state: AgentState) -> AgentState:
        here = live()
        here.step()
        handed_in = await in_thread(_attempt, member, here)
        files = member.files(here.task)
        for output, data in files.items():
            here.machine.hand_in(output, data)
        if handed_in.answer is not None or files:
            here.submit(handed_in.answer)
        return state

    return execute


def _attempt(member: Baseline, here: Live) -> Submission:
    return member.attempt(here.task, here.machine.sandbox() if member.needs_sandbox else None, here.seed)
