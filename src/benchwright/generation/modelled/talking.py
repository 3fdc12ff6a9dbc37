"""Asking one model from code that waits for the answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from benchwright.chat.base import ChatModel
from benchwright.files import Record
from benchwright.skills.asking import Asked, Ledger, Limits, Question, ask_all

F = TypeVar("F", bound=Record)


@dataclass(frozen=True, slots=True)
class Talk:
    """One model in one role, which names its stage of the ledger. Errors of every method: those of `ask_all`."""

    role: str
    model: ChatModel
    ledger: Ledger
    limits: Limits
    loop: asyncio.Runner

    def ask(self, question: Question[F]) -> F | str:
        """The answer, or why none of the replies is one."""
        (asked,) = self.ask_all([question])
        return asked.read(question.form) if asked.status == "done" else asked.reason

    def ask_all(self, questions: Sequence[Question[Any]]) -> list[Asked]:
        """What became of each question, several asked at a time."""
        found = self.loop.run(ask_all(self.model, self.role, questions, self.ledger, self.limits))
        return [found[question.key] for question in questions]
