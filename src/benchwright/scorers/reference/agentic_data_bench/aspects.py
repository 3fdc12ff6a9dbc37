"""Whether one aspect of a subplot agrees under the published rule: its kind, its texts, its labels, its colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_TEXT = 60
_LABEL = 95
_COLOUR = 15.0


def aspect_agrees(aspect: str, found: Any, wanted: Any) -> bool:
    """Raises AttributeError for a value of the wrong type, and ValueError for an aspect that there is not."""
    rule = _RULES.get(aspect)
    if rule is None:
        raise ValueError(f"no aspect {aspect!r}, expected one of {', '.join(_RULES)}")
    default: Any = "" if aspect in _TEXTS else []
    return rule(found.get(aspect, default), wanted.get(aspect, default))


def likeness(one: str | None, other: str | None) -> int:
    """How alike two texts are in percent, as fuzzywuzzy's `ratio` with python-Levenshtein says it."""
    from rapidfuzz.distance import Indel

    if one is None or other is None:
        return 0
    if one == other:
        return 100
    return round(100 * Indel.normalized_similarity(one, other)) if one and other else 0


def _kind(found: str, wanted: str) -> bool:
    return found.lower() == wanted.lower()


def _text(found: str, wanted: str) -> bool:
    if not found and wanted:
        return False
    return likeness(found.lower(), wanted.lower()) >= _TEXT


def _labels(found: Sequence[str], wanted: Sequence[str]) -> bool:
    """As many, and each like some label of the gold."""
    if len(found) != len(wanted):
        return False
    ours, golds = ([label.lower().replace("\u2212", "-") for label in side] for side in (found, wanted))
    return all(any(likeness(label, gold) > _LABEL for gold in golds) for label in ours)


def _size(found: Any, wanted: Any) -> bool:
    return list(found) == list(wanted)


def _colours(found: Any, wanted: Any) -> bool:
    """Each near some colour of the gold."""
    ours, golds = ([_rgb(colour) for colour in list(side)] for side in (found, wanted))
    return all(any(_apart(colour, gold) <= _COLOUR for gold in golds) for colour in ours)


def _apart(one: Sequence[int], other: Sequence[int]) -> float:
    return math.dist(one, other)


def _rgb(colour: str) -> tuple[int, ...]:
    digits = colour.lstrip("#")
    try:
        return tuple(int(digits[place : place + 2], 16) for place in (0, 2, 4))
    except ValueError:
        return _named(digits)


def _named(name: str) -> tuple[int, ...]:
    """A colour by matplotlib's name for it; an ImportError where that is not installed."""
    from matplotlib.colors import to_rgb

    return tuple(int(part * 255) for part in to_rgb(name))


_TEXTS = frozenset(("type", "graph_title", "x_label", "y_label", "legend_title"))
_RULES: Mapping[str, Callable[[Any, Any], bool]] = {
    "type": _kind,
    "graph_title": _text,
    "x_label": _text,
    "y_label": _text,
    "legend_title": _text,
    "labels": _labels,
    "xtick_labels": _labels,
    "ytick_labels": _labels,
    "color": _colours,
    "figsize": _size,
}
