"""Rules: one question asked twice, with the same gold or with another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from benchwright.proving.findings import Severity
from benchwright.proving.lint.base import Case, Hit, SuiteRule, cases, quoted
from benchwright.proving.lint.text import plain
from benchwright.suite import Suite


def _groups(suite: Suite) -> Iterator[list[Case]]:
    """Tasks on the same data whose questions are equal but for case, spaces and punctuation."""
    groups: dict[tuple[str, ...], list[Case]] = defaultdict(list)
    for case in cases(suite):
        rooms = sorted(mount.room for mount in case.task.data)
        groups[(plain(case.task.question), *rooms)].append(case)
    yield from (group for group in groups.values() if len(group) > 1)


def _pairs(suite: Suite, *, same_gold: bool) -> Iterator[Hit]:
    for group in _groups(suite):
        for case in group:
            others = [other for other in group if other is not case and _same(case, other) is same_gold]
            if others:
                yield Hit(case.task.id, _evidence(case, others), tuple(other.task.id for other in others))


def _same(case: Case, other: Case) -> bool:
    return plain(case.answer) == plain(other.answer) and case.gold.files == other.gold.files


def _evidence(case: Case, others: list[Case]) -> str:
    golds = ", ".join(quoted(item.answer, 60) for item in (case, *others))
    ids = ", ".join(other.task.id for other in others)
    return f"the question of {ids} is the same: {quoted(case.task.question)}; golds: {golds}"


def same_gold(suite: Suite) -> Iterator[Hit]:
    """The same question with the same gold: it counts twice."""
    return _pairs(suite, same_gold=True)


def other_gold(suite: Suite) -> Iterator[Hit]:
    """The same question with different golds: only the guideline tells which is meant."""
    return _pairs(suite, same_gold=False)


RULES = (
    SuiteRule("duplicate-question", Severity.WARNING, "the task counts twice: keep one", same_gold),
    SuiteRule(
        "duplicate-question-other-gold",
        Severity.ERROR,
        "one question has two golds: make the questions say what differs",
        other_gold,
    ),
)
