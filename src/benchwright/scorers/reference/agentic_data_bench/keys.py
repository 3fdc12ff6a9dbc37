"""How the published JSON rules find a key: exactly, by containment, or by its set of letters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

_FILLERS = re.compile(r"\b(?:the|a|an|of|in|for|to|and|or)\b")
_MARKS = str.maketrans("", "", "_ -")
_ALIKE = 0.6


def find_key(wanted: str, keys: Iterable[str]) -> str | None:
    """The first key that equals `wanted`, or contains it or is contained in it once folded; else the likest."""
    listed = list(keys)
    if wanted in listed:
        return wanted
    folded = fold(wanted)
    for key in listed:
        other = fold(key)
        if folded in other or other in folded:
            return key
    best, found = _ALIKE, None
    for key in listed:
        likeness = _likeness(wanted, key)
        if likeness > best:
            best, found = likeness, key
    return found


@lru_cache(maxsize=4096)
def fold(key: str) -> str:
    """Lower-case, without filler words, underscores, spaces and hyphens; `the_user` is one word, and keeps "the"."""
    return _FILLERS.sub("", key.lower()).translate(_MARKS)


def _likeness(one: str, other: str) -> float:
    """The share of letters that both have of those that either has."""
    if not one or not other:
        return 0.0
    ours, theirs = set(one.lower()), set(other.lower())
    return len(ours & theirs) / len(ours | theirs)


def leaves(rules: Mapping[str, Any]) -> int:
    """How many fields a tree of rules scores."""
    return sum(leaves(rule) if isinstance(rule, dict) else 1 for rule in rules.values())
