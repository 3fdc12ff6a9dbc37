"""Reference solutions of our own suites, as part of a corpus."""

from __future__ import annotations

from benchwright.skills.corpus.base import EMPTY, LONG, MOST_CHARACTERS, Found, Refused, Wanted, cleaned, fenced_code
from benchwright.skills.steps import Solution
from benchwright.suite import Suite


def read_suite(suite: Suite, wanted: Wanted) -> Found:  # noqa: ARG001 - a suite's solutions have no score
    """The reference solution of each task that has one; InputError where the gold is withheld."""
    for task_id, task in suite.tasks.items():
        gold = suite.golds.get(task_id)
        if gold is None or gold.solution is None or not gold.solution.code.strip():
            yield Refused(f"{suite.name}, task {task_id}", EMPTY, "no reference solution")
            continue
        code = cleaned(gold.solution.code)
        if len(code) > MOST_CHARACTERS:
            yield Refused(f"{suite.name}, task {task_id}", LONG, f"more than {MOST_CHARACTERS:,} characters")
            continue
        yield Solution(
            id=f"{suite.name}-{task_id}",
            source=suite.name,
            question=cleaned(task.question),
            answer=fenced_code(code, gold.solution.language),
            code=code,
            licence=suite.info.licence,
        )
