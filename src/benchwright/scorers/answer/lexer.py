"""An answer as a row of typed tokens: numbers, moments, words, signs, and the separators between them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from benchwright.scorers.answer.phrases import respell
from benchwright.scorers.answer.words import (
    GLUED_UNITS,
    JOINERS,
    NOISE,
    NOT_APPLICABLE,
    ORDINALS,
    UNITS,
    UNTIL,
)
from benchwright.scorers.compare.dates import DATE, SHORT_NAMES, TIME, Moment, read_moment, weekday_of
from benchwright.scorers.compare.numbers import Convention, Number, number_pattern, read_number
from benchwright.scorers.compare.text import fold, normalise


class Level(IntEnum):
    """How strongly a separator divides: a colon least, a semicolon or a new line most."""

    COLON = 0
    AND = 1
    COMMA = 2
    STRONG = 3


@dataclass(frozen=True, slots=True)
class Word:
    """One word, folded: case, accents, hyphens and apostrophes are gone, but for those beside a digit (A-1, 4.0.3)."""

    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign that carries meaning: the dash of a range, `<`, `+`, `/` between numbers, `?`."""

    text: str


@dataclass(frozen=True, slots=True)
class Separator:
    """What divides the parts of an answer."""

    level: Level


Value = Number | Moment | Word | Mark
DASH = Mark("–")


class Token(NamedTuple):
    """A value or separator, and where it stands in the text."""

    value: Value | Separator
    start: int
    end: int


class Reading(NamedTuple):
    """How commas and spaces between digits are read throughout one text."""

    convention: Convention
    spaced: bool


PLAIN = Reading("point", spaced=False)

_VERSION = r"(?<![\w.])\d+(?:\.\d+){2,}(?![\w]|[.,]\d)"
_LABEL = (
    rf"(?<![\w.])\d+(?!(?:[KkMmBb]|bn|mn|e[-+]?\d+|{GLUED_UNITS}|usd|eur|percent|pct|million|billion)(?![\w]))"
    r"(?:[^\W\d_]|_(?!\d))\w*(?:[-'._]+\w+)*"
)
_WORD = r"[^\W\d]\w*(?:[-'._]\w+)*(?:(?<=-\d)(?:,\d{3}){1,3}(?![\d]))?(?:[+#]{1,2}(?!\w))?"
"""A word; a number at its end may have a thousands separator (IPL-2,013)."""
_SPACED_SIGN = re.compile(r"^- (?=[$\d.])")
"""On a line of its own a dash before a number is its sign; among several lines it may be a bullet."""
_DOT = re.compile(r"(?<=[\d%])\s+[·•∙](?=\s+\d)")
"""Between numbers a dot in the middle divides."""
_SIGNS = r"\.{3,}|<=|>=|!=|(?<=\d)\*(?=\d)"
_OTHER = r"[^\s\w\"'()\[\]{}*`.!#\\✓✔✅]"
"""Whatever is neither a value nor a mere decoration carries meaning, known or not (‰, √, ❌)."""
_SEPARATORS = r"[;\n|,&]"


@lru_cache(maxsize=8)
def _pattern(reading: Reading) -> re.Pattern[str]:
    number = number_pattern(reading.convention, spaced=reading.spaced)
    return re.compile(
        rf"(?P<moment>{DATE}|{TIME})|(?P<version>{_VERSION})|(?P<label>{_LABEL})|(?P<number>{number})"
        rf"|(?P<word>{_WORD})|(?P<separator>(?<![<>!])[:=]|{_SEPARATORS})|(?P<mark>{_SIGNS}|{_OTHER})",
        re.IGNORECASE,
    )


def readings(text: str) -> tuple[Reading, ...]:
    """The ways in which commas and spaces between digits can be meant; one throughout the whole text."""
    commas: tuple[Convention, ...] = ("point", "list", "comma") if re.search(r"\d,\d", text) else ("point",)
    spaces = (False, True) if re.search(r"\d \d{3}", text) else (False,)
    return tuple(Reading(comma, space) for comma in commas for space in spaces)


def tokens(text: str, reading: Reading = PLAIN) -> list[Token]:
    """The tokens of a prepared text. Brackets, quotes and other decoration are left out."""
    found = [token for match in _pattern(reading).finditer(text) if (token := _token(match, reading)) is not None]
    return _resolve(found)


def prepare(text: str) -> str:
    """Normalised text in which phrases that are one value or sign (`at least`, `third quarter`) are spelled in one way.

    A tab divides, as a new line does.
    """
    text = NOT_APPLICABLE.sub("notapplicable", normalise(_DOT.sub(";", text.replace("\t", "\n"))))
    if "\n" not in text:
        text = _SPACED_SIGN.sub("-", text)
    text = respell(text)
    if " " in text:
        text = re.sub(r"(?i)\bdeg(?:rees?)? ?(?=(?:celsius|fahrenheit|[cf])\b)", "", text)
    return text.replace("≤", "<=").replace("≥", ">=").replace("°", " ")


def _token(match: re.Match[str], reading: Reading) -> Token | None:
    kind = match.lastgroup if match.lastgroup in _KINDS else _kind(match)
    value: Value | Separator | None
    if kind == "moment":
        value = read_moment(match) or Word(fold(match.group()))
    elif kind == "number":
        value = read_number(match, reading.convention) or Word(fold(match.group()))
    elif kind in {"version", "label", "word"}:
        value = _word(match.group())
    elif kind == "mark":
        value = Mark(match.group())
    else:
        value = Separator(_LEVELS[match.group()])
    return None if value is None else Token(value, match.start(), match.end())


_KINDS = ("moment", "version", "label", "number", "word", "mark", "separator")
_LEVELS = {
    ";": Level.STRONG,
    "\n": Level.STRONG,
    "|": Level.STRONG,
    ",": Level.COMMA,
    "&": Level.AND,
    ":": Level.COLON,
    "=": Level.COLON,
}


def _kind(match: re.Match[str]) -> str:
    return next(kind for kind in _KINDS if match[kind] is not None)


def _word(text: str) -> Word | Separator | None:
    word = fold(text)
    if word in JOINERS:
        return Separator(Level.AND)
    if word in NOISE:
        return None
    return Word(_HYPHENS.sub(_hyphen, SHORT_NAMES.get(word, word)))


_HYPHENS = re.compile(r"(?<=(.))[-'._,](?=(.))|[-'._,]", re.DOTALL)


def _hyphen(match: re.Match[str]) -> str:
    """What is left of a sign inside a word: a point between digits, a hyphen beside one digit, else nothing."""
    digits = sum(bool(side) and side.isdigit() for side in match.groups())
    if digits == 2:
        return "" if match.group() == "," else "."
    return "-" if digits == 1 and match.group() in "-_" else ""


def _resolve(found: list[Token]) -> list[Token]:
    """Settle what depends on the neighbours: dashes, `to`, units, and a percent sign that ends a range."""
    kept: list[Token] = []
    for place, token in enumerate(found):
        value = token.value
        after = found[place + 1 : place + 2]
        if value == Mark("-") or (isinstance(value, Word) and value.text in UNTIL):
            if _is_range(kept, after):
                kept.append(token._replace(value=DASH))
            elif _is_trailing_sign(kept, token, after):
                kept.append(token)
            continue
        if value == Mark("/") and not _between_numbers(kept, after):
            continue
        if _is_own_weekday(value, found[place + 1 : place + 3]):
            continue
        kept.append(_named(kept, token))
    return _close_ranges(kept)


def _is_range(before: list[Token], after: list[Token]) -> bool:
    if not before or not after or not isinstance(after[0].value, Number | Moment):
        return False
    last = before[-1].value
    unit = isinstance(last, Word) and len(before) > 1 and isinstance(before[-2].value, Number)
    return isinstance(last, Number | Moment) or unit


def _between_numbers(before: list[Token], after: list[Token]) -> bool:
    return bool(before and after) and isinstance(before[-1].value, Number) and isinstance(after[0].value, Number)


def _is_trailing_sign(before: list[Token], dash: Token, after: list[Token]) -> bool:
    """Whether a dash hangs on the number before it (`7.2-`): it may be its sign, and is not nothing."""
    hangs = bool(before) and isinstance(before[-1].value, Number) and before[-1].end == dash.start
    return hangs and dash.value == Mark("-") and not (after and after[0].start == dash.end)


def _is_own_weekday(value: Value | Separator, after: list[Token]) -> bool:
    """Whether a word is the weekday of the date behind it, and so says nothing more."""
    following = after[1:] if after and after[0].value == Separator(Level.COMMA) else after
    date = following[0].value if following else None
    return isinstance(value, Word) and isinstance(date, Moment) and weekday_of(date) == value.text


def _named(before: list[Token], token: Token) -> Token:
    """A unit behind a number by the name that its spellings share, and an ordinal in digits."""
    value = token.value
    if not isinstance(value, Word):
        return token
    if before and isinstance(before[-1].value, Number):
        return token._replace(value=Word(UNITS.get(value.text, value.text)))
    return token._replace(value=Word(ORDINALS.get(value.text, value.text)))


def _close_ranges(found: list[Token]) -> list[Token]:
    """`14-15%` is 14%-15%, `between 1 and 2` is 1-2, and a second dash before a number is its sign."""
    result = list(found)
    for place, token in enumerate(result):
        if token.value == DASH:
            _share_units(result, place)
        elif token.value in _OPENERS and _opens_range(result, place):
            result[place + 2] = result[place + 2]._replace(value=DASH)
            _share_units(result, place + 2)
    return [
        token
        for place, token in enumerate(result)
        if not (token.value in _OPENERS and place + 2 < len(result) and result[place + 2].value == DASH)
    ]


_OPENERS = (Word("between"), Word("from"))


def _opens_range(found: list[Token], place: int) -> bool:
    four = [token.value for token in found[place : place + 4]]
    return (
        len(four) == 4
        and four[0] == Word("between")
        and isinstance(four[1], Number | Moment)
        and four[2] == Separator(Level.AND)
        and isinstance(four[3], Number | Moment)
    )


def _share_units(found: list[Token], place: int) -> None:
    if not 0 < place < len(found) - 1:
        return
    left, right = found[place - 1].value, found[place + 1].value
    if isinstance(left, Number) and isinstance(right, Number):
        if right.percent and not left.percent:
            found[place - 1] = found[place - 1]._replace(value=replace(left, percent=True, plain=""))
        if left.currency and not right.currency:
            found[place + 1] = found[place + 1]._replace(value=replace(right, currency=left.currency, plain=""))
