"""What an answer has to look like: its parts and their kinds, read from the answer guideline."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["integer", "decimal", "percent", "date", "yes_no", "text"]

_NUMBER_WORDS = {"no": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_QUOTED = re.compile(r"[`'\"“‘]([^`'\"“”‘’]*;[^`'\"“”‘’]*)[`'\"”’]")
_STATED = re.compile(
    r"(?:format|form|template|order)\b[^:;.]{0,40}:\s*([^.\n]*;[^.\n]*(?:\.\d[^.\n]*)*)", re.IGNORECASE
)
_EXAMPLE = re.compile(r"(?:e\.g\.,?|for example,?|example:)\s*([^)\n]*;[^)\n]*)", re.IGNORECASE)
_HOW_MANY = re.compile(r"\b(two|three|four|five|six|[2-6])\b[^.;]{0,60}\bsemicolon", re.IGNORECASE)
_DECIMALS = re.compile(r"\b(\d|no|one|two|three|four|five|six)\s+(?:decimal|digits? after)", re.IGNORECASE)
_WHOLE = re.compile(r"\binteger|whole number|whole percent|\bcount\b|\bnumber of\b|\byear\b", re.IGNORECASE)
_PERCENT = re.compile(r"%|\bpercent", re.IGNORECASE)
_SIGN = re.compile(r"\d%|percent(?:age)? sign|%['\"]? (?:sign|symbol)", re.IGNORECASE)
_NO_SIGN = re.compile(r"(?:without|not include|omit|no)\b[^.;]{0,20}(?:%|percent)", re.IGNORECASE)
_DATE = re.compile(r"YYYY-MM|\bdate\b|ISO 8601", re.IGNORECASE)
_YES_NO = re.compile(r"\byes\b.{0,12}\bno\b", re.IGNORECASE)
_NUMERIC = re.compile(r"\bdecimal|\bround|\bnumber\b|\bnumeric|\bvalue\b|\d\.\d", re.IGNORECASE)
_TEXT = re.compile(r"\bname\b|\blabel|\btext\b|\bword\b|as (?:it is )?(?:written|spelled|given|appears)", re.IGNORECASE)


@dataclass(frozen=True)
class Slot:
    """One part of an answer: its kind, the decimals asked for, and the key that stands before it."""

    kind: Kind = "text"
    decimals: int | None = None
    key: str = ""
    sign: bool = False
    """Whether a percent sign is wanted."""

    def show(self, value: object) -> str:
        """The value as the guideline wants it written."""
        return self.key + self._shown(value)

    def _shown(self, value: object) -> str:
        if isinstance(value, bool):
            return "Yes" if value else "No"
        if not isinstance(value, int | float):
            return str(value)
        decimals = self.decimals if self.decimals is not None else (0 if self.kind == "integer" else None)
        if decimals is None:
            decimals = 0 if float(value).is_integer() else 2
        return f"{value:.{decimals}f}" + ("%" if self.kind == "percent" and self.sign else "")


def read_slots(guidelines: str) -> tuple[Slot, ...]:
    """The parts of the answer; always at least one."""
    template = _template(guidelines)
    if template:
        return tuple(_slot(part.strip(), guidelines) for part in template.split(";") if part.strip(" ."))
    counted = _HOW_MANY.search(guidelines)
    count = _number(counted.group(1)) if counted else 1
    return (_slot("", guidelines),) * count


def _template(guidelines: str) -> str:
    found = (match.group(1) for pattern in (_QUOTED, _STATED, _EXAMPLE) for match in pattern.finditer(guidelines))
    return next((text for text in found if len([part for part in text.split(";") if part.strip(" .")]) > 1), "")


def _slot(part: str, guidelines: str) -> Slot:
    key = found.group(0) if (found := re.match(r"[^:;\[<{]{1,40}:\s+(?=\S)", part)) else ""
    about = _about(part.removeprefix(key), guidelines) if part else guidelines
    kind = _kind(part.removeprefix(key)) or _kind(about) or "text"
    sign = "%" in part or (_SIGN.search(about) is not None and not _NO_SIGN.search(about))
    return Slot(kind=kind, decimals=_decimals(about, guidelines, kind), key=key, sign=sign)


def _about(part: str, guidelines: str) -> str:
    """The sentences that speak of this part of the template."""
    words = set(re.findall(r"[a-z]{4,}", part.lower()))
    sentences = re.split(r"(?<=[.)])\s+|\n", guidelines)
    return " ".join([part, *(line for line in sentences if ";" not in line and words & _words(line))])


def _words(line: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", line.lower()))


def _kind(text: str) -> Kind | None:
    tests: tuple[tuple[re.Pattern[str], Kind], ...] = (
        (_YES_NO, "yes_no"),
        (_PERCENT, "percent"),
        (_DATE, "date"),
        (_TEXT, "text"),
        (_DECIMALS, "decimal"),
        (_WHOLE, "integer"),
        (_NUMERIC, "decimal"),
    )
    return next((kind for pattern, kind in tests if text and pattern.search(text)), None)


def _decimals(about: str, guidelines: str, kind: Kind) -> int | None:
    if kind not in ("decimal", "percent"):
        return 0 if kind == "integer" else None
    for text in (about, guidelines):
        if found := _DECIMALS.search(text):
            return _number(found.group(1))
        if _WHOLE.search(text) and kind == "percent":
            return 0
    return None


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBER_WORDS[word.lower()]
