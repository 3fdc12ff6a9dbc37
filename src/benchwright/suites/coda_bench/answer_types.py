"""What kind of value each part of a gold answer is; parts are separated by semicolons."""

from __future__ import annotations

import re

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("integer", r"[-+]?\d+"),
        ("float", r"[-+]?\d*\.\d+"),
        ("percent", r"[-+]?\d[\d,]*(\.\d+)?\s*%"),
        ("thousands", r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?"),
        ("yes_no", r"yes|no|true|false"),
        ("currency", r"[-+]?[$€£].*"),
        ("date", r"\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}/\d{2,4}"),
        ("range", r"[-+]?[\d.,]+%?\s*(-|–|to)\s*[\d.,]+%?"),
        ("key_number", r"[^:]+:\s*[-+$]?[\d.,]+\s*%?"),
        ("number_unit", r"[-+]?[\d.,]+\s*[A-Z][A-Z/ °²]*"),
        ("text_with_digits", r".*\d.*"),
    )
)


def parts_of(answer: str) -> tuple[str, ...]:
    """The parts of an answer without outer white space."""
    return tuple(part.strip() for part in answer.split(";"))


def part_type(part: str) -> str:
    """The kind of one part; `text` where it holds no digit."""
    return next((name for name, pattern in _KINDS if pattern.fullmatch(part)), "text")


def answer_type(answer: str) -> str:
    """The kinds of all parts in order, e.g. `integer;percent`."""
    return ";".join(part_type(part) for part in parts_of(answer))
