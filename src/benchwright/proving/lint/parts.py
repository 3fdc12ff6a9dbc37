"""Rules: the gold has another number of parts than the guideline states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from benchwright.proving.findings import Severity
from benchwright.proving.guideline import Shape, repeats, shapes, split_parts, without_abstention
from benchwright.proving.lint.base import Case, TaskRule, quoted

_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER_WORD = re.compile(rf"(?i)\b({'|'.join(_NUMBER_WORDS)}|top\s+\d+)\b")
_FOLLOWED = re.compile(r"(?i)\bfollowed\s+by\b(?!\s+(?:an?\s+|the\s+)?(?:%|percent|sign|symbol|semicolon|unit|word))")


class _Verdict(NamedTuple):
    shape: Shape
    found: int
    repeated: bool


def _judge(case: Case) -> _Verdict | None:
    """The statement that the gold's number of parts contradicts; None where it agrees with one, or none is made."""
    found = len(split_parts(case.answer))
    closed = [shape for shape in shapes(case.task.guidelines) if not shape.open]
    stated = [shape for shape in closed if shape.source != "example"]
    shown = [shape for shape in closed if shape.source == "example" and shape.arity > 1]
    if not case.answer or found in {shape.arity for shape in stated}:
        return None
    if not stated:
        return _against_examples(case, shown, found)
    formats = [shape for shape in stated if shape.source != "count"]
    again = [shape for shape in formats if found > shape.arity > 1 and found % shape.arity == 0]
    if again and (repeats(case.task.guidelines) or found in {shape.arity for shape in shown}):
        return _Verdict(again[0], found, repeated=True)
    return _without_format(case, stated, shown, found)


def _against_examples(case: Case, shown: list[Shape], found: int) -> _Verdict | None:
    """An example alone states the number of parts, unless the guideline asks for a list without saying how long."""
    said = {_number(word) for word in _NUMBER_WORD.findall(case.task.guidelines)}
    shown = [shape for shape in shown if shape.arity in said or not repeats(case.task.guidelines)]
    agrees = found in {shape.arity for shape in shown}
    return _Verdict(shown[0], found, repeated=False) if shown and not agrees else None


def _without_format(case: Case, stated: list[Shape], shown: list[Shape], found: int) -> _Verdict | None:
    """A number word alone is weak: the parts may be joined otherwise, or be "followed by" one more."""
    only_counts = all(shape.source == "count" for shape in stated)
    text = without_abstention(case.task.guidelines)
    joined_otherwise = found == 1 and ";" not in text and "semicolon" not in text
    one_more = bool(_FOLLOWED.search(text)) and any(found == shape.arity + 1 for shape in stated)
    if only_counts and (joined_otherwise or one_more or found in {shape.arity for shape in shown}):
        return None
    return _Verdict(stated[0], found, repeated=False)


def _number(word: str) -> int:
    digits = re.sub(r"\D", "", word)
    return int(digits) if digits else _NUMBER_WORDS.index(word.lower()) + 1


def part_count(case: Case) -> Iterator[str]:
    """The number of parts contradicts the guideline."""
    verdict = _judge(case)
    if verdict and not verdict.repeated:
        yield _evidence(case, verdict)


def repeated_format(case: Case) -> Iterator[str]:
    """The format is meant to be repeated, without saying so itself."""
    verdict = _judge(case)
    if verdict and verdict.repeated:
        yield _evidence(case, verdict)


def _evidence(case: Case, verdict: _Verdict) -> str:
    shape = verdict.shape
    return (
        f"the guideline's {shape.source} {quoted(shape.text)} has {shape.arity} parts, "
        f"the gold has {verdict.found}: {quoted(case.answer)}"
    )


RULES = (
    TaskRule(
        "part-count",
        Severity.ERROR,
        "no answer can agree with both: correct the gold or the guideline",
        part_count,
    ),
    TaskRule(
        "format-repeats",
        Severity.WARNING,
        "a scorer that counts parts by the format refuses this gold: write the format out, or give the list its length",
        repeated_format,
    ),
)
