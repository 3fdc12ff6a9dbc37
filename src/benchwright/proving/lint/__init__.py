"""The lint of a suite: rules are pure functions of its tasks, golds and labels; `rooms` also looks at the data."""

from __future__ import annotations

from benchwright.proving.findings import Finding
from benchwright.proving.lint import (
    description,
    duplicates,
    focus,
    gold_files,
    guessable,
    label_leaks,
    leaks,
    missing,
    outputs,
    parts,
    paths,
    repetition,
    residue,
    rooms,
    subsets,
    totals,
    types,
    wording,
    wordings,
)
from benchwright.proving.lint.base import Rule
from benchwright.suite import Suite

RULES: tuple[Rule, ...] = (
    *missing.RULES,
    *gold_files.RULES,
    *outputs.RULES,
    *repetition.RULES,
    *description.RULES,
    *parts.RULES,
    *types.RULES,
    *totals.RULES,
    *residue.RULES,
    *leaks.RULES,
    *paths.RULES,
    *wording.RULES,
    *wordings.RULES,
    *focus.RULES,
    *duplicates.RULES,
    *subsets.RULES,
    *rooms.RULES,
    *label_leaks.RULES,
    *guessable.RULES,
)


def lint(suite: Suite) -> tuple[Finding, ...]:
    """Every finding of every rule, in the suite's order of tasks; findings on the whole suite come first."""
    order = {task_id: index for index, task_id in enumerate(suite.tasks)}
    found = [finding for rule in RULES for finding in rule.apply(suite)]
    return tuple(sorted(found, key=lambda finding: order.get(finding.task_id, -1)))
