"""Rules: a subset that is not what it says it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from benchwright.files import canonical_json, sha256
from benchwright.proving.findings import Finding, Severity
from benchwright.proving.lint.base import Case, Hit, SuiteRule, cases, quoted
from benchwright.proving.solutions import effective_lines
from benchwright.suite import Suite

HARD_FILES, HARD_LINES = 2, 30
_FITS = 0.8


def outside_full(suite: Suite) -> Iterator[Hit]:
    """A task of a subset that is not in `full`."""
    for task_id, labels in suite.labels.items():
        if labels.subsets and "full" not in labels.subsets:
            yield Hit(task_id, f"in {', '.join(labels.subsets)}, but not in full")


def hard_rule(suite: Suite) -> Iterator[Hit]:
    """Members of `hard` that break CoDA-Bench's rule (two files or more, more than 30 lines), and the other way.

    Applied only where at least 80 % of the subset keeps the rule, so that it can be meant.
    """
    known = [case for case in cases(suite) if case.gold.discovery_known and case.gold.solution]
    hard = [case for case in known if "hard" in case.labels.subsets]
    if not hard or sum(map(_is_hard, hard)) < _FITS * len(hard):
        return
    for case in known:
        if _is_hard(case) is not ("hard" in case.labels.subsets):
            yield Hit(case.task.id, _measure(case))


def _lines(case: Case) -> int:
    return effective_lines(case.gold.solution.code) if case.gold.solution else 0


def _is_hard(case: Case) -> bool:
    return len(case.gold.required_files) >= HARD_FILES and _lines(case) > HARD_LINES


def _measure(case: Case) -> str:
    inside = "in" if "hard" in case.labels.subsets else "not in"
    return f"{len(case.gold.required_files)} required files, {_lines(case)} lines of solution, {inside} hard"


def contained(part: Suite, full: Suite) -> Iterator[Finding]:
    """Tasks of one suite (say, a hard subset in a file of its own) that are not in another, or there under another id.

    Tasks are equal where question, guideline and gold are.
    """
    by_content: dict[str, list[str]] = defaultdict(list)
    for case in cases(full):
        by_content[_content(case)].append(case.task.id)
    for case in cases(part):
        found = by_content.get(_content(case), [])
        if case.task.id not in found:
            yield _mismatch(case, found, full)


def _content(case: Case) -> str:
    return sha256(canonical_json([case.task.question, case.task.guidelines, case.answer]))


def _mismatch(case: Case, found: list[str], full: Suite) -> Finding:
    namesake = full.tasks.get(case.task.id)
    other = f"; its task {case.task.id} asks {quoted(namesake.question)}" if namesake else ""
    where = f"there it is {', '.join(found)}" if found else "it is not there at all"
    return Finding(
        task_id=case.task.id,
        rule="subset-renumbered" if found else "subset-not-contained",
        severity=Severity.WARNING if found else Severity.ERROR,
        evidence=f"{quoted(case.task.question)} is not task {case.task.id} of {full.name}: {where}{other}",
        hint="match tasks by content, never by id" if found else "take the task out, or add it to the full suite",
        related=tuple(found),
    )


RULES = (
    SuiteRule("outside-full", Severity.WARNING, "every task is in full: add it to the labels", outside_full),
    SuiteRule("hard-rule", Severity.NOTE, "membership is data; know that the rule does not reproduce it", hard_rule),
)
