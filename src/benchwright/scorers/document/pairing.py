"""Which item of a found list stands for which item of a gold list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from benchwright.scorers.compare.documents import children, finder
from benchwright.scorers.compare.values import ABSENT, identity
from benchwright.scorers.document.rule import DocumentRule, Spec

Pairs = list[tuple[int, int]]
_ASSIGN_UP_TO = 300
"""Beyond so many items that are not equal they are paired in their order, for the table of all pairs would not end."""
_COMPARISONS = 4_000_000
"""Values compared in all to find partners in one document; when they are used up, items are paired in their order."""


class Pairing:
    """Finds partners under a rule, with `likeness(gold, found, spec)` from 0 to 1 where only that can tell."""

    def __init__(self, rule: DocumentRule, likeness: Callable[[Any, Any, Spec], float]) -> None:
        self._rule, self._likeness = rule, likeness
        self._left = _COMPARISONS

    def pairs(self, gold: Sequence[Any], found: Sequence[Any], spec: Spec) -> Pairs:
        """Pairs (place in the gold, place in what was found), each place at most once."""
        keys = self._rule.key
        if keys and gold and all(_key(item, keys) is not None for item in gold):
            return self._by_key(gold, found, spec)
        if self._rule.order == "given" or (not self._rule.order and _is_series(gold)):
            return [(place, place) for place in range(min(len(gold), len(found)))]
        return self._freely(range(len(gold)), range(len(found)), gold, found, spec)

    def _by_key(self, gold: Sequence[Any], found: Sequence[Any], spec: Spec) -> Pairs:
        """Items with equal keys; where several share a key, the ones most alike."""
        groups: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, items in enumerate((gold, found)):
            for place, item in enumerate(items):
                key = _key(item, self._rule.key)
                if key is not None:
                    groups[key][side].append(place)
        return [
            pair
            for golds, founds in groups.values()
            for pair in (
                [(golds[0], founds[0])]
                if len(golds) == len(founds) == 1
                else self._freely(golds, founds, gold, found, spec)
            )
        ]

    def _freely(
        self, golds: Sequence[int], founds: Sequence[int], gold: Sequence[Any], found: Sequence[Any], spec: Spec
    ) -> Pairs:
        """Equal items first; then the assignment under which most is right."""
        pairs, left, right = _equal(golds, founds, gold, found)
        if not left or not right:
            return pairs
        cost = len(right) * sum(_size(gold[place]) for place in left)
        if max(len(left), len(right)) > _ASSIGN_UP_TO or cost > self._left:
            return pairs + list(zip(left, right, strict=False))
        self._left -= cost
        import numpy as np
        from scipy.optimize import linear_sum_assignment

        table = np.array([[self._likeness(gold[one], found[other], spec) for other in right] for one in left])
        rows, columns = linear_sum_assignment(table, maximize=True)
        return pairs + [(left[row], right[column]) for row, column in zip(rows, columns, strict=True)]


def _key(item: Any, names: Sequence[str]) -> Hashable | None:
    """What identifies an item; None for one that lacks a key."""
    if not isinstance(item, Mapping):
        return None
    find = finder(item, ABSENT)
    values = [find(name) for name in names]
    return None if ABSENT in values else tuple(identity(value) for value in values)


def _is_series(items: Sequence[Any]) -> bool:
    """Whether places have a meaning of their own: in lists of numbers, as in series, and of lists, as in matrices."""
    return any(
        isinstance(item, list) or (isinstance(item, int | float) and not isinstance(item, bool)) for item in items
    )


def _equal(
    golds: Sequence[int], founds: Sequence[int], gold: Sequence[Any], found: Sequence[Any]
) -> tuple[Pairs, list[int], list[int]]:
    waiting: dict[str, list[int]] = defaultdict(list)
    for place in reversed(founds):
        waiting[_written(found[place])].append(place)
    pairs: Pairs = []
    left: list[int] = []
    for place in golds:
        partners = waiting.get(_written(gold[place]))
        if partners:
            pairs.append((place, partners.pop()))
        else:
            left.append(place)
    return pairs, left, sorted(place for places in waiting.values() for place in places)


def _written(value: Any) -> str:
    """A text that is equal for equal items, whatever the order of their keys."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{name!r}:{_written(value[name])}" for name in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    return (
        repr(float(value))
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53
        else repr(value)
    )


def _size(value: Any) -> int:
    """How many values without parts lie in a value, at least 1."""
    return max(1, sum(map(_size, children(value)))) if isinstance(value, dict | list) else 1
