"""Rule: the gold is not of the type, precision or notation that the guideline asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.proving.findings import Severity
from benchwright.proving.guideline import examples, slots, split_parts, without_abstention
from benchwright.proving.lint.base import Case, TaskRule, quoted

_NUMBER = r"[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?"
_VALUE = re.compile(rf"^[~≈<>≤≥]?\s*[$€£¥]?\s*({_NUMBER})\s*(%?)\s*[$€£¥]?$")
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_ONE = r"(?:the\s+|final\s+|your\s+)*(?:answers?|response|output|result)\s+(?:must|should|has\s+to|needs\s+to)\s+be\s+"
_INTEGER = re.compile(
    rf"(?i)\b{_ONE}(?:an?\s+|one\s+)?(?:single\s+|exact\s+|whole\s+)*(?:integer|whole\s+number)\b(?!\s+(?:followed|percent))"
)
_PERCENT = re.compile(
    rf"(?i)\b{_ONE}(?:an?\s+|one\s+)?(?:single\s+|integer\s+)*percentage\b(?![^.]*\b(?:without|no|not)\b)"
)
_NUMERIC = re.compile(
    rf"(?i)\b{_ONE}(?:an?\s+|one\s+)?(?:single\s+)*(?:numeric(?:al)?|floating[- ]point|decimal)\s+(?:value|number)\b"
)
_ISO = re.compile(
    rf"(?i)\b{_ONE}(?:an?\s+|one\s+|the\s+)?(?:single\s+|specific\s+|full\s+)*date\s+in\s+(?:the\s+)?[\"']?YYYY-MM-DD\b"
)
_ALL_INTEGERS = re.compile(
    r"(?i)\b(?:two|three|four|five|six|seven|eight|nine|ten|\d+)\s+(?:single\s+|exact\s+)?integers\b(?!\s+(?:followed|and|percent))"
)
_ALL_PERCENTS = re.compile(
    r"(?i)\b(?:two|three|four|five|six|seven|eight|nine|ten)\s+(?:integer\s+)?percentages?\b(?:\s+values)?(?![^.]*\b(?:without|not)\b)"
)
_OTHER_DATE = re.compile(r"(?<![\d.])(?:\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4}[./]\d{1,2}[./]\d{1,2})(?![\d.])")
_DECIMALS = re.compile(
    r"(?i)\b(?:rounded|round)\s+(?:(?:all|each|both|the|numeric|numerical|values?|numbers?|it|answer|result)\s+)*to\s+(?:exactly\s+)?"
    r"(\d+|one|two|three|four|five|six)\s+decimals?(?:\s+places?)?"
)
_NO_PERCENT = re.compile(
    r"(?i)\b(?:do\s+not|don't|without|no|omit)\b[^.;]{0,30}(?:%|\bpercent(?:age)?\s+(?:sign|symbol))"
)
_NO_COMMAS = re.compile(
    r"(?i)\b(?:do\s+not\s+(?:use|include)|(?<!with or )without|no)\s+"
    r"(?:any\s+)?(?:thousands?\s+)?(?:commas?|separators?)\b"
)
_EVERY_INTEGER = re.compile(
    r"(?i)\b(?:all|both)\s+(?:the\s+)?(?:values|answers|numbers|parts|counts|elements)\s+(?:must|should)\s+be\s+"
    r"(?:exact\s+|whole\s+)*(?:integers|whole\s+numbers)\b"
)
_NAMED_INTEGER = re.compile(
    r"(?i)\b(count|percentage|year|rank|age|total|number)s?\s+(?:values?\s+)?(?:must|should)\s+be\s+"
    r"(?:an?\s+|exact\s+|expressed\s+as\s+|formatted\s+as\s+|rounded\s+to\s+(?:the\s+)?(?:nearest\s+)?)*(?:integers?|whole\s+numbers?)\b"
)
_KINDS = {
    "date": "a date as YYYY-MM-DD",
    "integer": "an integer",
    "whole": "a whole number",
    "percent": "a percentage with its sign",
}
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def _is(part: str, kind: str) -> bool:
    """Whether a part of an answer is of a kind; `whole` is an integer with or without a percent sign."""
    if kind == "date":
        return bool(_DATE.match(part))
    match = _VALUE.match(part)
    if not match:
        return False
    whole = re.fullmatch(r"[-+−]?[\d,]+(?:\.0+)?", match[1]) is not None
    return {"integer": whole and not match[2], "whole": whole, "number": True, "percent": bool(match[2])}[kind]


def _whole_answer(case: Case) -> Iterator[str]:
    """The guideline fixes the type of the one answer."""
    text = without_abstention(case.task.guidelines)
    if not case.answer or re.search(r";|\bfollowed\s+by\b|\bformat:|\bor\b", text):
        return
    for pattern, kind in ((_INTEGER, "integer"), (_PERCENT, "percent"), (_NUMERIC, "number"), (_ISO, "date")):
        match = pattern.search(text)
        if match and not _is(case.answer, kind):
            yield f"the guideline says {quoted(match[0])}, the gold is {quoted(case.answer)}"


def _every_part(case: Case) -> Iterator[str]:
    """The guideline fixes the type of every part at once."""
    text = without_abstention(case.task.guidelines)
    parts = split_parts(case.answer)
    if len(parts) == 1:
        return
    for pattern, kind in ((_ALL_INTEGERS, "integer"), (_EVERY_INTEGER, "whole"), (_ALL_PERCENTS, "percent")):
        match = pattern.search(text)
        wrong = [part for part in parts if not _is(part, kind) and (kind != "whole" or _is(part, "number"))]
        if match and wrong and "hyphen" not in text:
            yield f"the guideline says {quoted(match[0])}, but a part of the gold is {quoted(wrong[0])}"


def _slots(case: Case) -> Iterator[str]:
    """The guideline's format, or a sentence on one of its slots, fixes the type of that slot."""
    named, parts = slots(case.task.guidelines), split_parts(case.answer)
    if len(named) != len(parts):
        return
    whole = {match[1].lower() for match in _NAMED_INTEGER.finditer(case.task.guidelines)}
    for slot, part in zip(named, parts, strict=True):
        kind = _slot_kind(slot) or ("whole" if whole & _nouns(slot) else "")
        if kind and not _is(part, kind):
            yield f"the slot {quoted(slot)} asks for {_KINDS[kind]}, the gold has {quoted(part)}"


def _slot_kind(slot: str) -> str:
    bare = slot.strip(" '\"[]<>{}")
    if re.fullmatch(r"(?:[\w\s]+\()?YYYY-MM-DD\)?", bare):
        return "date"
    if re.fullmatch(r"(?i)[\w\s]*\(?\bintegers?\)?", bare) and "%" not in bare:
        return "integer"
    if re.fullmatch(
        r"(?i)(?:[\w\s-]*(?:percent|percentage|rate|share|value|xx|x|ratio)\d?|\d+(?:\.\d+)?|x+\.x+)%", bare
    ):
        return "percent"
    return ""


def _nouns(slot: str) -> set[str]:
    """The noun that ends a slot which holds one value: "Movie Count", "Percentage 2"."""
    bare = slot.strip(" '\"[]")
    if re.search(r"(?i)[:,()]|\b(?:with|of|for|to|by|in|having)\b", bare):
        return set()
    return {word.lower() for word in re.findall(r"([A-Za-z]+?)s?\s*\d*\s*%?$", bare)}


def _decimals(case: Case) -> Iterator[str]:
    """A single-valued answer holds more decimals than the guideline asks for."""
    text = without_abstention(case.task.guidelines)
    stated = {_digits(match[1]) for match in _DECIMALS.finditer(text)}
    parts = split_parts(case.answer)
    if len(stated) != 1 or (len(parts) > 1 and not re.search(r"(?i)\b(?:all|each|both)\b", text)):
        return
    allowed = next(iter(stated))
    for part in parts:
        match = _VALUE.match(part)
        found = len(match[1].partition(".")[2]) if match else 0
        if found > allowed:
            yield f"the guideline asks for {allowed} decimals, the gold has {found}: {quoted(part)}"


def _digits(word: str) -> int:
    return int(word) if word.isdigit() else _WORDS[word.lower()]


def _notation(case: Case) -> Iterator[str]:
    """The gold uses a sign that the guideline forbids."""
    text = without_abstention(case.task.guidelines)
    match = _NO_PERCENT.search(text)
    if match and "%" in case.answer and len(split_parts(case.answer)) == 1:
        yield f"the guideline says {quoted(match[0])}, the gold is {quoted(case.answer)}"
    match = _NO_COMMAS.search(text)
    if match and re.search(r"\d,\d{3}\b", case.answer):
        yield f"the guideline says {quoted(match[0])}, the gold is {quoted(case.answer)}"


def _dates(case: Case) -> Iterator[str]:
    """The guideline wants dates as YYYY-MM-DD, the gold writes one otherwise."""
    match = _OTHER_DATE.search(case.answer)
    if match and "YYYY-MM-DD" in case.task.guidelines:
        yield f"the guideline wants dates as YYYY-MM-DD, the gold has {quoted(match[0])}"


def _example_signs(case: Case) -> Iterator[str]:
    """The example writes a part with a percent sign, the gold writes that part as a bare number; or the other way."""
    parts = split_parts(case.answer)
    for example in examples(case.task.guidelines):
        for shown, part in zip(example.parts, parts, strict=False):
            alike = len(example.parts) == len(parts) and _is(shown, "number") and _is(part, "number")
            if alike and _is(shown, "percent") is not _is(part, "percent"):
                yield f"the example writes {quoted(shown)}, the gold {quoted(part)}"
                return


def find(case: Case) -> Iterator[str]:
    """Every way in which the gold contradicts the guideline's types, once each."""
    if not case.answer or not case.task.guidelines:
        return
    for check in (_whole_answer, _every_part, _slots, _decimals, _notation, _dates, _example_signs):
        yield from check(case)


RULES = (
    TaskRule(
        "gold-type",
        Severity.WARNING,
        "a right answer that follows the guideline would be refused: correct the gold or the guideline",
        find,
    ),
)
