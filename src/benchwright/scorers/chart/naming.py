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


def misleads(ticks: Sequence[float], labels: Sequence[str]) -> bool:
    """Whether the numbers at an axis do not go up evenly with its ticks, so that nobody reads its values.

    Labels in another unit, or less an offset, go up evenly; each may be rounded.
    """
    numbers = [
        (tick, _number(label.replace(",", "")), label) for tick, label in zip(ticks, labels, strict=True) if label
    ]
    pairs = sorted((tick, value, label) for tick, value, label in numbers if value is not None)
    if len(pairs) < len(numbers) or len(pairs) <= 1 or pairs[0][0] == pairs[-1][0]:
        return False
    (first, lowest, _), (last, highest, _) = pairs[0], pairs[-1]
    slope = (highest - lowest) / (last - first)
    off = (abs(value - lowest - slope * (tick - first)) > _rounded(label) for tick, value, label in pairs)
    return slope <= 0 or any(off)


def _rounded(label: str) -> float:
    """How far off a number may be that was written with so many decimals."""
    return 1.001 * 10.0 ** -len(label.partition(".")[2])


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
