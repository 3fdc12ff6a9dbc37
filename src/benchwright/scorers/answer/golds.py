"""Gold answers, read once: their parts, and what kind of thing each part is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from benchwright.scorers.answer.forms import forms, pairs_text, parse_json
from benchwright.scorers.answer.lexer import Level, Mark, Value, Word, prepare, tokens
from benchwright.scorers.answer.matching import Part, split
from benchwright.scorers.answer.phrases import year_first
from benchwright.scorers.answer.words import NOTHING
from benchwright.scorers.compare.dates import Moment
from benchwright.scorers.compare.numbers import Number
from benchwright.scorers.compare.text import fold, normalise


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """A gold, read once: its parts, all their values in a row, and what it is not by itself (`empty`, `keyed`)."""

    text: str
    parts: tuple[Part, ...]
    keyed: bool = False
    empty: bool = False
    values: tuple[Value, ...] = field(default=())


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


def listed(gold: GoldAnswer) -> GoldAnswer:
    """A gold whose items may stand in any order, cut into them where commas or `and` alone divide it."""
    prepared = prepare(gold.text)
    return replace(gold, parts=split(tokens(prepared), prepared, Level.AND))


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
