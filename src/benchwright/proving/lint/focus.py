"""Rule: the guideline and gold of a task answer the question of another one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from benchwright.proving.findings import Severity
from benchwright.proving.guideline import slots
from benchwright.proving.lint.base import Case, Hit, SuiteRule, cases, quoted
from benchwright.proving.lint.text import content_words
from benchwright.suite import Suite

_GENERIC = content_words(
    "count counts percentage percent value values name names number integer category item total average mean median "
    "ratio rate string first second third highest lowest max min maximum minimum date year month day range label type "
    "decimal answer text explanation share coefficient correlation conclusion difference result statistic status "
    "description increase factor example symbol start unique frequent lower upper bound overall separator thousand "
    "top bottom daily hourly code title list format order"
)
_EXAMPLES = re.compile(r"\((?:e\.g|integer|rounded|decimal)[^)]*\)")
_PERCENT_WORDS = re.compile(
    r"(?i)percent|%|\bshare|proportion|\brates?\b|ratio|distribut|breakdown|probab|fraction|growth|chang|increas|decreas|"
    r"represent|account|contribut|margin|portion|accura|discount|frequenc|\bsplit\b"
)


@dataclass(frozen=True, slots=True)
class _Focus:
    """What a task's question speaks of, and what its guideline's slots ask for."""

    case: Case
    asked: frozenset[str]
    joined: str
    wanted: frozenset[str]

    def answers(self, question: _Focus) -> bool:
        """Whether every specific word of these slots is in the other question."""
        return all(word in question.asked or word in question.joined for word in self.wanted)

    @property
    def astray(self) -> bool:
        """Whether no specific word of the slots is in the question itself, not even by its first letters."""
        starts = {word[:4] for word in self.asked}
        return bool(self.wanted) and not any(word[:4] in starts or word in self.joined for word in self.wanted)


def _focus(case: Case) -> _Focus:
    text = re.sub(r"[\d_%()\[\]:'&-]", " ", _EXAMPLES.sub(" ", " ; ".join(slots(case.task.guidelines))))
    wanted = frozenset(word for word in content_words(text) - _GENERIC if len(word) >= 4)
    joined = re.sub(r"[\W_]+", "", case.task.question.lower())
    return _Focus(case, content_words(case.task.question), joined, wanted)


def _families(suite: Suite) -> Iterator[list[_Focus]]:
    """Tasks on the same dataset, or in the same rooms where none is named."""
    families: dict[tuple[str, ...], list[_Focus]] = defaultdict(list)
    for case in cases(suite):
        key = (case.labels.dataset,) if case.labels.dataset else tuple(mount.room for mount in case.task.data)
        families[key].append(_focus(case))
    yield from families.values()


def swapped(suite: Suite) -> Iterator[Hit]:
    """Two tasks each of whose guidelines fits the other's question, and not its own."""
    for family in _families(suite):
        strays = [focus for focus in family if focus.astray]
        for one in strays:
            partners = [other for other in strays if other is not one and one.answers(other) and other.answers(one)]
            if partners:
                yield _hit(one, partners[0])


def unasked(suite: Suite) -> Iterator[Hit]:
    """The guideline's slots fit another question, and it wants a percentage that this one does not ask for."""
    for family in _families(suite):
        for one in family:
            wants_percent = "%" in one.case.answer and not _PERCENT_WORDS.search(one.case.task.question)
            others = [other for other in family if other is not one and one.answers(other)]
            if one.astray and wants_percent and others:
                yield _hit(one, others[0])


def _hit(one: _Focus, other: _Focus) -> Hit:
    mine, others = one.case.task, other.case.task
    listed, gold = ", ".join(sorted(one.wanted)), quoted(one.case.answer, 60)
    return Hit(
        mine.id,
        f"the guideline asks for {listed}; the question does not: {quoted(mine.question)}; "
        f"task {others.id} does: {quoted(others.question)}; the gold is {gold}",
        (others.id,),
    )


RULES = (
    SuiteRule("golds-swapped", Severity.ERROR, "the guidelines and golds of the two tasks are swapped", swapped),
    SuiteRule("question-and-gold-differ", Severity.WARNING, "question and guideline ask for different things", unasked),
)
