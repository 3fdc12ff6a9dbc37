"""What a model is asked about one task: which skills of a batch its solution uses, and then their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from benchwright.chat.asking import Question
from benchwright.chat.base import Message
from benchwright.chat.fencing import shortened
from benchwright.chat.prompts import fenced_messages, reply_token
from benchwright.files import Record
from benchwright.skills.nodes import SkillNode

_PROMPTS = Path(__file__).parent / "prompts"
_MOST_TEXT, _MOST_DESCRIPTION = 40_000, 400


@dataclass(frozen=True, slots=True)
class Case:
    """A task with its solution, both written by others."""

    task_id: str
    question: str
    solution: str

    @property
    def lines(self) -> int:
        """How many lines the solution has."""
        return len(self.solution.splitlines())

    def numbered(self) -> str:
        """The solution with a number before each line."""
        return "\n".join(f"{number:4} {line}" for number, line in enumerate(self.solution.splitlines(), start=1))


class Verdict(Record):
    """Whether the solution uses the skill of this number, and the lines that show it (0 and 0 where it does not)."""

    number: int
    present: bool
    first_line: int = 0
    last_line: int = 0


class PresentForm(Record):
    """A verdict on each skill of a batch; `case` repeats the token of the question."""

    case: str
    skills: tuple[Verdict, ...]


class Need(Record):
    """The second skill works on what the first one made."""

    first: int
    second: int


class TraceForm(Record):
    """The order of the skills that a solution uses, and which needs which."""

    case: str
    order: tuple[int, ...]
    needs: tuple[Need, ...] = Field(default=(), max_length=2000)


def present_question(case: Case, number: int, batch: Sequence[SkillNode]) -> Question[PresentForm]:
    """The question which skills of a batch the solution uses; `number` tells the batches of a task apart."""
    described = [f"{place}. {node.name}{_described(node)}" for place, node in enumerate(batch, start=1)]
    messages, token = _messages("present", case, described)

    def check(answer: PresentForm) -> str:
        if answer.case != token:
            return f'"case" is not "{token}"'
        numbers = sorted(verdict.number for verdict in answer.skills)
        if numbers != list(range(1, len(batch) + 1)):
            return f"verdicts on {numbers[:50]}; expected one on each of 1 to {len(batch)}"
        wrong = [v for v in answer.skills if v.present and not 1 <= v.first_line <= v.last_line <= case.lines]
        return f"skill {wrong[0].number}: no lines of the solution show it (1 to {case.lines})" if wrong else ""

    return Question(f"{case.task_id} {number}", messages, PresentForm, check)


def trace_question(case: Case, used: Sequence[tuple[str, str]]) -> Question[TraceForm]:
    """The question in which order a solution uses these skills, each with the lines that show it."""
    listed = [f"{place}. {name} (lines {lines})" for place, (name, lines) in enumerate(used, start=1)]
    messages, token = _messages("trace", case, listed)

    def check(answer: TraceForm) -> str:
        if answer.case != token:
            return f'"case" is not "{token}"'
        if sorted(answer.order) != list(range(1, len(used) + 1)):
            return f'"order" is {list(answer.order)[:50]}; expected each of 1 to {len(used)} once'
        place = {number: at for at, number in enumerate(answer.order)}
        for need in answer.needs:
            if not (need.first in place and need.second in place and place[need.first] < place[need.second]):
                return f"skill {need.second} needs {need.first}, which does not come before it in the order"
        return ""

    return Question(case.task_id, messages, TraceForm, check)


def _described(node: SkillNode) -> str:
    return f": {' '.join(node.description.split())[:_MOST_DESCRIPTION]}" if node.description else ""


def _messages(name: str, case: Case, listed: Sequence[str]) -> tuple[tuple[Message, ...], str]:
    """The prompt, and the token that an answer has to repeat: it depends on the texts, which so cannot hold it."""
    texts = {
        "question": shortened(case.question) or "(none)",
        "solution": shortened(case.numbered(), _MOST_TEXT),
        "skills": "\n".join(listed),
    }
    token = reply_token(name, case.task_id, *texts.values())
    return fenced_messages(_PROMPTS, (f"{name}_system", f"{name}_user"), texts, token=token, count=len(listed)), token
