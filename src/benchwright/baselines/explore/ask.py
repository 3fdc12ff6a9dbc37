"""What a question asks to be computed: the operations, in the order in which it names them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from .words import count_words

Operation = Literal["mean", "median", "sum", "max", "min", "std", "count", "distinct", "share", "correlation"]

_OPERATIONS: tuple[tuple[Operation, str], ...] = (
    ("correlation", r"\bcorrelat\w+"),
    ("std", r"\bstandard deviation|\bstd\b"),
    ("median", r"\bmedian"),
    ("mean", r"\baverage|\bmean\b"),
    ("share", r"\bpercent\w*|\bshare\b|\bproportion|\bfraction|% of"),
    ("distinct", r"\b(?:distinct|different|unique)\b"),
    ("sum", r"\btotal\b|\bsum\b|\bcombined\b|\baltogether\b"),
    ("count", r"\bhow many\b|\bnumber of\b|\bcount\b"),
    (
        "max",
        r"\bhighest|\blargest|\bmaximum|\bgreatest|\bmost\b|\bbiggest|\blongest|\btallest|\bheaviest|\boldest|\bfastest",
    ),
    ("min", r"\blowest|\bsmallest|\bminimum|\bleast\b(?! \d)|\bfewest|\bshortest|\blightest|\byoungest|\bslowest"),
)
_WHICH = re.compile(r"\b(?:which|what|whose|who|name of the|in which)\b", re.IGNORECASE)
_GROUP = re.compile(r"\b(?:which|what|per|each|by|every)\s+(?:the\s+)?(?:\w+\s+)?", re.IGNORECASE)
_MORE = r"(?:more|greater|higher|larger|older|longer|heavier) than|over|above|exceed(?:s|ed|ing)?|after"
_LESS = r"(?:less|fewer|lower|smaller|younger|shorter|lighter) than|under|below|before"
_AT_LEAST, _AT_MOST = r"at least|no less than|not less than|from", r"at most|no more than|not more than|up to"
_NUMBER = r"(-?\d[\d,]*(?:\.\d+)?)"
_COMPARISONS = (
    (">", re.compile(rf"\b(?:{_MORE})\s+\$?{_NUMBER}", re.IGNORECASE)),
    ("<", re.compile(rf"\b(?:{_LESS})\s+\$?{_NUMBER}", re.IGNORECASE)),
    (">=", re.compile(rf"\b(?:{_AT_LEAST})\s+\$?{_NUMBER}", re.IGNORECASE)),
    ("<=", re.compile(rf"\b(?:{_AT_MOST})\s+\$?{_NUMBER}", re.IGNORECASE)),
    (">=", re.compile(rf"{_NUMBER}\s+or (?:more|greater|higher|older|above)", re.IGNORECASE)),
    ("<=", re.compile(rf"{_NUMBER}\s+or (?:less|fewer|lower|younger|below)", re.IGNORECASE)),
    ("==", re.compile(rf"\b(?:exactly|equals?(?: to)?|=)\s*{_NUMBER}", re.IGNORECASE)),
)
_BETWEEN = re.compile(rf"\bbetween\s+{_NUMBER}\s+and\s+{_NUMBER}", re.IGNORECASE)
_COUNT_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
_TOP = re.compile(r"\btop (\d+|two|three|four|five|ten)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """One operation, and the word of the question (by its index) at which it is named."""

    operation: Operation
    at: int


@dataclass(frozen=True)
class Comparison:
    """A number that a column is compared with, and the index of the word at which it is said."""

    sign: str
    number: float
    at: int


def operations(text: str) -> list[Asked]:
    """The operations that a question names, in its order, each once."""
    hits = [
        (found.start(), name) for name, pattern in _OPERATIONS if (found := re.search(pattern, text, re.IGNORECASE))
    ]
    return [Asked(name, word_index(text, start)) for start, name in sorted(hits)]


def wants_label(text: str) -> bool:
    """Whether the question asks which one, not only how much."""
    return _WHICH.search(text) is not None


def comparisons(text: str) -> list[Comparison]:
    """The bounds on numbers that the question states."""
    found = [
        Comparison(sign, _number(hit.group(1)), word_index(text, hit.start()))
        for sign, pattern in _COMPARISONS
        for hit in pattern.finditer(text)
    ]
    for hit in _BETWEEN.finditer(text):
        at = word_index(text, hit.start())
        found += [Comparison(">=", _number(hit.group(1)), at), Comparison("<=", _number(hit.group(2)), at)]
    return found


def ranks_by_count(text: str) -> bool:
    """Whether it is the number of rows that decides: the most common, the fewest."""
    return re.search(r"\b(?:most|least|fewest|frequent\w*|common\w*|often)\b", text, re.IGNORECASE) is not None


def group_words(text: str) -> list[int]:
    """The indices of the words that follow which, what, per, each, by."""
    return [word_index(text, hit.end()) for hit in _GROUP.finditer(text)]


def how_many_first(text: str) -> int:
    """The n of "the top n"; 1 where it is not said."""
    found = _TOP.search(text)
    if not found:
        return 1
    return _COUNT_WORDS.get(found.group(1).lower()) or int(found.group(1))


def word_index(text: str, position: int) -> int:
    """The index of the word at a character position, in the sense of `words.Question`."""
    return count_words(text[:position])


def _number(text: str) -> float:
    return float(text.replace(",", ""))
