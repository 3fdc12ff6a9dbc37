"""What a model is asked about one solution, and what its answer has to be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from benchwright.chat.asking import Question
from benchwright.chat.fencing import shortened
from benchwright.chat.prompts import fenced_messages
from benchwright.files import Record, sha256
from benchwright.skills.extraction.calls import Coverage, calls_of, coverage
from benchwright.skills.naming import GivenName
from benchwright.skills.steps import Solution

_PROMPTS = Path(__file__).parent / "prompts"
_MOST_TEXT = 24_000
_TOLD = 30
_WORD = re.compile(r"[a-z0-9+#]+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_SMALL = frozenset("a an and for from in of on or the to with using by".split())


class StepForm(Record):
    """One step as a model gives it."""

    skill: GivenName = Field(min_length=3, max_length=120, pattern=r"^[^\n\r]+$")
    detail: str = Field(min_length=1, max_length=2000)
    calls: tuple[str, ...] = ()


class StepsForm(Record):
    """All steps of a solution; `case` repeats the token of the question."""

    case: str
    steps: tuple[StepForm, ...] = Field(min_length=1, max_length=80)


def question_about(solution: Solution, least_coverage: float) -> Question[StepsForm]:
    """The question about one solution: its text as data between lines that it cannot hold.

    An answer has to repeat a token that depends on the text, so that no reply written into the text can pass for one.
    """
    texts = {"question": shortened(solution.question, _MOST_TEXT) or "(none)", "answer": _shown(solution)}
    token = _token(solution)
    calls = shown_calls(solution)

    def check(answer: StepsForm) -> str:
        if answer.case != token:
            return f'"case" is not "{token}"'
        return complaint(answer, calls, least_coverage)

    messages = fenced_messages(_PROMPTS, ("extract_system", "extract_user"), texts, token=token)
    return Question(solution.id, messages, StepsForm, check, rule=f"coverage {least_coverage:g}")


def _shown(solution: Solution) -> str:
    """The solution as the model sees it, with its code whether or not the answer quotes it."""
    parts = [solution.answer]
    if solution.code and solution.code.split("\n\n", 1)[0].strip() not in solution.answer:
        parts.append(solution.code)
    return shortened("\n\n".join(part for part in parts if part), _MOST_TEXT) or "(none)"


def shown_calls(solution: Solution) -> frozenset[str]:
    """What the solution calls, as far as the model sees it: a long solution loses its middle."""
    seen = set(_NAME.findall(_shown(solution)))
    return frozenset(name for name in calls_of(solution.code) if name in seen)


def complaint(answer: StepsForm, calls: frozenset[str], least_coverage: float) -> str:
    """What is wrong with the steps: two with one skill, or too many calls that none names; empty where nothing is."""
    if same := _same_skill(answer.steps):
        return f"steps {same} name the same skill; join them or name what differs"
    found = covered(answer, calls)
    if found.share < least_coverage:
        missing = ", ".join(found.missing[:_TOLD])
        return f"the steps name {found.calls - len(found.missing)} of the {found.calls} calls; none names: {missing}"
    return ""


def covered(answer: StepsForm, calls: frozenset[str]) -> Coverage:
    """How many of the calls the steps name."""
    return coverage(calls, (text for step in answer.steps for text in (step.skill, step.detail, *step.calls)))


def _same_skill(steps: Sequence[StepForm]) -> str:
    """The numbers of the first steps whose skills consist of the same words."""
    keys = [frozenset(_WORD.findall(step.skill.casefold())) - _SMALL or frozenset({step.skill}) for step in steps]
    twice = next((key for key, count in Counter(keys).items() if count > 1), None)
    return "" if twice is None else " and ".join(str(n) for n, key in enumerate(keys, start=1) if key == twice)


def _token(solution: Solution) -> str:
    return sha256(f"steps\0{solution.id}\0{solution.question}\0{solution.answer}")[:12]
