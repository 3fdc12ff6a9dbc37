"""The one agent that may read the gold: it runs the reference solution in the sandbox and hands in what comes out."""

from __future__ import annotations

from inspect_ai.agent import Agent, AgentState, agent

from benchwright.errors import Broken, Fault
from benchwright.gold import Solution
from benchwright.live.attempt import LimitReached, live
from benchwright.live.suites import suite_at
from benchwright.sandbox.base import Exec

_RUNS = {"python": ("python3", "-"), "shell": ("sh", "-s")}
"""The programs that read a solution from their input: it never becomes a file that could be handed in."""


@agent
def oracle() -> Agent:
    """Runs the reference solution; whatever it scores below 1 is a fault of the suite or of the sandbox."""

    async def execute(state: AgentState) -> AgentState:
        here = live()
        solution = _solution(here.task.id, str(here.suite))
        here.step()
        outcome = await here.run(
            Exec(_RUNS[solution.language], solution.code.encode(), seconds=here.machine.spec.limits.wall_seconds)
        )
        if outcome.limit:
            raise LimitReached(outcome.limit, "the reference solution ran into it")
        if outcome.exit_code != 0:
            complaint = outcome.stderr.decode(errors="replace")[-2000:]
            raise Broken(Fault.SUITE, f"the reference solution of {here.task.id} failed", found=complaint)
        here.submit(outcome.stdout.decode(errors="replace").strip() or None)
        return state

    return execute


def _solution(task_id: str, suite: str) -> Solution:
    gold = suite_at(suite).golds.get(task_id)
    if gold is None or gold.solution is None or gold.solution.language not in _RUNS:
        raise Broken(Fault.SUITE, f"task {task_id} has no reference solution that can be run")
    return gold.solution
