"""Rules: what a task asks to be handed in, and what its checks can say of it."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.gold import Check
from benchwright.proving.findings import Severity
from benchwright.proving.lint.base import Case, TaskRule


def unnamed(case: Case) -> Iterator[str]:
    """Files that neither question nor guidelines name: an agent that is told the texts alone cannot know them."""
    told = f"{case.task.question}\n{case.task.guidelines}".casefold()
    names = [output.name for output in case.task.outputs if output.kind != "answer"]
    lost = [name for name in names if name.casefold() not in told]
    if lost:
        yield f"the texts do not name {', '.join(lost)} ({len(lost)} of {len(names)} files to hand in)"


def all_self_reported(case: Case) -> Iterator[str]:
    """Every check looks at figures that the agent states of its own work."""
    claims = [check for check in case.gold.checks if _self_reported(check)]
    if claims and len(claims) == len(case.gold.checks):
        yield f"{claims[0].output} holds what the agent says of its own work, and nothing else is looked at"


def some_self_reported(case: Case) -> Iterator[str]:
    """Some checks look at figures that the agent states of its own work."""
    claims = [check for check in case.gold.checks if _self_reported(check)]
    if 0 < len(claims) < len(case.gold.checks):
        yield f"{claims[0].output} holds what the agent says of its own work"


def _self_reported(check: Check) -> bool:
    return check.options.get("self_reported") is True


_HINT = "ask for the predictions, and compute the figures from them"

RULES = (
    TaskRule("output-not-named", Severity.WARNING, "name every file to hand in, in question or guidelines", unnamed),
    TaskRule("self-reported-only", Severity.ERROR, _HINT, all_self_reported),
    TaskRule("self-reported", Severity.WARNING, _HINT, some_self_reported),
)
