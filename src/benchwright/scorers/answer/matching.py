"""Whether a row of typed values says what the gold says: in order, nothing missing, nothing besides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.scorers.answer.guideline import Guideline
from benchwright.scorers.answer.lexer import Level, Mark, Separator, Token, Value, Word
from benchwright.scorers.answer.words import DOUBTS, FILLERS, NUMBER_WORDS
from benchwright.scorers.compare.dates import Moment, compact_date, same_moment, settled
from benchwright.scorers.compare.numbers import Number, NumberRule, compare_numbers


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an answer: its values, its text, and the label before its first colon with what it labels.

    `divided`: a separator stands between its last number and the words behind it.
    """

    values: tuple[Value, ...]
    text: str
    label: str = ""
    labelled: tuple[Value, ...] = ()
    divided: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The first fault (empty: right), and warnings about the form of what is right."""

    fault: str = ""
    warnings: tuple[str, ...] = ()


RIGHT = Outcome()


def split(found: Sequence[Token], text: str, level: Level) -> tuple[Part, ...]:
    """The parts between separators of at least this level; empty ones are left out."""
    parts: list[Part] = []
    run: list[Token] = []
    for token in found:
        if isinstance(token.value, Separator) and token.value.level >= level:
            parts += _part(run, text)
            run = []
        else:
            run.append(token)
    return tuple(parts + _part(run, text))


def _part(run: Sequence[Token], text: str) -> list[Part]:
    values = tuple(token.value for token in run if not isinstance(token.value, Separator))
    if not values:
        return []
    raw = text[run[0].start : run[-1].end].strip()
    colon = next((place for place, token in enumerate(run) if token.value == Separator(Level.COLON)), None)
    if not colon:
        return [Part(values, raw, divided=_divided(run))]
    label = text[run[0].start : run[colon].start].strip()
    after = tuple(token.value for token in run[colon:] if not isinstance(token.value, Separator))
    return [Part(values, raw, label, after, _divided(run))]


def _divided(run: Sequence[Token]) -> bool:
    last = max((place for place, token in enumerate(run) if isinstance(token.value, Number)), default=0)
    return any(isinstance(token.value, Separator) for token in run[last:])


def compare_rows(
    gold: Sequence[Value],
    found: Sequence[Value],
    guideline: Guideline,
    rules: Sequence[NumberRule],
    *,
    loose: bool = False,
) -> Outcome:
    """Compare two rows of values, each gold value by its own rule.

    `loose` lets a unit be left out or added that the task itself names.
    """
    place = other = 0
    warnings: list[str] = []
    while place < len(gold) and other < len(found):
        left, right = gold[place], found[other]
        if _is_text(left, right):
            steps = _same_text(gold, place, found, other, guideline)
            if steps is None:
                return Outcome(_text_fault(left, right))
            place, other = place + steps[0], other + steps[1]
            continue
        outcome = _compare(left, right, rules[place], guideline)
        if outcome.fault:
            return outcome
        warnings += outcome.warnings
        place, other = place + 1, other + 1
    left_over = _left_over(gold, place, found, other, guideline, loose=loose)
    return Outcome(left_over, tuple(dict.fromkeys(warnings)))


def _is_text(left: Value, right: Value) -> bool:
    """Whether at least one is a word, and the other a word or digits that may belong to one (TV-14, TV 14)."""
    if isinstance(left, Word):
        return isinstance(right, Word) or (bool(_text(right)) and left.text not in NUMBER_WORDS)
    return isinstance(right, Word) and bool(_text(left)) and right.text not in NUMBER_WORDS


def _text(value: Value) -> str:
    if isinstance(value, Word):
        return value.text
    return value.plain if isinstance(value, Number) else ""


def _same_text(
    gold: Sequence[Value], place: int, found: Sequence[Value], other: int, guideline: Guideline
) -> tuple[int, int] | None:
    """How many values on each side make up the same text, however it is cut into words; None: another text."""
    left, right = _text(gold[place]), _text(found[other])
    if left == "notapplicable" and right == "na":
        return 1, 1
    if left != right and guideline.yes_no and _TRUTH.get(left, left) == _TRUTH.get(right, right):
        return 1, 1
    taken, used = 1, 1
    while (bare := left.replace("-", "")) != (other_bare := right.replace("-", "")):
        if bare.startswith(other_bare) and other + used < len(found) and (more := _text(found[other + used])):
            right, used = _join(right, more), used + 1
        elif other_bare.startswith(bare) and place + taken < len(gold) and (more := _text(gold[place + taken])):
            left, taken = _join(left, more), taken + 1
        else:
            return None
    # A hyphen beside a digit may be a space (TV 14), but A-1 is not A1.
    hyphens, others = left.count("-"), right.count("-")
    same = hyphens == others or (taken if hyphens < others else used) > 1
    return (taken, used) if same else None


_TRUTH = {"true": "yes", "y": "yes", "false": "no", "n": "no"}


def _join(text: str, more: str) -> str:
    """Two numbers side by side stay two: 1 and 2 are not 12."""
    return f"{text}.{more}" if text[-1].isdigit() and more[0].isdigit() else text + more


def _compare(left: Value, right: Value, rule: NumberRule, guideline: Guideline) -> Outcome:
    if isinstance(left, Number) and isinstance(right, Number):
        difference = compare_numbers(left, right, rule)
        return Outcome(difference.fault, difference.warnings)
    if isinstance(left, Number) and isinstance(right, Word):
        return RIGHT if NUMBER_WORDS.get(right.text) == left.value and not left.percent else Outcome("not a number")
    if isinstance(left, Word) and isinstance(right, Number):
        return RIGHT if NUMBER_WORDS.get(left.text) == right.value and not right.percent else Outcome("other words")
    if isinstance(left, Moment) and (date := _date(right, guideline)) is not None:
        unsure = ("day and month may be swapped",) if date.swapped else ()
        return Outcome("" if same_moment(settled(left, guideline.day_first), date) else "another date", unsure)
    if isinstance(left, Mark) and left == right:
        return RIGHT
    return Outcome("another kind of value")


def _date(value: Value, guideline: Guideline) -> Moment | None:
    if isinstance(value, Number):
        return compact_date(value.plain)
    return settled(value, guideline.day_first) if isinstance(value, Moment) else None


def _text_fault(left: Value, right: Value) -> str:
    if isinstance(left, Word) and isinstance(right, Word):
        return "not applicable" if right.text == "notapplicable" else "other words"
    return "another kind of value"


def _left_over(
    gold: Sequence[Value], place: int, found: Sequence[Value], other: int, guideline: Guideline, *, loose: bool
) -> str:
    if place < len(gold):
        missing = gold[place:]
        unit = loose and place > 0 and isinstance(gold[place - 1], Number)
        named = unit and all(isinstance(value, Word) and value.text in guideline.stated for value in missing)
        return "" if named else "something is missing"
    if other < len(found):
        unit = loose and other > 0 and _is_counted(found[other - 1])
        return "" if unit and _is_unit(found[other:], guideline) else "something is added"
    return ""


def _is_counted(value: Value) -> bool:
    return isinstance(value, Number) or (isinstance(value, Word) and value.text in NUMBER_WORDS)


def _is_unit(values: Sequence[Value], guideline: Guideline) -> bool:
    """Words behind a number that the question itself uses for what is counted: 46 countries."""
    known = guideline.vocabulary | FILLERS
    return len(values) <= 12 and all(
        isinstance(value, Word) and value.text in known and value.text not in DOUBTS for value in values
    )
