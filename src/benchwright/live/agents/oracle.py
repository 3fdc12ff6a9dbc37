"""The one agent that may read the gold: it runs the reference solution in the sandbox and hands in what comes out."""

from __future__ import annotations

import builtins

from inspect_ai.agent import Agent, AgentState, agent

from benchwright.errors import Broken, Fault
from benchwright.gold import Gold
from benchwright.live.attempt import LimitReached, live
from benchwright.live.suites import suite_at
from benchwright.proving.proofs.solution_runs import program_of


@agent
def oracle() -> Agent:
    """Runs the reference solution; whatever it scores below 1 is a fault of the suite or of the sandbox.

    The program reads the solution from its input: it never becomes a file that could be handed in.
    """

    async def execute(state: AgentState) -> AgentState:
        here = live()
        gold = _gold(here.task.id, str(here.suite))
        assert gold.solution is not None
        here.step()
        outcome = await here.look(program_of(here.task, gold, gold.solution))
        here.made.ran("other", "the reference solution", exit_code=outcome.exit_code, failed=outcome.exit_code != 0)
        if outcome.limit:
            raise LimitReached(outcome.limit, "the reference solution ran into it")
        if outcome.exit_code != 0:
            raise Broken(
                Fault.SUITE,
                f"the reference solution of {here.task.id} failed",
                found=complaint(outcome.exit_code, outcome.stderr),
                hint="benchwright suites check runs it by itself",
            )
        here.submit(outcome.stdout.decode(errors="replace").strip() or None)
        return state

    return execute


def complaint(exit_code: int, stderr: bytes) -> str:
    """How a solution failed, without its own words: they may quote the gold, and are for no log."""
    last = stderr.decode(errors="replace").strip().rpartition("\n")[2]
    name = last.partition(":")[0].strip()
    kind = getattr(builtins, name, None)
    known = isinstance(kind, type) and issubclass(kind, BaseException)
    return f"exit code {exit_code}" + (f", {name}" if known else "")


def _gold(task_id: str, suite: str) -> Gold:
    """The gold, with a solution that can be run."""
    gold = suite_at(suite).golds.get(task_id)
    if gold is None or gold.solution is None or gold.solution.language == "sql":
        raise Broken(Fault.SUITE, f"task {task_id} has no reference solution that can be run")
    return gold
