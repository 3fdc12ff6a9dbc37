"""How far a judge can be trusted: its verdicts against those of people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from benchwright.agreement import Agreement, agreement_of
from benchwright.errors import InputError
from benchwright.files import Record, read_jsonl
from benchwright.scorers.judge.asking import Decision, Judge
from benchwright.scorers.judge.case import JudgeCase


class Human(Record):
    """One response with the verdict of a person."""

    question: str
    gold: str
    response: str
    human: Literal["yes", "no"]
    category: str = ""
    gold_code: str = ""
    code: str = ""
    rationale: str = ""

    def case(self) -> JudgeCase:
        """The same as a judge is given it."""
        return JudgeCase(self.question, self.gold, self.response, self.gold_code, self.code, self.rationale)


class Calibration(Record):
    """A judge against people: over all cases and by category."""

    judge: str
    times: int
    all: Agreement
    categories: dict[str, Agreement]
    mean_agreement: float | None
    """How much the judge agrees with itself over its repetitions."""


def read_humans(path: Path) -> list[Human]:
    """Human verdicts, one JSON object a line; InputError names the line that is wrong."""
    humans = [Human.from_json(value, f"{path}, line {line}") for line, value in read_jsonl(path)]
    if not humans:
        raise InputError(f"{path}: no verdicts", expected='lines with "question", "gold", "response", "human"')
    return humans


async def calibrate(judge: Judge, humans: Sequence[Human]) -> Calibration:
    """Ask the judge for every case, and count."""
    decisions = await judge.decide([human.case() for human in humans])
    pairs = list(zip(humans, decisions, strict=True))
    told = [decision.agreement for decision in decisions if decision.verdict is not None]
    names = sorted({human.category for human in humans if human.category})
    return Calibration(
        judge=judge.model.name,
        times=judge.times,
        all=_agreement(pairs),
        categories={name: _agreement([pair for pair in pairs if pair[0].category == name]) for name in names},
        mean_agreement=sum(told) / len(told) if told else None,
    )


def _agreement(pairs: Sequence[tuple[Human, Decision]]) -> Agreement:
    """The judge's words are yes, no, cannot tell and failed: no verdict is no agreement."""
    return agreement_of([(human.human, decision.verdict or "failed") for human, decision in pairs])
