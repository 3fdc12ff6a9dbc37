"""What a gold states, as facts that can be looked for: numbers, days, names and truth values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal

from benchwright.scorers.compare.dates import DATE, Moment, read_moment
from benchwright.scorers.compare.numbers import Number, number_pattern, read_number
from benchwright.scorers.compare.text import fold, normalise

NUMBER = re.compile(rf"(?<![\w.]){number_pattern('point', spaced=False)}(?!\w)", re.IGNORECASE)
MOMENT = re.compile(DATE, re.IGNORECASE)
_PLACES = {"round2": 2, "round3": 3}
_APART = re.compile(r"[,;:()\[\]{}|=\n]|\s-\s|->")
_PERCENT = re.compile(r"(?i)percent|pct|share|points|%")
"""Names of fields whose numbers may stand with a percent sign."""

_MOST_WORDS = 5
"""Names of more words are prose, in which the same may be said otherwise."""
_PROSE = 6
"""So are the names of a gold that have more words in all."""

Kind = Literal["number", "moment", "name", "truth"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a response has to state. `key` is what a record calls it; `group` marks items of one list.

    `prose` marks words that may be said otherwise, which no rule can refuse.
    """

    kind: Kind
    text: str
    key: str = ""
    number: Number | None = None
    moment: Moment | None = None
    group: int = -1
    prose: bool = False


def read_facts(gold: str, options: Mapping[str, Any]) -> tuple[Fact, ...]:
    """The facts of a typed gold (JSON, with `answer_type`) or of free text, in the order in which they stand."""
    if options.get("answer_type"):
        try:
            value = json.loads(gold)
        except ValueError:
            value = gold
        return tuple(_typed(value, str(options.get("tolerance", "")), percent=options["answer_type"] == "percent"))
    return tuple(free_facts(gold))


def _typed(value: Any, tolerance: str, key: str = "", group: int = -1, *, percent: bool = False) -> Iterator[Fact]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _typed(item, tolerance, f"{key} {name}".strip(), group)
    elif isinstance(value, list):
        for item in value:
            yield from _typed(item, tolerance, key, group=hash(key) if group < 0 else group)
    elif isinstance(value, bool) or value is None:
        yield Fact("truth", str(value).lower(), key, group=group)
    elif isinstance(value, int | float):
        in_percent = percent or bool(_PERCENT.search(key))
        number = replace(_number(value, tolerance), percent=in_percent)
        yield Fact("number", str(value), key, number=number, group=group)
    else:
        yield from (replace(fact, key=key, group=group) for fact in _named(str(value)))


def _named(text: str) -> Iterator[Fact]:
    """A text of a typed gold: a day, or a name as a whole."""
    plain = normalise(text)
    found = MOMENT.fullmatch(plain)
    moment = read_moment(found) if found else None
    if moment is not None:
        yield Fact("moment", plain, moment=moment)
    elif plain:
        yield Fact("name", plain, prose=len(plain.split()) > _MOST_WORDS)


def _number(value: float, tolerance: str) -> Number:
    """A number with the digits that the tolerance states: 0.7 rounded to two places is 0.70."""
    exact = Decimal(str(value))
    places = max(_PLACES.get(tolerance, 0), -int(exact.as_tuple().exponent)) if isinstance(value, float) else 0
    return Number(exact, Decimal(1).scaleb(-places))


def free_facts(text: str) -> list[Fact]:
    """The facts of free text: its days and numbers, and between them its names; many words in all are prose."""
    plain = normalise(text)
    facts: list[Fact] = []
    place = 0
    for start, end, fact in pieces(plain):
        facts += [*_names(plain[place:start]), fact]
        place = end
    facts += _names(plain[place:])
    words = sum(len(fact.text.split()) for fact in facts if fact.kind == "name")
    return [replace(fact, prose=True) if fact.kind == "name" else fact for fact in facts] if words > _PROSE else facts


def pieces(plain: str) -> list[tuple[int, int, Fact]]:
    """Days and numbers of a normalised text with their places; digits of a day are no numbers."""
    found: list[tuple[int, int, Fact]] = []
    for match in MOMENT.finditer(plain):
        moment = read_moment(match)
        if moment is not None:
            found.append((match.start(), match.end(), Fact("moment", match.group().strip(), moment=moment)))
    for match in NUMBER.finditer(plain):
        if any(start < match.end() and match.start() < end for start, end, _ in found):
            continue
        number = read_number(match, "point")
        if number is not None:
            found.append((match.start(), match.end(), Fact("number", match.group().strip(), number=number)))
    return sorted(found, key=lambda piece: piece[0])


def _names(text: str) -> Iterator[Fact]:
    for part in _APART.split(text):
        name = part.strip(" .!?\"'*`%")
        if not re.search(r"\w", name) or fold(name) in _FILLING:
            continue
        yield Fact("name", name, prose=len(name.split()) > _MOST_WORDS)


_FILLING = frozenset(
    {"and", "or", "the", "a", "an", "is", "are", "to", "of", "in", "with", "at", "by", "on", "about", "from", "for"}
)
