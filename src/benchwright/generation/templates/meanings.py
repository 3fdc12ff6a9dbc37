"""What the numbers of a column mean, as far as its name and values tell: only measures are averaged and correlated."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from benchwright.profiles.base import Column, Numbers

Kind = Literal["measure", "identifier", "code", "date", "place", "constant", "unknown", "no number"]


class Meaning(NamedTuple):
    """What a column is, and why it is taken for that."""

    kind: Kind
    why: str


FEWEST = 8
"""A measure has so many different values; fewer are marks, answers on a scale, or codes."""
_STEADIEST = 0.9
_FIRST_YEAR, _LAST_YEAR = 1500, 2100
_FIRST_DAY, _LAST_DAY = 19_000_101, 21_001_231

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_NUMBERED = frozenset(("id", "ids", "uid", "uuid", "key", "index", "idx", "no", "nr", "num", "number", "serial", "seq"))
_IDENTIFIERS = frozenset(
    (
        "obs observation case row rows rownames record subject participant patient person customer user "
        "unnamed seed phone telephone isbn ssn rank ranking order line child family household mother bottle "
        "judge flight ticket invoice account run trial session visit"
    ).split()
)
_CODES = frozenset(
    (
        "code codes zip zipcode postcode postal fips ccn isic naics sic group block col cols plot school site "
        "state district store county region station department dept hospital center centre inst institution "
        "community village cluster stratum strata batch series round wave episode team player origin "
        "destination category type class version seat zone inning"
    ).split()
)
_TIMES = frozenset(
    (
        "year yr month day week weekday hour minute second date time datetime timestamp period quarter decade "
        "season born founded epoch t julday doy dayofyear yday"
    ).split()
)
_PLACES = frozenset(("lat latitude lon long lng longitude x y easting northing coord coordinate coordinates").split())
_YEARLY = re.compile(r"(?i)^yr(?!s)|(?:yr|year)$")
_NUMBERING = re.compile(r"(?i)(?:id|code|icpsr|cow|fips|key)\d*$")
_EVENT = re.compile(r"(?i)birth|\bdob\b|^dob|born|death|died|hired?\b|expir|random|releas|founded|built|opened|joined")
_BARE = re.compile(r"(?i)^(?:x|v)\d*$")
_SENTINELS = frozenset((-999.0, -99.0, -9.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0, 97.0, 98.0, -1.0, 88.0))
_INTENSIVE = re.compile(
    r"rate|risk|percent|pct|perc|ratio|mean|average|avg|median|ind(?:ex|ices)|scor|rating|temp|warm|ages?$|age[0-9]|grade"
    r"|gpa|height|width|depth|length|thick|diam|bmi|densit|speed|veloc|pressure|humid|share|propor|prob|per$|log|std"
    r"|sd$|dev|min$|max$|elevat|altitud|angle|ph$|quality|lag|diff|change|chg|growth|norm|scale|years?$"
    r"|expect|frac|coef|resid|conc|wage|iq$|z$|litera|equal"
    r"|fertil|educ|exper$|experience|tenur|satisf|polity|gini|open$|close$|high$|low$|adj"
)
_LOGARITHM = re.compile(r"(?i)^l(?:n|og)?[a-z]{2,6}$")


def meaning(column: Column, rows: int) -> Meaning:
    """What a column of numbers is. A measure may be averaged, compared and correlated; everything else may not."""
    numbers = column.numbers
    if column.kind not in ("integer", "float") or numbers is None:
        return Meaning("no number", f"its values are of the kind {column.kind}")
    return (
        _by_name(column.name, numbers)
        or _by_values(column, numbers, rows)
        or Meaning("measure", f"{column.distinct} different numbers that neither count up nor stand for something else")
    )


def words_of(name: str) -> list[str]:
    """The words of a column's name in small letters: PlantNo is plant and no."""
    return [word.lower() for word in _WORD.findall(name)]


def names_a_measure(name: str) -> bool:
    """Whether nothing in a name says that its numbers are no measure."""
    return _by_name(name, None) is None


def orders_a_series(name: str) -> bool:
    """Whether dates of such a name are those of a series, and not of something that happened to each row once."""
    return _EVENT.search(name) is None


def adds_up(name: str, numbers: Numbers) -> bool:
    """Whether a sum of a measure says something: amounts and counts do, rates, levels and sizes of one thing do not."""
    told = _LOGARITHM.match(name) or any(_INTENSIVE.match(word) for word in words_of(name))
    return numbers.min >= 0 and numbers.max > 1 and not told


def nearly_the_same(one: Column, other: Column) -> bool:
    """Whether two columns of numbers have the same ends and nearly the same mean and quartiles: a copy, or a lag."""
    a, b = one.numbers, other.numbers
    if a is None or b is None or (a.min, a.max) != (b.min, b.max):
        return False
    near = 0.02 * (a.max - a.min)
    return all(abs(x - y) <= near for x, y in ((a.mean, b.mean), (a.q25, b.q25), (a.median, b.median), (a.q75, b.q75)))


def _by_name(name: str, numbers: Numbers | None) -> Meaning | None:
    """What a name says: its last word tells what the numbers are, those before it of what."""
    words = [word for word in words_of(name) if not word.isdigit()]
    if _BARE.match(name) or not name.strip():
        return Meaning("unknown", "its name says nothing")
    last = words[-1] if words else ""
    sets: tuple[tuple[Kind, frozenset[str]], ...] = (
        ("place", _PLACES), ("date", _TIMES), ("identifier", _IDENTIFIERS | _NUMBERED), ("code", _CODES)
    )  # fmt: skip
    for kind, found in sets:
        if last in found:
            return Meaning(kind, f"its name ends with {last}")
    if words and words[0] in _PLACES:
        return Meaning("place", f"its name begins with {words[0]}")
    if numbers is not None and _YEARLY.search(name) and float(numbers.max).is_integer():
        return Meaning("date", "its name tells years")
    return None


def _by_values(column: Column, numbers: Numbers, rows: int) -> Meaning | None:
    levels = column.counts or ()
    if column.distinct < FEWEST:
        return Meaning("constant" if column.distinct < 2 else "code", f"it has {column.distinct} different values")
    if {numbers.min, numbers.max, *(value for value, _ in levels[:3])} & _SENTINELS:
        return Meaning("code", "a number of it stands for a missing value")
    if levels and levels[0][1] >= _STEADIEST * (rows - column.nulls):
        return Meaning("constant", "it nearly always has the same value")
    if column.kind == "integer":
        return _numbering(column, numbers, rows)
    return None


def _numbering(column: Column, numbers: Numbers, rows: int) -> Meaning | None:
    """What whole numbers are that are no measure: the first of the likenesses that fits."""
    span, counts = numbers.max - numbers.min, [count for _, count in column.counts or ()]
    unique, from_one = column.distinct == rows, numbers.min in (0, 1)
    evenly = bool(counts) and min(counts) > 1 and max(counts) <= 1.2 * min(counts)
    likenesses: tuple[tuple[bool, Kind, str], ...] = (
        (_NUMBERING.search(column.name) is not None, "identifier", "its name ends like that of a key"),
        (unique and rows > span, "identifier", "its numbers count the rows up"),
        (from_one and column.distinct >= 0.85 * rows and span <= 1.1 * rows, "identifier", "its numbers rank the rows"),
        (unique and column.ascending and numbers.median == numbers.mean, "identifier", "it goes up in equal steps"),
        (from_one and column.distinct == span + 1 and evenly, "code", "each of its numbers occurs equally often"),
        (numbers.min >= _FIRST_YEAR and numbers.max <= _LAST_YEAR, "date", "all of its numbers could be years"),
        (numbers.min >= _FIRST_DAY and numbers.max <= _LAST_DAY, "date", "its numbers could be dates without dashes"),
        (numbers.min >= 10_000 and span <= 0.05 * numbers.max, "code", "its numbers are long and near each other"),
    )
    return next((Meaning(kind, why) for fits, kind, why in likenesses if fits), None)
