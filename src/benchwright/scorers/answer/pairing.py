"""Which parts of an answer stand for which of the gold: cut like it, in its order, or in any where any is right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchwright.scorers.answer.forms import Form
from benchwright.scorers.answer.glued import tears
from benchwright.scorers.answer.golds import GoldAnswer
from benchwright.scorers.answer.guideline import Guideline
from benchwright.scorers.answer.lexer import Level, Mark, Token, Word, readings, tokens
from benchwright.scorers.answer.matching import Outcome, Part, compare_rows, split
from benchwright.scorers.compare.dates import Moment
from benchwright.scorers.compare.numbers import Number, NumberRule
from benchwright.scorers.compare.text import fold, normalise

Match = list[tuple[Part, str, Outcome]]
"""The parts of the gold, with what was found for each and how they compare."""


def match_of(form: Form, gold: GoldAnswer, guideline: Guideline, limit: int) -> tuple[Match | None, tuple[Part, ...]]:
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


def _in_a_row(row: Sequence[Token], text: str, gold: GoldAnswer, guideline: Guideline) -> Match | None:
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


def _by_part(parts: tuple[Part, ...], gold: GoldAnswer, guideline: Guideline, *, keyed: bool) -> Match | None:
    free = guideline.order == "any" or gold.keyed or (keyed and guideline.order != "stated" and _all_labelled(gold))
    for order in _orders(parts, gold, guideline, free=free):
        outcomes = outcomes_of(order, gold, guideline)
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


def outcomes_of(parts: Sequence[Part], gold: GoldAnswer, guideline: Guideline) -> list[Outcome]:
    """Each part against the gold's in its place, of which there are as many."""
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
