"""Which column of one table is meant by a column of another: the names compared, each column taken once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from benchwright.scorers.compare.text import fold, normalise

_NEAR, _CLEAR = 80.0, 10.0
"""How alike names must be (of 100) to mean the same column, and how much less alike every other one."""
_UNNAMED = re.compile(r"unnamed\d+$")
_MOST_NEAR = 400
"""Beyond so many unmatched names nobody compares spellings."""
OPPOSED = [
    frozenset(pair.split("/"))
    for pair in (
        "min/max", "minimum/maximum", "mean/median", "first/last", "lower/upper", "low/high", "start/end", "in/out",
        "left/right", "before/after", "male/female", "height/weight", "train/test", "old/new", "home/away",
        "positive/negative", "pos/neg", "true/false", "with/without", "x/y", "lat/lon", "latitude/longitude",
        "pickup/dropoff", "gain/loss", "day/year", "month/year", "day/month", "avg/sum", "mean/sum", "mean/total",
        "avg/total", "mean/std", "avg/std", "count/rate", "count/sum",
    )
]  # fmt: skip
"""Words that are spelled or used alike and mean something else."""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """For each wanted name the place of the column that it means, or None; `near` are the pairs of unequal names."""

    places: tuple[int | None, ...]
    near: tuple[tuple[str, str], ...] = ()


@lru_cache(maxsize=8192)
def bare(name: str) -> str:
    """A name without case, accents, blanks and punctuation; empty for a column that pandas calls unnamed."""
    plain = re.sub(r"[\W_]+", "", fold(normalise(name)))
    return "" if _UNNAMED.match(plain) else plain or name.strip()


def match_names(wanted: Sequence[str], present: Sequence[str]) -> NameMatch:
    """The columns that are spelled the same, then those that differ in case, blanks and punctuation only, then those
    that are spelled nearly the same where no other column comes near. No column is taken twice.
    """
    places: list[int | None] = [None] * len(wanted)
    taken: set[int] = set()
    for spelling, turns in ((str, True), (str.strip, True), (bare, False)):
        spelled = [spelling(name) for name in wanted], [spelling(name) for name in present]
        _match_equal(*spelled, places, taken, turns=turns)
    near = _match_near(wanted, present, places, taken)
    return NameMatch(tuple(places), tuple(near))


def _match_equal(
    wanted: Sequence[str], present: Sequence[str], places: list[int | None], taken: set[int], *, turns: bool
) -> None:
    """Equal names. With `turns` the second `x` of one table is the second `x` of the other, where they are not equally
    many, too; without, one name that could mean two columns means none.
    """
    lost, free = (
        _by_name(wanted, [n for n, place in enumerate(places) if place is None]),
        _by_name(present, [place for place in range(len(present)) if place not in taken]),
    )
    for name, numbers in lost.items():
        candidates = free.get(name, [])
        if turns or len(candidates) == len(numbers):
            for number, place in zip(numbers, candidates, strict=False):
                places[number] = place
                taken.add(place)


def _by_name(names: Sequence[str], among: Sequence[int]) -> dict[str, list[int]]:
    grouped: dict[str, list[int]] = {}
    for place in among:
        grouped.setdefault(names[place], []).append(place)
    return grouped


def _match_near(
    wanted: Sequence[str], present: Sequence[str], places: list[int | None], taken: set[int]
) -> list[tuple[str, str]]:
    import numpy as np

    lost = [number for number, place in enumerate(places) if place is None]
    free = [place for place in range(len(present)) if place not in taken]
    if not lost or not free or len(lost) + len(free) > _MOST_NEAR:
        return []
    alike = np.array([[_likeness(wanted[number], present[place]) for place in free] for number in lost])
    pairs: list[tuple[str, str]] = []
    for row, column in np.argwhere(alike >= _NEAR):
        rivals = np.concatenate([np.delete(alike[row], column), np.delete(alike[:, column], row)])
        if alike[row, column] - rivals.max(initial=0.0) >= _CLEAR:
            places[lost[row]] = free[column]
            pairs.append((wanted[lost[row]], present[free[column]]))
    return pairs


def _likeness(left: str, right: str) -> float:
    """How alike two names are, from 0 to 100; 0 where their numbers or an opposed pair of words differ."""
    from rapidfuzz.fuzz import ratio, token_sort_ratio

    words = [_words(name[:200]) for name in (left, right)]
    if [word for word in words[0] if word.isdigit()] != [word for word in words[1] if word.isdigit()]:
        return 0.0
    apart = (set(words[0]) - set(words[1])) | (set(words[1]) - set(words[0]))
    if any(pair <= apart for pair in OPPOSED):
        return 0.0
    return max(ratio(bare(left), bare(right)), token_sort_ratio(" ".join(words[0]), " ".join(words[1])))


def _words(name: str) -> list[str]:
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", normalise(name))
    return re.findall(r"[^\W\d_]+|\d+", fold(apart))


def repeated(names: Sequence[str]) -> list[str]:
    """The names that more than one column has."""
    return [name for name, times in Counter(names).items() if times > 1]
