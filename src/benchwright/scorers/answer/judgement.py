"""The verdict on one answer against one gold: right only if every part is, with the evidence for each part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache

from benchwright.score import Evidence
from benchwright.scorers.answer.extraction import Candidate, candidates
from benchwright.scorers.answer.forms import Form, forms, pairs_text, parse_json
from benchwright.scorers.answer.glued import tears
from benchwright.scorers.answer.guideline import Guideline
from benchwright.scorers.answer.lexer import Level, Mark, Token, Value, Word, prepare, readings, tokens
from benchwright.scorers.answer.matching import RIGHT, Outcome, Part, compare_rows, split
from benchwright.scorers.answer.phrases import year_first
from benchwright.scorers.answer.words import NOTHING
from benchwright.scorers.compare.dates import Moment
from benchwright.scorers.compare.numbers import Number, NumberRule
from benchwright.scorers.compare.text import fold, normalise

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


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """A gold, read once: its parts, all their values in a row, and what it is not by itself (`empty`, `keyed`)."""

    text: str
    parts: tuple[Part, ...]
    keyed: bool = False
    empty: bool = False
    values: tuple[Value, ...] = field(default=())


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
        gold = _listed(gold)
    if ":" in gold.text and _RATIO.fullmatch(gold.text) and _RATIO_SAID.fullmatch(text):
        text = re.sub(r" ?(?:to|/) ?", ":", text)
    limit = 400 + 8 * len(gold.text)
    first: tuple[Part, ...] = ()
    for candidate in candidates(text, guideline):
        for form in _ways(candidate, guideline) if len(candidate.text) <= limit + 4000 else ():
            match, parts = _match(form, gold, guideline, limit)
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


@lru_cache(maxsize=4096)
def read_gold(text: str) -> GoldAnswer:
    """The parts of a gold: by semicolon or line, or as JSON; a list with commas alone stays one part."""
    value = parse_json(text.strip()) if text.strip()[:1] in {"[", "{"} else None
    if isinstance(value, dict):
        prepared, keyed = prepare(pairs_text(value)), True
    elif isinstance(value, list):
        prepared, keyed = prepare(forms(text.strip())[-1].text), False
    else:
        prepared, keyed = year_first(prepare(text)), False
    parts = split(tokens(prepared), prepared, Level.STRONG)
    values = tuple(value for part in parts for value in part.values)
    empty = fold(prepared).strip(" .[]{}()") in NOTHING and bool(text.strip())
    return GoldAnswer(normalise(text), parts, keyed, empty, values)


def _listed(gold: GoldAnswer) -> GoldAnswer:
    """A gold whose items may stand in any order, cut into them where commas or `and` alone divide it."""
    prepared = prepare(gold.text)
    return replace(gold, parts=split(tokens(prepared), prepared, Level.AND))


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


def _match(
    form: Form, gold: GoldAnswer, guideline: Guideline, limit: int
) -> tuple[list[tuple[Part, str, Outcome]] | None, tuple[Part, ...]]:
    """The parts that match the gold's, with what was found for each; None with the parts as first read."""
    first: tuple[Part, ...] = ()
    if len(form.text) > limit:
        return None, first
    for reading in readings(form.text):
        row = tokens(form.text, reading)
        if tears(row, form.text, gold.text):
            continue
        if match := _in_a_row(row, form.text, gold, guideline):
            return match, first
        for parts in _splits(row, form.text, len(gold.parts)):
            first = first or parts
            if match := _by_part(parts, gold, guideline, keyed=form.keyed):
                return match, first
    return None, first or split(tokens(form.text), form.text, Level.STRONG)


def _in_a_row(
    row: Sequence[Token], text: str, gold: GoldAnswer, guideline: Guideline
) -> list[tuple[Part, str, Outcome]] | None:
    """All values in the gold's order, whatever separates them."""
    values = [token.value for token in row if isinstance(token.value, Number | Moment | Word | Mark)]
    if not values or abs(len(values) - len(gold.values)) > 8 + len(gold.values):
        return None
    rules = [
        rule for part, rule in zip(gold.parts, _rules(gold, guideline), strict=True) for _ in range(len(part.values))
    ]
    outcome = compare_rows(gold.values, values, guideline, rules)
    if outcome.fault:
        return None
    cut = next(_splits(row, text, len(gold.parts)), None)
    said = [part.text for part in cut] if cut else [text] * len(gold.parts)
    return [(part, found, outcome) for part, found in zip(gold.parts, said, strict=True)]


def _rules(gold: GoldAnswer, guideline: Guideline) -> list[NumberRule]:
    labels = guideline.labels(len(gold.parts)) or ("",) * len(gold.parts)
    return [guideline.number_rule(label) for label in labels]


def _splits(row: Sequence[Token], text: str, wanted: int) -> Iterator[tuple[Part, ...]]:
    """The ways to cut a row into as many parts as the gold has, by strong separators first."""
    for level in (Level.STRONG, Level.COMMA, Level.AND):
        parts = split(row, text, level)
        if len(parts) == wanted:
            yield parts


def _by_part(
    parts: tuple[Part, ...], gold: GoldAnswer, guideline: Guideline, *, keyed: bool
) -> list[tuple[Part, str, Outcome]] | None:
    free = guideline.order == "any" or gold.keyed or (keyed and guideline.order != "stated" and _all_labelled(gold))
    for order in _orders(parts, gold, guideline, free=free):
        outcomes = _outcomes(order, gold, guideline)
        if not any(outcome.fault for outcome in outcomes):
            return [
                (part, found.text, outcome) for part, found, outcome in zip(gold.parts, order, outcomes, strict=True)
            ]
    return None


def _all_labelled(gold: GoldAnswer) -> bool:
    labels = [fold(part.label) for part in gold.parts]
    return all(labels) and len(set(labels)) == len(labels)


def _orders(
    parts: tuple[Part, ...], gold: GoldAnswer, guideline: Guideline, *, free: bool
) -> Iterator[tuple[Part, ...]]:
    """The parts as they stand, by the slots that their labels name, and in any order where any is right."""
    yield parts
    bare = not any(part.label for part in gold.parts)
    if bare and (named := _by_slot(parts, guideline)) is not None:
        yield named
    if not free:
        return
    size = _group_size(gold)
    rules = _rules(gold, guideline)
    left = [parts[start : start + size] for start in range(0, len(parts), size)]
    ordered: list[Part] = []
    for start in range(0, len(gold.parts), size):
        group = gold.parts[start : start + size]
        chosen = next((found for found in left if _same_group(group, found, guideline, rules[start])), None)
        if chosen is None:
            return
        left.remove(chosen)
        ordered += chosen
    yield tuple(ordered)


def _by_slot(parts: tuple[Part, ...], guideline: Guideline) -> tuple[Part, ...] | None:
    """The parts in the template's order, where the label of each names another one of its slots."""
    labels = guideline.labels(len(parts))
    slots = [[place for place, label in enumerate(labels) if _names(part.label, label, labels)] for part in parts]
    if len(labels) < 2 or sorted(slots) != [[place] for place in range(len(parts))]:
        return None
    return tuple(part for _, part in sorted(zip(slots, parts, strict=True), key=lambda pair: pair[0]))


def _same_group(gold: Sequence[Part], found: Sequence[Part], guideline: Guideline, rule: NumberRule) -> bool:
    return len(gold) == len(found) and all(
        not _compare_part(left, right, guideline, rule).fault for left, right in zip(gold, found, strict=True)
    )


def _group_size(gold: GoldAnswer) -> int:
    """How many parts belong together: 2 for `A; 1; B; 2`, by the shortest period of numbers and words; else 1."""
    kinds = [isinstance(part.values[0], Number) for part in gold.parts]
    for size in range(1, len(kinds) // 2 + 1):
        if len(kinds) % size == 0 and kinds == kinds[:size] * (len(kinds) // size):
            return size
    return 1


def _outcomes(parts: Sequence[Part], gold: GoldAnswer, guideline: Guideline) -> list[Outcome]:
    labels = guideline.labels(len(gold.parts)) or ("",) * len(gold.parts)
    return [
        _compare_part(part, found, guideline, guideline.number_rule(label), labelled=_names(found.label, label, labels))
        for part, found, label in zip(gold.parts, parts, labels, strict=True)
    ]


def _names(said: str, label: str, labels: Sequence[str]) -> bool:
    """Whether the words before a colon name this slot of the template, and none of the others."""
    words = _words(said)
    return bool(words) and words <= _words(label) and sum(words <= _words(other) for other in labels) == 1


def _words(text: str) -> frozenset[str]:
    return frozenset(fold(word) for word in re.findall(r"\w+", normalise(text).replace("_", " ")))


def _compare_part(
    gold: Part, found: Part, guideline: Guideline, rule: NumberRule, *, labelled: bool = False
) -> Outcome:
    rules = (rule,) * len(gold.values)
    outcome = compare_rows(gold.values, found.values, guideline, rules, loose=not found.divided)
    if not outcome.fault:
        return outcome
    texts = {fold(gold.text), fold(found.text)}
    if any(texts <= group for group in guideline.synonyms):
        return Outcome(warnings=("a synonym that the task allows",))
    if labelled and not gold.label:
        return compare_rows(gold.values, found.labelled, guideline, rules, loose=True)
    return outcome


def _accepted(gold: GoldAnswer, guideline: Guideline, match: list[tuple[Part, str, Outcome]], how: str) -> Judgement:
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
        outcomes = _outcomes(parts, gold, guideline)
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


def type_of(part: Part) -> str:
    """What a part is: integer, decimal, percent, currency, unit, date, range, yes/no, label, key: value or text."""
    if part.label:
        return "key: value"
    values = part.values
    if any(value == Mark("–") for value in values):
        return "range"
    if len(values) == 1 and isinstance(values[0], Word) and values[0].text in {"yes", "no"}:
        return "yes/no"
    if len(values) == 1 and isinstance(values[0], Moment):
        return "date"
    if isinstance(values[0], Number):
        return _number_type(values[0], len(values))
    return "label" if len(values) <= 6 else "text"


def _number_type(number: Number, values: int) -> str:
    if number.percent:
        return "percent"
    if number.currency:
        return "currency"
    if values > 1:
        return "unit"
    return "integer" if number.is_integer else "decimal"
