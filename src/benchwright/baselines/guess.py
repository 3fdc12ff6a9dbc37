"""Answers without data: what a program can say that reads the question and nothing else."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from hashlib import sha256

from benchwright.baselines.explore.shape import Slot, read_slots
from benchwright.baselines.guess_files import guessed_files
from benchwright.sandbox.base import Sandbox
from benchwright.task import Task
from benchwright.trajectory import NotMeasured, Submission

_NO_DATA = NotMeasured(reason="the baseline touches no data")
_CAPITALS = re.compile(r"(?<![.?!] )(?<!^)\b[A-Z][\w-]+(?: [A-Z][\w-]+)*")
_CHOICE = re.compile(r"(\w[\w-]*) or (?:the )?(\w[\w-]*)")
_QUOTED = re.compile(r"['\"‘“]([^'\"’”]{1,60})['\"’”]")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")

Guess = Callable[[Task, Slot], object]


class Constant:
    """Hands in one and the same answer, whatever is asked."""

    name = "constant"
    needs_sandbox = False

    def __init__(self, answer: str = "1") -> None:
        self.answer = answer

    def attempt(self, task: Task, sandbox: Sandbox | None, seed: int) -> Submission:  # noqa: ARG002 - the protocol's
        """The constant."""
        return Submission(answer=self.answer, accesses=_NO_DATA)

    def files(self, task: Task) -> Mapping[str, bytes]:  # noqa: ARG002 - the protocol's
        """None."""
        return {}


class Random:
    """Hands in seeded values that the guideline would admit."""

    name = "random"
    needs_sandbox = False

    def attempt(self, task: Task, sandbox: Sandbox | None, seed: int) -> Submission:  # noqa: ARG002 - the protocol's
        """A value of each part's kind; equal for equal seed and task id."""
        digest = sha256(f"{seed}:{task.id}".encode()).digest()
        draw = random.Random(int.from_bytes(digest[:8], "big"))  # noqa: S311 - no secret depends on it
        return _filled(task, lambda task, slot: _random_value(draw, task, slot))

    def files(self, task: Task) -> Mapping[str, bytes]:  # noqa: ARG002 - the protocol's
        """None."""
        return {}


class KnowNothing:
    """Hands in the likeliest answer that the question's text and common values give: no data are read."""

    name = "know_nothing"
    needs_sandbox = False

    def attempt(self, task: Task, sandbox: Sandbox | None, seed: int) -> Submission:  # noqa: ARG002 - the protocol's
        """Words and numbers of the question, yes, 50 %, shaped by the guideline."""
        texts = iter(candidates(task.question))
        return _filled(task, lambda task, slot: _likely_value(task, slot, next(texts, "Other")))

    def files(self, task: Task) -> Mapping[str, bytes]:
        """A grid of numbers for each table, the best values for each document, words for texts and predictions."""
        return guessed_files(task, next(iter(candidates(task.question)), "Other"))


def candidates(question: str) -> list[str]:
    """Words of the question that may be its answer: alternatives offered, quoted words, names."""
    offered = [word for pair in _CHOICE.findall(question) for word in pair]
    found = offered + _QUOTED.findall(question) + _CAPITALS.findall(question)
    return list(dict.fromkeys(found)) or question.strip(" ?.").split()[-1:]


def _filled(task: Task, guess: Guess) -> Submission:
    parts = [slot.show(guess(task, slot)) for slot in read_slots(task.guidelines)]
    return Submission(answer="; ".join(parts), accesses=_NO_DATA)


def _likely_value(task: Task, slot: Slot, text: str) -> object:
    if slot.kind in ("integer", "decimal"):
        numbers = [number for number in _NUMBER.findall(task.question) if not _YEAR.fullmatch(number)]
        return float(numbers[0]) if numbers else (1 if slot.kind == "integer" else 0.5)
    if slot.kind == "date":
        year = _YEAR.search(task.question)
        return f"{year.group() if year else 2020}-01-01"
    return {"yes_no": True, "percent": 50}.get(slot.kind, text)


def _random_value(draw: random.Random, task: Task, slot: Slot) -> object:
    match slot.kind:
        case "integer":
            return int(10 ** draw.uniform(0, 4))
        case "decimal":
            return 10 ** draw.uniform(-1, 3)
        case "percent":
            return draw.uniform(0, 100)
        case "date":
            return f"{draw.randint(1990, 2024)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        case "yes_no":
            return draw.random() < 0.5
        case _:
            return draw.choice(candidates(task.question))
