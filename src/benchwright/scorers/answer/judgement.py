"""The verdict on one answer against one gold: right only if every part is, with the evidence for each part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from benchwright.score import Evidence
from benchwright.scorers.answer.extraction import Candidate, candidates
from benchwright.scorers.answer.forms import Form, forms
from benchwright.scorers.answer.golds import GoldAnswer, listed, read_gold, type_of
from benchwright.scorers.answer.guideline import Guideline
from benchwright.scorers.answer.lexer import prepare
from benchwright.scorers.answer.matching import RIGHT, Outcome, Part
from benchwright.scorers.answer.pairing import Match, match_of, outcomes_of
from benchwright.scorers.answer.words import NOTHING
from benchwright.scorers.compare.numbers import Number
from benchwright.scorers.compare.text import fold

MAX_CHARACTERS = 32_768
"""More than this is a transcript and not an answer; longer golds raise the limit."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict, its reason in a few words, the evidence by part, and how the answer was found and read."""

    right: bool
    reason: str
    evidence: tuple[Evidence, ...]
    how: str = ""
    warnings: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    order: str = ""
    right_parts: int = 0


def judge(prediction: str, gold_text: str, guideline: Guideline) -> Judgement:
    """Judge a prediction, which is hostile text of any length, against one gold text."""
    gold = read_gold(gold_text)
    if len(prediction) > max(MAX_CHARACTERS, 8 * len(gold_text)):
        return _refused(gold, guideline, "too long for a final answer", ())
    text = prepare(prediction)
    if gold.empty or fold(text).strip(" .[]{}()") in NOTHING:
        return _about_nothing(text, gold, guideline)
    if guideline.choices and fold(gold.text).strip("(). ") in guideline.choices:
        text = _chosen(text, guideline)
    if guideline.ratios and (share := _share(text, gold)) is not None:
        return share
    if guideline.order == "any" and len(gold.parts) == 1:
        gold = listed(gold)
    if ":" in gold.text and _RATIO.fullmatch(gold.text) and _RATIO_SAID.fullmatch(text):
        text = re.sub(r" ?(?:to|/) ?", ":", text)
    limit = 400 + 8 * len(gold.text)
    first: tuple[Part, ...] = ()
    for candidate in candidates(text, guideline):
        for form in _ways(candidate, guideline) if len(candidate.text) <= limit + 4000 else ():
            match, parts = match_of(form, gold, guideline, limit)
            first = first or parts
            if match is not None:
                return _accepted(gold, guideline, match, candidate.how)
    return _refused(gold, guideline, "", first)


def _ways(candidate: Candidate, guideline: Guideline) -> tuple[Form, ...]:
    """The forms of a candidate, also without `so`, `in`, `at` before it, or the noun beside it that is asked for."""
    bare = candidate.text[len(_LEAD.match(candidate.text)[0]) :]  # type: ignore[index]  # it matches any text
    noun, _, rest = bare.partition(" ")
    before, _, last = bare.rpartition(" ")
    texts = (
        candidate.text,
        bare,
        rest if fold(noun) in guideline.heads else "",
        before if fold(last.strip(".")) in guideline.heads else "",
    )
    return tuple(form for text in dict.fromkeys(texts) if text for form in forms(text)) or forms("")


_LEAD = re.compile(r"(?i)(?:[=-]> ?|: )?(?:(?:so|hence|thus|therefore),? )?(?:(?:in|on|at|during) )?(?:the )?")


def _about_nothing(text: str, gold: GoldAnswer, guideline: Guideline) -> Judgement:
    """An empty set is answered by an empty set in words or brackets; an empty text answers nothing."""
    said = fold(text).strip(" .[]{}()")
    if not text:
        return _refused(gold, guideline, "no answer", ())
    if gold.empty and (said in NOTHING or said == "notapplicable"):
        return Judgement(right=True, reason="right: nothing", evidence=(_evidence("", gold.text, text, RIGHT),))
    return _refused(gold, guideline, "", ())


def _chosen(text: str, guideline: Guideline) -> str:
    """The letter of a choice that was named by its letter with its text, or by its text alone."""
    said = fold(text).strip("() .")
    for letter, option in guideline.choices.items():
        spelled = fold(prepare(option)).strip("() .")
        ways = {spelled} | {f"{letter}{joint} {spelled}" for joint in (".", ")", ":", "")}
        if said in ways:
            return letter
    return text


def _share(text: str, gold: GoldAnswer) -> Judgement | None:
    """The verdict on a ratio a:b read as the share a/(a+b), inside a gold range or as exact as the gold's digits."""
    ratio = _RATIO.fullmatch(text)
    numbers = [value for value in gold.values if isinstance(value, Number)]
    if not ratio or not numbers or len(gold.values) - len(numbers) > 1 or not Decimal(ratio[1]) + Decimal(ratio[2]):
        return None
    share = Decimal(ratio[1]) / (Decimal(ratio[1]) + Decimal(ratio[2]))
    quantum = numbers[0].quantum
    right = numbers[0].value <= share.quantize(quantum) <= numbers[-1].value
    outcome = Outcome("" if right else "another value", ("ratio read as a share",))
    evidence = _evidence("1", gold.text, text, outcome)
    return Judgement(right, outcome.fault or "right, but for its form: ratio read as a share", (evidence,), "ratio")


_RATIO_SAID = re.compile(r"\d{1,12}(?:\.\d{1,12})? ?(?:/|to) ?\d{1,12}(?:\.\d{1,12})?")
_RATIO = re.compile(r"(\d{1,12}(?:\.\d{1,12})?) ?(?::|to) ?(\d{1,12}(?:\.\d{1,12})?)")


def _accepted(gold: GoldAnswer, guideline: Guideline, match: Match, how: str) -> Judgement:
    warnings = tuple(dict.fromkeys(warning for _, _, outcome in match for warning in outcome.warnings))
    return Judgement(
        right=True,
        reason="right" if not warnings else f"right, but for its form: {', '.join(warnings)}",
        evidence=tuple(
            _evidence(str(place), part.text, found, outcome) for place, (part, found, outcome) in enumerate(match, 1)
        ),
        how=how,
        warnings=warnings,
        types=tuple(type_of(part) for part in gold.parts),
        order=guideline.order,
        right_parts=len(gold.parts),
    )


def _refused(gold: GoldAnswer, guideline: Guideline, reason: str, parts: tuple[Part, ...]) -> Judgement:
    evidence: list[Evidence] = []
    right = 0
    if len(parts) == len(gold.parts) and parts:
        outcomes = outcomes_of(parts, gold, guideline)
        right = sum(not outcome.fault for outcome in outcomes)
        evidence = [
            _evidence(str(place), part.text, found.text, outcome)
            for place, (part, found, outcome) in enumerate(zip(gold.parts, parts, outcomes, strict=True), 1)
        ]
        reason = reason or _why(gold, parts, outcomes)
    elif not reason:
        reason = f"{len(gold.parts)} part{'s' * (len(gold.parts) != 1)} expected, {len(parts)} found"
    return Judgement(
        right=False,
        reason=reason,
        evidence=tuple(evidence) or (Evidence(verdict="wrong", expected=gold.text[:500], reason=reason),),
        types=tuple(type_of(part) for part in gold.parts),
        order=guideline.order,
        right_parts=right,
    )


def _why(gold: GoldAnswer, parts: Sequence[Part], outcomes: Sequence[Outcome]) -> str:
    if len(parts) > 1 and Counter(part.values for part in parts) == Counter(part.values for part in gold.parts):
        return "another order"
    return next((outcome.fault for outcome in outcomes if outcome.fault), "not one clear final answer")


def _evidence(part: str, expected: str, found: str, outcome: Outcome) -> Evidence:
    return Evidence(
        part=part,
        verdict="wrong" if outcome.fault else "right",
        expected=expected[:500],
        found=found[:500],
        reason=outcome.fault or ", ".join(outcome.warnings),
    )
