"""What the words at an axis stand for: names of things, or numbers and dates that were written as words."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Final

_NUMBER: Final = re.compile(r"[-−]?\d{1,15}(\.\d{1,15})?")
_FORMS: Final = ("%Y-%m", "%Y/%m", "%Y/%m/%d", "%b %Y", "%B %Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y")
"""How dates are written besides ISO 8601; none that can be read in two ways."""
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DAY: Final = 86400.0
_DATE_DIGITS: Final = 8
_LONGEST: Final = 40


def worded_places(names: Sequence[str]) -> list[float] | None:
    """The numbers, or days since 1970, that every one of these names spells; None where one is a mere name, or two
    spell the same.
    """
    for read in (days_of, _number, _other_days):
        if not names or read(names[0]) is None:
            continue
        places = [place for name in names if (place := read(name)) is not None]
        if len(places) == len(names) == len(set(places)):
            return places
    return None


def is_count(places: Sequence[float]) -> bool:
    """Whether places only number things: 0, 1, 2 and so on, or from 1 on."""
    return list(places) in [[float(start + step) for step in range(len(places))] for start in (0, 1)]


def _number(name: str) -> float | None:
    return float(name.replace("−", "-")) if _NUMBER.fullmatch(name.strip()[:_LONGEST]) else None


def days_of(text: str) -> float | None:
    """A date of ISO 8601 in days since 1970; None of any other text."""
    if sum(letter.isdigit() for letter in text[:_LONGEST]) < _DATE_DIGITS:
        return None
    try:
        moment = dt.datetime.fromisoformat(text.strip()[:_LONGEST])
    except ValueError:
        return None
    return (moment.replace(tzinfo=moment.tzinfo or dt.UTC) - _EPOCH).total_seconds() / _DAY


def _other_days(text: str) -> float | None:
    for form in _FORMS:
        try:
            moment = dt.datetime.strptime(text.strip()[:_LONGEST], form).replace(tzinfo=dt.UTC)
        except ValueError:
            continue
        return (moment - _EPOCH).total_seconds() / _DAY
    return None
