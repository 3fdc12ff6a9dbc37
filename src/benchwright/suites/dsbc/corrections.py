"""Corrections of published golds: a dated overlay that is laid over the questions only where it is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from benchwright.errors import SuiteError
from benchwright.files import Record, read_toml
from benchwright.suites.dsbc.records import Question

RELEASE = "corrected"


class Correction(Record):
    """What a published gold says, and what it has to say. `was` is a part of the text that the published gold holds."""

    id: str
    was: str = ""
    answer: str = ""
    note: str = Field(min_length=1)


class Corrections(Record):
    """All corrections of one day."""

    date: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    source: str
    corrections: tuple[Correction, ...]


@dataclass(frozen=True, slots=True)
class Corrected:
    """Questions after the overlay: which golds it replaced, which it only remarked on, and which it did not fit."""

    questions: tuple[Question, ...]
    replaced: tuple[str, ...]
    noted: tuple[str, ...]
    unfit: tuple[str, ...]


def published_corrections() -> Corrections:
    """The corrections that are shipped: those that the benchmark's port published."""
    path = Path(__file__).with_name("corrections.toml")
    return Corrections.from_json(read_toml(path), path.name)


def corrected(questions: Iterable[Question], overlay: Corrections) -> Corrected:
    """Lay the corrections over the questions; one whose `was` the gold does not hold is left out and named."""
    by_id = {item.id: item for item in overlay.corrections}
    if len(by_id) != len(overlay.corrections):
        raise SuiteError("a question is corrected twice", found=overlay.source)
    kept: list[Question] = []
    outcome: dict[str, list[str]] = {"replaced": [], "noted": [], "unfit": []}
    for question in questions:
        correction = by_id.get(question.id)
        kind = _kind(question, correction)
        if correction is not None and kind:
            outcome[kind].append(question.id)
        kept.append(replace(question, answer=correction.answer) if correction and kind == "replaced" else question)
    return Corrected(tuple(kept), *(tuple(outcome[name]) for name in ("replaced", "noted", "unfit")))


def _kind(question: Question, correction: Correction | None) -> str:
    if correction is None:
        return ""
    if not _holds(question.answer, correction.was):
        return "unfit"
    return "replaced" if correction.answer else "noted"


def _holds(answer: str, part: str) -> bool:
    """Whether a gold holds a text, whatever stands between its words."""
    words = re.findall(r"[\w.]+", answer.casefold())
    return not part or set(re.findall(r"[\w.]+", part.casefold())) <= set(words)
