"""Words of skill names, and which names say in fewer words what others say: AgenticDataBench's entanglement."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

_SPLIT = re.compile(r"[\s\-_/&]+")
_DELETED = re.compile(r"[^a-z0-9']")
_SYMBOLS = re.compile(r"[^\w'+#²³]")
EMPTY_WORDS: Final = frozenset("a an and by for from in of on or the to via with".split())
Words = frozenset[str]


def published_words(name: str) -> Words:
    """The stems of a name by the published rule: all but a-z, 0-9 and ' is deleted, so that "C++" and "C" are one."""
    tokens = [token for token in _SPLIT.split(name.lower()) if token]
    return frozenset(stem(_DELETED.sub("", token) or token) for token in tokens)


def sound_words(name: str) -> Words:
    """The stems of a name, but for words that say nothing; "C++", "C#" and "R²" stay what they are."""
    tokens = [token for token in _SPLIT.split(name.casefold()) if token]
    cleaned = [_SYMBOLS.sub("", token) or token for token in tokens]
    telling = [token for token in cleaned if token not in EMPTY_WORDS] or cleaned
    return frozenset(stem(token) for token in telling)


@lru_cache(1 << 16)
def stem(token: str) -> str:
    """The stem of a word in small letters (Porter's)."""
    import snowballstemmer

    return str(snowballstemmer.stemmer("porter").stemWord(token))


def supersets(words: Sequence[Words]) -> dict[int, tuple[int, ...]]:
    """For each set that is strictly in others: the places of those others.

    Only sets that hold its rarest word can hold all of it, so that few pairs are looked at.
    """
    holding: dict[str, list[int]] = {}
    for place, those in enumerate(words):
        for word in those:
            holding.setdefault(word, []).append(place)
    found: dict[int, tuple[int, ...]] = {}
    for place, those in enumerate(words):
        rarest = min((holding[word] for word in sorted(those)), key=len, default=[])
        if above := tuple(other for other in rarest if those < words[other]):
            found[place] = above
    return found


def contained(steps: Mapping[str, frozenset[str]], share: float = 0.9) -> list[tuple[str, str, float]]:
    """Pairs of skills (narrow, wide, share) where the wide one has at least this share of the narrow one's steps.

    A sign of redundancy that names do not show; of two with the same steps the pair stands once.
    """
    found = []
    for narrow, wide, common in _common(steps):
        if common >= share * len(steps[narrow]):
            found.append((narrow, wide, common / len(steps[narrow])))
    return sorted(found, key=lambda pair: (-pair[2], pair[0], pair[1]))


def _common(steps: Mapping[str, frozenset[str]]) -> list[tuple[str, str, int]]:
    """Each pair of skills that share steps, the one with fewer steps first, and how many they share."""
    using: dict[str, list[str]] = {}
    for skill, own in steps.items():
        for step in own:
            using.setdefault(step, []).append(skill)
    counts: dict[tuple[str, str], int] = {}
    for skills in using.values():
        for place, first in enumerate(skills):
            for second in skills[place + 1 :]:
                pair = (
                    (first, second) if (len(steps[first]), first) <= (len(steps[second]), second) else (second, first)
                )
                counts[pair] = counts.get(pair, 0) + 1
    return [(narrow, wide, count) for (narrow, wide), count in counts.items()]
