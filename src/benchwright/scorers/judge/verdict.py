"""What a judge's reply says: a verdict with its reason, or none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from benchwright.chat.replies import objects

Verdict = Literal["yes", "no", "cannot tell"]
VERDICTS: tuple[Verdict, ...] = ("yes", "no", "cannot tell")
SCHEMA = {
    "type": "object",
    "properties": {
        "case": {"type": "string"},
        "reason": {"type": "string"},
        "verdict": {"type": "string", "enum": list(VERDICTS)},
    },
    "required": ["case", "reason", "verdict"],
    "additionalProperties": False,
}
_PUBLISHED_YES, _PUBLISHED_NO = re.compile(r"\bYes\b"), re.compile(r"\bNo\b")


@dataclass(frozen=True, slots=True)
class Opinion:
    """One reply of a judge, read."""

    verdict: Verdict
    reason: str = ""


def parse_opinion(reply: str, token: str) -> Opinion | None:
    """The verdict of a reply; None where it gives none, gives two, or is not about the case with this token."""
    values = [value for value in objects(reply) if value.get("case") == token]
    verdicts = {str(value.get("verdict", "")).strip().casefold() for value in values}
    if len(verdicts) != 1 or not verdicts <= set(VERDICTS):
        return None
    verdict = next(each for each in VERDICTS if each in verdicts)
    return Opinion(verdict, str(values[0].get("reason", ""))[:1000])


def parse_published(reply: str) -> Verdict:
    """The published code's rule, faults included: the word Yes anywhere, else the word No, else unknown."""
    if _PUBLISHED_YES.search(reply):
        return "yes"
    return "no" if _PUBLISHED_NO.search(reply) else "cannot tell"
