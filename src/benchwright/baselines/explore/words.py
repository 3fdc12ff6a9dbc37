"""Words of questions, column names and file names, and how well they go together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_ENDINGS = ("ations", "ation", "ities", "iness", "ings", "ies", "ing", "ers", "ed", "es", "er", "ly", "s", "e", "y")
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "being",
        "but",
        "by",
        "did",
        "do",
        "does",
        "each",
        "every",
        "for",
        "from",
        "had",
        "has",
        "have",
        "her",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "many",
        "me",
        "more",
        "most",
        "much",
        "not",
        "of",
        "on",
        "one",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "per",
        "respectively",
        "same",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "under",
        "up",
        "use",
        "used",
        "using",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "whose",
        "why",
        "will",
        "with",
        "you",
        "your",
        "data",
        "file",
        "files",
        "dataset",
        "table",
        "column",
        "columns",
        "value",
        "values",
        "record",
        "records",
        "row",
        "rows",
        "give",
        "find",
        "report",
        "compute",
        "calculate",
        "determine",
        "answer",
        "all",
        "any",
        "according",
        "among",
        "between",
        "both",
        "recorded",
        "listed",
    ]
)


def stem(word: str) -> str:
    """The word without the commonest endings, at least three letters long."""
    word = word.lower()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def tokens(text: str) -> list[str]:
    """Stems of all words, camelCase and snake_case taken apart."""
    return [stem(word) for word in _WORD.findall(text)]


def count_words(text: str) -> int:
    """How many words a text has."""
    return len(_WORD.findall(text))


@dataclass(frozen=True)
class Question:
    """A question as words: its text, its stems in order, and those that carry meaning."""

    text: str
    stems: tuple[str, ...]
    initials: str

    @classmethod
    def of(cls, text: str) -> Question:
        """Take a question apart."""
        words = _WORD.findall(text)
        return cls(text, tuple(stem(word) for word in words), "".join(word[0].lower() for word in words))

    @property
    def meaningful(self) -> frozenset[str]:
        """The stems that are neither stop words nor single letters."""
        return frozenset(word for word in self.stems if word not in STOPPED and (len(word) > 1 or word.isdigit()))


STOPPED = frozenset(stem(word) for word in _STOP) | _STOP
"""Stems that mean nothing by themselves."""
ORDINARY = frozenset(
    stem(word)
    for word in (
        "average mean median total sum number highest lowest largest smallest maximum minimum most least percentage "
        "percent share rate ratio difference higher lower first last top correlation standard deviation distinct "
        "different unique exactly decimal rounded respectively across overall"
    ).split()
)
"""Stems of what is asked to be done: they say nothing about the data."""


@dataclass(frozen=True)
class Match:
    """How well a name fits a question (0 to 1), and at which of its words."""

    score: float
    at: int = -1


def match(name: str, question: Question) -> Match:
    """How much of a name the question says: whole words, beginnings of words, initials."""
    parts = [part for part in tokens(name) if part not in STOPPED] or tokens(name)
    if not parts:
        return Match(0.0)
    whole = _initials(name, question)
    found = [_part(part, question) for part in parts]
    weights = [0.3 if part.isdigit() or len(part) == 1 else 1.0 for part in parts]
    score = sum(hit.score * weight for hit, weight in zip(found, weights, strict=True)) / max(1.0, sum(weights))
    places = [hit.at for hit in found if hit.score > 0]
    spelled = Match(score, _densest(places)) if places else Match(0.0)
    return max(whole, spelled, key=lambda hit: hit.score)


def _densest(places: Sequence[int]) -> int:
    return max(places, key=lambda place: (sum(abs(place - other) <= 3 for other in places), place))


def _part(part: str, question: Question) -> Match:
    best = Match(0.0)
    for place, word in enumerate(question.stems):
        score = _alike(part, word)
        if score > best.score:
            best = Match(score, place)
    return best


def _alike(part: str, word: str) -> float:
    if part == word:
        return 0.2 if part in STOPPED else 1.0
    short, long = sorted((part, word), key=len)
    if len(short) >= 3 and long.startswith(short) and short not in STOPPED:
        return 0.85 if len(short) >= 4 else 0.6
    if len(part) >= 3 and part[0] == word[0] and _skeleton(part) == _skeleton(word) and len(_skeleton(part)) >= 3:
        return 0.7
    return 0.0


def _skeleton(word: str) -> str:
    """A word without its vowels: qty and quantity do not agree, lngth and length do."""
    return word[:1] + re.sub(r"[aeiouy]", "", word[1:])


def _initials(name: str, question: Question) -> Match:
    """Whether the name is made of the initials of words that stand together, like mpg for miles per gallon."""
    short = name.lower()
    if not (3 <= len(short) <= 5 and short.isalpha()):
        return Match(0.0)
    place = question.initials.find(short)
    return Match(0.9, place) if place >= 0 else Match(0.0)


def rarity(names: Iterable[str]) -> Mapping[str, float]:
    """How telling each stem is among these names: the log of how few of them hold it."""
    listed = [set(tokens(name)) for name in names]
    counts: dict[str, int] = {}
    for held in listed:
        for word in held:
            counts[word] = counts.get(word, 0) + 1
    return {word: log(1 + len(listed) / count) for word, count in counts.items()}
