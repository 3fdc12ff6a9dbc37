"""Words and near-equality as the lint rules understand them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"\w+(?:[.'’-]\w+)*")
_MOST_WORDS = 1000
_STOP_WORDS = """
    a an the of in on at to for from by with and or not no is are was were be been being as that this these those it its
    their his her which what who whom whose when where how why do does did has have had can could should would will may
    must than then there here if so such into over under between among per each every all any both only also more most
    less least very
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """Text for comparing: NFKC, case-folded, runs of anything but letters and digits as one space."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", " ", folded).strip()


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[str, ...]:
    """The words of a text, case-folded."""
    return tuple(word.casefold() for word in _WORD.findall(unicodedata.normalize("NFKC", text)))


def content_words(text: str) -> frozenset[str]:
    """The words that carry meaning, plurals and simple endings taken off."""
    return frozenset(_stem(word) for word in words(text) if word not in STOP_WORDS and not word.isdigit())


def _stem(word: str) -> str:
    for ending, short in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) + len(short) >= 4:
            return word[: -len(ending)] + short
    return word


def contains_words(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text as whole words, whatever the case and punctuation."""
    needle = plain(phrase)
    return bool(needle) and f" {needle} " in f" {plain(text)} "


def shared_run(text: str, other: str) -> int:
    """The length in words of the longest run of words that both texts hold, in the first 1,000 words of each."""
    first, second = words(text)[:_MOST_WORDS], words(other)[:_MOST_WORDS]
    best, previous = 0, [0] * (len(second) + 1)
    for word in first:
        current = [0] * (len(second) + 1)
        for index, candidate in enumerate(second):
            if word == candidate:
                current[index + 1] = previous[index] + 1
        best = max(best, *current)
        previous = current
    return best
