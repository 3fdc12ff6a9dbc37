"""Rule: the gold describes what an answer would look like, instead of giving values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.proving.findings import Severity
from benchwright.proving.lint.base import Case, TaskRule, quoted
from benchwright.proving.lint.text import words

_ARTEFACT = (
    "table|list|dataframe|data\\s+frame|matrix|chart|plot|graph|figure|histogram|heatmap|dictionary|csv|file|json|array|"
    "summary|description|paragraph|series|report|ranking|breakdown|statement|sentence|phrase|answer|response|output|result"
)
_OPENING = re.compile(
    rf"(?i)^\W*(?:(?:an?|the|this|your)\s+)?(?:[\w-]+\s+){{0,4}}?(?:{_ARTEFACT})\b"
    r"(?:\s+or\s+\w+)?\s+(?:with|of|containing|contains|showing|shows|that|which|where|listing|including|includes|in\s+which|"
    r"displaying|should|must|will|for\s+each|sorted|giving|gives|having|has|describing)\b"
)
_DUTY = re.compile(
    r"(?i)\b(?:should|must|needs?\s+to|has\s+to|have\s+to)\s+(?:\w+\s+)?"
    r"(?:be|contain|include|show|list|have|match|follow|display|represent|provide)\b"
    r"|\beach\s+(?:row|cell|column|entry|line|element|value|item)\b|\bformatted\s+(?:as|to|with)\b"
    r"|\bcalculated\s+(?:as|by|from)\b|\brounded\s+to\b"
)
_VALUE = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?%?(?![\w-])")


def find(case: Case) -> Iterator[str]:
    """Prose about a table, list or chart; or words of duty in a long text that holds hardly a value."""
    answer = case.answer
    count = len(words(answer))
    duties = _DUTY.findall(answer)
    opening = _OPENING.match(answer)
    dense = len(_VALUE.findall(answer)) >= 0.3 * count
    if count < 5 or dense:
        return
    if (opening and (count >= 8 or duties)) or (duties and count >= 6):
        reason = "it opens like a description" if opening else "it says what an answer should be"
        yield f"{reason}, {count} words long: {quoted(answer)}"


RULES = (
    TaskRule(
        "gold-is-description",
        Severity.ERROR,
        "no answer with values can agree with it: write the values, or ask for a table and give a gold file",
        find,
    ),
)
