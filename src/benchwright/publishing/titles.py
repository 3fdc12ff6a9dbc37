"""Titles of agents short enough for a plot: without the words that all of them share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_WORD = re.compile(r"[^\s,]+")


def shared(titles: Sequence[str]) -> str:
    """The words that `told_apart` leaves out of every title, in their order."""
    short = told_apart(titles)
    left = [set(_WORD.findall(title)) - set(_WORD.findall(short[title])) for title in titles]
    common = set.intersection(*left) if left else set()
    return " ".join(word for word in _WORD.findall(titles[0]) if word in common) if common else ""


def told_apart(titles: Sequence[str]) -> Mapping[str, str]:
    """Each title without the words that all titles hold; as it is where that would leave two alike, or none of one.

    The first word, the agent, stays.
    """
    words = {title: _WORD.findall(title) for title in titles}
    common = set.intersection(*map(set, words.values())) if len(words) > 1 else set()
    short = {
        title: " ".join([*every[:1], *(word for word in every[1:] if word not in common)])
        for title, every in words.items()
    }
    return (
        short if all(short.values()) and len(set(short.values())) == len(short) else {title: title for title in titles}
    )
