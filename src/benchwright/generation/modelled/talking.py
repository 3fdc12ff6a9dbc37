"""Asking one model from code that waits for the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from benchwright.chat.asking import Asked, Ledger, Limits, Question, ask_all
from benchwright.chat.asking.asking import NO_REPLY
from benchwright.chat.base import ChatModel
from benchwright.files import Record
from benchwright.generation.modelled.calling import Calling

F = TypeVar("F", bound=Record)


@dataclass(frozen=True, slots=True)
class Talk:
    """One model in one role, which names its stage of the ledger; for any thread.

    Errors of every method: those of `ask_all`, and CancelledError once calls were stopped.
    """

    role: str
    model: ChatModel
    ledger: Ledger
    limits: Limits
    calling: Calling

    def ask(self, question: Question[F]) -> F | str:
        """The answer, or why none of the replies is one."""
        (asked,) = self.ask_all([question])
        return asked.read(question.form) if asked.status == "done" else asked.reason

    def ask_all(self, questions: Sequence[Question[Any]]) -> list[Asked]:
        """What became of each question, several asked at a time."""
        return self.calling.run(self._asked(questions))

    async def _asked(self, questions: Sequence[Question[Any]]) -> list[Asked]:
        failed = {question.key: asked for question in questions if (asked := self._failed(question)) is not None}
        others = [question for question in questions if question.key not in failed]
        found = await ask_all(self.model, self.role, others, self.ledger, self.limits) | failed
        return [found[question.key] for question in questions]

    def _failed(self, question: Question[Any]) -> Asked | None:
        """The end of a question none of whose replies was usable: they would be the same again. Silence is none."""
        asked = self.ledger.answer(self.role, question.key, question.digest(self.model.name))
        bad = asked is not None and asked.status == "failed" and not asked.reason.startswith(NO_REPLY)
        return asked if bad else None
