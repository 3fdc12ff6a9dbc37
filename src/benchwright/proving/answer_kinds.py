"""Of which kind the parts of an answer are: integer, decimal, percent, currency, date, range, yes/no, label, text."""

from __future__ import annotations

import re
from typing import Literal

AnswerKind = Literal[
    "integer", "decimal", "percent", "currency", "date", "range", "yes/no", "number+unit", "key: value", "label", "text"
]
_SIMPLE = r"[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?"
_KINDS: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = (
    ("yes/no", re.compile(r"(?i)^(?:yes|no|true|false)$")),
    ("date", re.compile(r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{2}:\d{2}.*)?$|^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}$")),
    ("percent", re.compile(rf"^[~<>≤≥]?\s*{_SIMPLE}\s*%$")),
    ("currency", re.compile(rf"^[-−]?[$€£¥₹]\s*{_SIMPLE}\s*[KMBkmb]?$|^{_SIMPLE}\s*[$€£¥₹]$")),
    ("integer", re.compile(r"^[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)$")),
    ("decimal", re.compile(rf"^{_SIMPLE}$")),
    (
        "range",
        re.compile(rf"^(?:between\s+)?{_SIMPLE}\s*%?\s*(?:-|–|to|and)\s*{_SIMPLE}\s*%?(?:\s+\w+)?$", re.IGNORECASE),
    ),
    ("number+unit", re.compile(rf"^{_SIMPLE}\s*[^\W\d][\w/°²³ ]{{0,20}}$")),
    ("key: value", re.compile(r"^[^:]{1,60}:\s*[-+$€£]?\d")),
)
_LONGEST_LABEL = 6


def answer_kind(part: str) -> AnswerKind:
    """The kind of one part; what is none of the others is a label, or text where it has more than six words."""
    stripped = part.strip()
    for kind, pattern in _KINDS:
        if pattern.match(stripped):
            return kind
    return "label" if len(stripped.split()) <= _LONGEST_LABEL else "text"
