"""The text scorer: the same words, or nearly the same words with the same numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from benchwright.dialects import decode
from benchwright.errors import SuiteError
from benchwright.score import Evidence, Score, Scored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.opening import read_output
from benchwright.scorers.compare.senses import other_sense
from benchwright.scorers.compare.text import normalise
from benchwright.scorers.options import known_options, number_of, one_of
from benchwright.scorers.outputs import judge_output
from benchwright.trajectory import Submission

MAX_BYTES = 4 << 20
_NUMBER = re.compile(r"(?:(?<![\w)%.])[-+])?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[-+]?\d{1,3}\b)?(?: ?%)?")
_NEGATION = re.compile(r"\b(?:not|no|never|none|neither|nor|without|cannot)\b|n't\b")
_SHOWN = 500
_THRESHOLD = 0.9
_MOST_COMPARED = 20_000_000_000
"""Letters times letters whose similarity is measured, as of two texts of 140,000."""


@dataclass(frozen=True, slots=True)
class TextRule:
    """The options of a check: `mode` "exact" (default) or "fuzzy"; `threshold`, the least similarity that is right."""

    mode: Literal["exact", "fuzzy"] = "exact"
    threshold: float = _THRESHOLD

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> TextRule:
        """The rule of some options; a SuiteError names one that does not exist or has no such value."""
        given = known_options("text", options, tuple(cls.__dataclass_fields__))
        threshold = number_of("text", "threshold", given.get("threshold", _THRESHOLD))
        if not 0 < threshold <= 1:
            raise SuiteError(
                "option 'threshold' of the text scorer", found=repr(threshold), expected="above 0, up to 1"
            )
        return cls(one_of("text", "mode", given.get("mode", "exact"), ("exact", "fuzzy")), threshold)


class TextScorer:
    """Compares a text file with the gold texts; with several golds the best one counts."""

    name = "text"
    version = 1

    def score(self, submission: Submission, expected: Expected) -> Score:
        """1 if the words are the same (or, in mode "fuzzy", similar enough, with the same numbers), else 0."""
        rule = TextRule.read(expected.check.options)
        return judge_output(submission, expected, _read, lambda gold, found: _compare(gold, found, rule))


def _read(path: Path, _: str) -> tuple[str, str]:
    """A text and its encoding."""
    return decode(read_output(path, MAX_BYTES))


def _compare(gold: tuple[str, str], found: tuple[str, str], rule: TextRule) -> Scored:
    score = _judge(gold[0], found[0], rule)
    return score.model_copy(update={"details": {**score.details, "encoding": found[1]}})


def folded(text: str) -> str:
    """A text without the accidents of case, line ends, runs of blanks, dashes, quotes and Unicode forms."""
    return " ".join(normalise(text).casefold().split())


def _judge(gold: str, found: str, rule: TextRule) -> Scored:
    left, right = folded(gold), folded(found)
    if left == right:
        return Scored(value=1.0, reason="right", details={"rule": "exact", "similarity": 1.0})
    reason, similarity = ("another text", None) if rule.mode == "exact" else _difference(left, right, rule.threshold)
    details: dict[str, Any] = {"rule": rule.mode}
    if similarity is not None:
        details |= {"similarity": similarity, "threshold": rule.threshold}
    shown = Evidence(
        part="text",
        verdict="wrong" if reason else "note",
        expected=left[:_SHOWN],
        found=right[:_SHOWN],
        reason=reason or f"similar words ({similarity:.3f}), the same numbers",
    )
    return Scored(value=0.0 if reason else 1.0, reason=reason or "right", evidence=(shown,), details=details)


def _difference(gold: str, found: str, threshold: float) -> tuple[str, float]:
    """Why two texts do not say the same (empty if they do), and how similar their words are, from 0 to 1.

    Numbers and denials decide by themselves: 0.42 and 0.43 are spelled alike and mean something else.
    """
    from rapidfuzz.fuzz import ratio

    if len(gold) * len(found) > _MOST_COMPARED:
        return "other words: too long to be compared letter by letter", 0.0
    words = [_NUMBER.sub("#", text) for text in (gold, found)]
    similarity = ratio(*words, score_cutoff=100 * threshold) / 100
    if _numbers(gold) != _numbers(found):
        return "other numbers", similarity
    if len(_NEGATION.findall(gold)) != len(_NEGATION.findall(found)):
        return "a denial more or less", similarity
    if similarity >= threshold and (fault := other_sense(gold, found)):
        return fault, similarity
    return ("" if similarity >= threshold else f"other words: less similar than {threshold}"), similarity


def _numbers(text: str) -> Sequence[tuple[Decimal, bool]]:
    """The numbers of a text in order, and whether each is a percentage."""
    return [(Decimal(re.sub(r"[,\s%]", "", number)), number.endswith("%")) for number in _NUMBER.findall(text)]
