"""Whether two texts of a chart say the same: case, gaps and punctuation apart, small slips allowed, numbers not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from rapidfuzz import fuzz

from benchwright.scorers.compare.senses import other_sense
from benchwright.scorers.compare.text import fold, normalise

ALIKE: Final = 90.0
"""The similarity (of 100) from which on two texts are one."""
_DIGITS: Final = re.compile(r"\d+(?:\.\d+)?")
_GAPS: Final = re.compile(r"[\s_]+")
_LONGEST: Final = 2000


def folded(text: str) -> str:
    """A text without case, accents and kinds of gaps and dashes."""
    return _GAPS.sub(" ", fold(normalise(text[:_LONGEST]))).strip()


def same_text(gold: str, found: str) -> bool:
    """Whether the texts are equal when folded, or similar enough with the same numbers and no word that is opposed."""
    one, other = folded(gold), folded(found)
    if one == other:
        return True
    if not same_digits(one, other):
        return False
    return fuzz.ratio(one, other) >= ALIKE and not other_sense(one, other)


def same_digits(one: str, other: str) -> bool:
    """Whether two texts hold the same numbers, each as often."""
    return Counter(_DIGITS.findall(one)) == Counter(_DIGITS.findall(other))


def shared(gold: Sequence[str], found: Sequence[str]) -> float:
    """The share of texts that both lists have, each as often as it is there; of the longer list."""
    left = Counter(map(folded, found))
    missing: list[str] = []
    for text in gold:
        if left[folded(text)]:
            left[folded(text)] -= 1
        else:
            missing.append(text)
    rest = list(left.elements())
    alike = 0
    for text in missing[:1000]:
        partner = next((other for other in rest[:1000] if same_text(text, other)), None)
        if partner is not None:
            rest.remove(partner)
            alike += 1
    return (len(gold) - len(missing) + alike) / max(len(gold), len(found), 1)
