"""The text scorer: the same words, or nearly the same words with the same numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from benchwright.errors import SuiteError
from benchwright.score import Evidence, Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.dialects import decode
from benchwright.scorers.compare.opening import UnreadableOutput, read_output
from benchwright.scorers.compare.text import normalise
from benchwright.trajectory import Submission

MAX_BYTES = 4 << 20
_NUMBER = re.compile(r"(?:(?<![\w)%.])[-+])?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[-+]?\d{1,3}\b)?(?: ?%)?")
_NEGATION = re.compile(r"\b(?:not|no|never|none|neither|nor|without|cannot)\b|n't\b")
_SHOWN = 500


@dataclass(frozen=True, slots=True)
class TextRule:
    """The options of a check: `mode` "exact" (default) or "fuzzy"; `threshold`, the least similarity that is right."""

    mode: Literal["exact", "fuzzy"] = "exact"
    threshold: float = 0.9

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> TextRule:
        """The rule of some options; a SuiteError names one that does not exist or has no such value."""
        stated = {name: value for name, value in options.items() if name != "published"}
        unknown = sorted(set(stated) - set(cls.__dataclass_fields__))
        if unknown:
            raise SuiteError(f"the text scorer has no option {unknown[0]!r}", expected="mode, threshold")
        rule = cls(**stated)
        if rule.mode not in ("exact", "fuzzy"):
            raise SuiteError("option 'mode' of the text scorer", found=repr(rule.mode), expected="exact or fuzzy")
        if (
            isinstance(rule.threshold, bool)
            or not isinstance(rule.threshold, (int, float))
            or not 0 < rule.threshold <= 1
        ):
            raise SuiteError("option 'threshold' of the text scorer", found=repr(rule.threshold), expected="0 to 1")
        return rule


class TextScorer:
    """Compares a text file with the gold texts; with several golds the best one counts."""

    name = "text"
    version = 1

    def score(self, submission: Submission, expected: Expected) -> Score:
        """1 if the words are the same (or, in mode "fuzzy", similar enough, with the same numbers), else 0."""
        check = expected.check
        rule = TextRule.read(check.options)
        try:
            golds = [_read(expected.files / Path(name).name)[0] for name in check.golds or expected.gold.files]
        except UnreadableOutput as error:
            return Unscored(reason=f"suite: the gold text cannot be used: {error}", details={"gold": "unreadable"})
        if not golds:
            return Unscored(reason="suite: no gold text", details={"gold": "missing"})
        if check.output not in submission.files:
            return Scored(value=0.0, reason=f"no file {check.output}")
        try:
            found, encoding = _read(submission.files[check.output])
        except UnreadableOutput as error:
            return Scored(value=0.0, reason=f"unreadable {check.output}: {error}")
        best = max((_judge(gold, found, rule) for gold in golds), key=lambda score: score.value)
        return best.model_copy(update={"details": {**best.details, "encoding": encoding}})


def _read(path: Path) -> tuple[str, str]:
    return decode(read_output(path, MAX_BYTES))


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

    words = [_NUMBER.sub("#", text) for text in (gold, found)]
    similarity = ratio(*words, score_cutoff=100 * threshold) / 100
    if _numbers(gold) != _numbers(found):
        return "other numbers", similarity
    if len(_NEGATION.findall(gold)) != len(_NEGATION.findall(found)):
        return "a denial more or less", similarity
    return ("" if similarity >= threshold else f"other words: less similar than {threshold}"), similarity


def _numbers(text: str) -> Sequence[tuple[Decimal, bool]]:
    """The numbers of a text in order, and whether each is a percentage."""
    return [(Decimal(re.sub(r"[,\s%]", "", number)), number.endswith("%")) for number in _NUMBER.findall(text)]
