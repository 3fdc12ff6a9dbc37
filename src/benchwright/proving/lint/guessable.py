"""Rule: a gold that a program which reads no data guesses easily."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.proving.findings import Severity
from benchwright.proving.guideline import split_parts
from benchwright.proving.lint.base import Case, TaskRule, quoted

_BINARY = re.compile(r"(?i)^(?:yes|no|true|false|none|increase[sd]?|decrease[sd]?|positive|negative|male|female)$")
_TINY = re.compile(r"^\d$|^10$|^(?:0|100|50)\s*%$")


def find(case: Case) -> Iterator[str]:
    """Yes or no, or one integer up to ten, alone."""
    parts = split_parts(case.answer)
    if len(parts) == 1 and (_BINARY.match(parts[0]) or _TINY.match(parts[0])):
        yield f"the gold is {quoted(case.answer)}"


RULES = (TaskRule("guessable-gold", Severity.NOTE, "ask for one more value beside it", find),)
