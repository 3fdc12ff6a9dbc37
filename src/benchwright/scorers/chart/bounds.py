"""How much of a description is drawn again: whoever writes one can ask for any amount of work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from benchwright.scorers.chart.numbers import listed, members

_MOST_VALUES: Final = 1_000_000
"""More than our capture ever writes."""
_MOST_ARTISTS: Final = 20_000
_LISTS: Final = {
    "bar": ("x", 1),
    "histogram": ("counts", 1),
    "pie": ("shares", 1),
    "box": ("boxes", 8),
    "violin": ("shapes", 2),
    "area": ("parts", 1),
    "segments": ("segments", 1),
    "contour": ("levels", 50),
}
"""By kind of series the list of which every member is drawn by itself, and how many plain ones that is like."""


def too_much(description: Mapping[str, Any]) -> bool:
    """Whether a description holds more than is drawn again."""
    axes = [one for one in listed(description.get("axes")) if isinstance(one, dict)]
    items = [members(item) for one in axes for item in listed(one.get("series"))]
    return sum(map(_artists, items)) > _MOST_ARTISTS or _values(axes) > _MOST_VALUES


def _artists(item: Mapping[str, Any]) -> int:
    name, weight = _LISTS.get(str(item.get("kind")), ("", 0))
    return 4 + weight * len(listed(item.get(name)))


def _values(given: list[Any]) -> int:
    """How many values a description holds, or more than the most that are counted."""
    waiting: list[Any] = list(given)
    count = 0
    while waiting and count <= _MOST_VALUES:
        value = waiting.pop()
        if isinstance(value, dict | list):
            count += len(value)
            waiting.extend(value.values() if isinstance(value, dict) else value)
    return count
