"""Ways in which values of two columns are rewritten so that they may be equal, and the share that then is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

Way = Literal["letters", "number", "first_part", "year", "close"]

_NUMBER = re.compile(r"\d+")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_PART = re.compile(r"\s*[,;:/|(\[–—-]\s*|\s{2,}")
_CLOSE, _MOST_CLOSE = 90.0, 3000


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in plain if char.isalnum())


def _number(text: str) -> str:
    found = _NUMBER.search(text)
    return found[0].lstrip("0") or "0" if found else ""


def _first_part(text: str) -> str:
    return _letters(_PART.split(text.strip(), maxsplit=1)[0])


def _year(text: str) -> str:
    found = _YEAR.search(text)
    return found[0] if found else ""


REWRITES: Mapping[Way, Callable[[str], str]] = {
    "letters": _letters,
    "number": _number,
    "first_part": _first_part,
    "year": _year,
    "close": _letters,
}
MEANINGS: Mapping[Way, str] = {
    "letters": "letters and digits alone, without case, accents and punctuation",
    "number": "the first number in the text, without leading zeros",
    "first_part": "what stands before the first comma, bracket, slash or dash",
    "year": "the year in a date",
    "close": "as letters, where nine tenths of the characters agree",
}


@dataclass(frozen=True, slots=True)
class Shared:
    """The share of the left column's different rewritten values that the right one has, of how many, and by chance.

    `chance` is the probability that as many numbers of the left one's range are among the right one's by accident; 0
    for texts. `equal`: the share without any rewriting.
    """

    share: float
    of: int
    matched: int
    chance: float
    equal: float


def shared(left: Collection[str], right: Collection[str], way: Way) -> Shared:
    """Hold the different values of two columns against each other."""
    rewrite = REWRITES[way]
    ours, theirs = ({rewrite(value) for value in values} - {""} for values in (left, right))
    matched = _close(ours, theirs) if way == "close" else len(ours & theirs)
    equal = len(set(left) & set(right)) / len(set(left)) if left else 0.0
    numeric = way in ("number", "year")
    return Shared(
        share=matched / len(ours) if ours else 0.0,
        of=len(ours),
        matched=matched,
        chance=_by_chance({*map(int, ours)}, {*map(int, theirs)}, matched) if numeric else 0.0,
        equal=equal,
    )


def _close(ours: Collection[str], theirs: Collection[str]) -> int:
    """How many have a near one; of very many the first in order are looked at, and the others count as strange."""
    from rapidfuzz import fuzz, process

    known = sorted(theirs)[:_MOST_CLOSE]
    found = (
        process.extractOne(value, known, scorer=fuzz.ratio, score_cutoff=_CLOSE) for value in sorted(ours)[:_MOST_CLOSE]
    )
    return sum(each is not None for each in found)


def _by_chance(ours: Collection[int], theirs: Collection[int], matched: int) -> float:
    if not ours or not theirs or not matched:
        return 1.0
    from scipy.special import bdtrc

    low, high = min(ours), max(ours)
    density = sum(low <= value <= high for value in theirs) / (high - low + 1)
    return float(bdtrc(matched - 1, len(ours), min(1.0, density)))
