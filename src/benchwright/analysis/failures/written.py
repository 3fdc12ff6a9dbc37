"""Whether an answer says the same as the gold in a form that was not asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

_LONGEST = 2_000
_MOST_WORDS = 12
"""Words around the values of an answer; more is a text that may say anything."""
_TOKEN = re.compile(
    r"(?P<number>[-+]?(?:\d{1,3}(?:[,' ]\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[-+]?\d{1,3})?)|(?P<word>[^\W\d_]+)"
)
_DOUBT = frozenset(("or", "not", "either", "maybe", "perhaps", "unable", "cannot", "neither", "unknown"))
_PER_CENT = Decimal(100)


def same_in_other_form(answer: str, golds: Sequence[str]) -> bool:
    """Whether the answer has exactly the gold's values in its order: other separators, markup, units, or per cent.

    Numbers are equal that round to the gold's places, as they stand or as per cent of each other (for golds of two
    digits or more). Words around a gold of numbers are passed over, up to 12; other numbers are not. A coarser
    rounding and another order are another answer.
    """
    if not answer.strip() or len(answer) > _LONGEST:
        return False
    said = _tokens(answer)
    return any(_same(said, _tokens(gold)) for gold in golds if gold.strip())


def _tokens(text: str) -> list[str | Decimal]:
    plain = unicodedata.normalize("NFKC", text[:_LONGEST]).casefold().replace("−", "-")
    found: list[str | Decimal] = []
    for match in _TOKEN.finditer(plain):
        if (number := match["number"]) is None:
            found.append(match["word"])
        elif (value := _decimal(number)) is not None:
            found.append(value)
    return found


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(re.sub(r"[,' ]", "", text))
    except InvalidOperation:
        return None


def _same(said: list[str | Decimal], gold: list[str | Decimal]) -> bool:
    if not gold:
        return False
    if not any(isinstance(token, str) for token in gold):
        words = [token for token in said if isinstance(token, str)]
        if len(words) > _MOST_WORDS or _DOUBT.intersection(words):
            return False
        said = [token for token in said if not isinstance(token, str)]
    return len(said) == len(gold) and all(map(_equal, said, gold))


def _equal(said: str | Decimal, gold: str | Decimal) -> bool:
    if isinstance(said, str) or isinstance(gold, str):
        return said == gold
    scaled = [said]
    if len(gold.as_tuple().digits) >= 2:
        scaled += [said * _PER_CENT, said / _PER_CENT]
    return any(_rounds_to(value, gold) for value in scaled)


def _rounds_to(value: Decimal, gold: Decimal) -> bool:
    try:
        return value.quantize(gold) == gold
    except InvalidOperation:  # more digits than there is room for
        return value == gold
