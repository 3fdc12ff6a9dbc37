"""Which items cover which elements, and the greedy choice among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from math import fsum, isfinite

from benchwright.errors import InputError
from benchwright.selection.gains import Gains


@dataclass(frozen=True, slots=True)
class Item:
    """What may be chosen: a task, the elements (skills) that it covers, and its group (domain)."""

    name: str
    covers: frozenset[str]
    group: str = ""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a choice must keep: at most `items` of them, and per group at least and at most so many."""

    items: int | None = None
    at_least: Mapping[str, int] = field(default_factory=dict)
    at_most: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Cover:
    """The problem: every element is wanted in `demand` items, or in as many as have it; weights say how much.

    `needs` is the demand of each element that some item has.
    """

    items: tuple[Item, ...]
    demand: int = 1
    weights: Mapping[str, float] = field(default_factory=dict)
    bounds: Bounds = field(default_factory=Bounds)

    def __post_init__(self) -> None:
        if self.demand < 1:
            raise InputError("a demand below one", found=str(self.demand), expected="each skill at least 1 task")
        wrong = [f"{name}={value}" for name, value in self.weights.items() if not (isfinite(value) and value >= 0)]
        if wrong:
            raise InputError("weights of skills", found=", ".join(wrong[:3]), expected="finite numbers from 0 on")
        check_bounds(self.items, self.bounds)

    @cached_property
    def needs(self) -> dict[str, int]:
        """By element, in the order of its first item, how many items it is wanted in."""
        counts = Counter(chain.from_iterable(item.covers for item in self.items))
        found: dict[str, int] = {}
        left = set(counts)
        for item in self.items:
            if left and (new := item.covers & left):
                found.update((element, min(self.demand, counts[element])) for element in sorted(new))
                left -= new
        return found

    def weight(self, element: str) -> float:
        """What covering an element once is worth."""
        return self.weights.get(element, 1.0)

    def value(self, chosen: Iterable[int]) -> float:
        """What these items are worth together: each element counts up to its need."""
        found = Counter(element for place in chosen for element in self.items[place].covers)
        return fsum(self.weight(element) * min(count, self.needs[element]) for element, count in found.items())


def check_bounds(items: Sequence[Item], bounds: Bounds) -> None:
    """Refuse bounds that no choice can keep."""
    sizes = Counter(item.group for item in items)
    unknown = sorted({*bounds.at_least, *bounds.at_most} - set(sizes))
    if unknown:
        raise InputError(f"no task is of {unknown[0]!r}", expected=f"one of {', '.join(sorted(sizes))}")
    for group, least in bounds.at_least.items():
        most = min(sizes[group], bounds.at_most.get(group, sizes[group]))
        if least > most:
            raise InputError(
                f"too few tasks of {group!r}", found=str(most), expected=f"{least} or more", hint="ask for fewer"
            )
    if any(number < 0 for number in (*bounds.at_least.values(), *bounds.at_most.values(), bounds.items or 0)):
        raise InputError("a number of tasks below 0")
    asked = sum(bounds.at_least.values())
    if bounds.items is not None and asked > bounds.items:
        raise InputError(f"at least {asked} tasks over all domains, and at most {bounds.items} in all")


def greedy(cover: Cover) -> tuple[int, ...]:
    """Take what adds most, again and again, until nothing adds anything or the budget is spent (1 - 1/e of the best).

    Of equals the first item in order is taken. Groups that still lack items then get them, whatever those add.
    """
    state = _Choosing(cover)
    gains = Gains([item.covers for item in cover.items], {element: cover.weight(element) for element in cover.needs})
    groups = [item.group for item in cover.items]
    while not state.full and (place := gains.best(state.gain)) is not None:
        if state.allows(place):
            gains.leave_out([place])
            for element in state.take(place):
                gains.met(element)
        else:  # nor will it ever be: what a group or the budget leaves room for only falls
            gains.leave_out([other for other, group in enumerate(groups) if group == groups[place]])
    state.fill()
    return tuple(state.chosen)


class _Choosing:
    """A choice under way."""

    def __init__(self, cover: Cover) -> None:
        self.cover = cover
        self.chosen: list[int] = []
        self.left = dict(cover.needs)
        self.groups: Counter[str] = Counter()

    @property
    def full(self) -> bool:
        budget = self.cover.bounds.items
        return budget is not None and len(self.chosen) >= budget

    def gain(self, place: int) -> float:
        wanted = (element for element in self.cover.items[place].covers if self.left[element] > 0)
        return fsum(map(self.cover.weight, wanted))

    def allows(self, place: int) -> bool:
        """Whether the item keeps within its group's limit, and leaves room for what other groups still lack."""
        bounds, group = self.cover.bounds, self.cover.items[place].group
        if self.groups[group] >= bounds.at_most.get(group, len(self.cover.items)):
            return False
        lacking = sum(max(0, least - self.groups[name]) for name, least in bounds.at_least.items())
        if self.groups[group] < bounds.at_least.get(group, 0):
            lacking -= 1
        return bounds.items is None or len(self.chosen) + 1 + lacking <= bounds.items

    def take(self, place: int) -> list[str]:
        """Choose an item; the elements that by it are in as many items as wanted."""
        self.chosen.append(place)
        self.groups[self.cover.items[place].group] += 1
        covers = self.cover.items[place].covers
        for element in covers:
            self.left[element] -= 1
        return [element for element in covers if self.left[element] == 0]

    def fill(self) -> None:
        for group, least in self.cover.bounds.at_least.items():
            rest = [place for place, item in enumerate(self.cover.items) if item.group == group]
            rest = [place for place in rest if place not in self.chosen]
            rest.sort(key=lambda place: -len(self.cover.items[place].covers))
            for place in rest[: max(0, least - self.groups[group])]:
                self.take(place)


def curve(cover: Cover, chosen: Sequence[int]) -> list[int]:
    """How many elements the first 1, 2, 3 ... chosen items cover."""
    seen: set[str] = set()
    counts = []
    for place in chosen:
        seen |= cover.items[place].covers
        counts.append(len(seen))
    return counts


def items_of(covered: Mapping[str, Collection[str]], groups: Mapping[str, str] | None = None) -> tuple[Item, ...]:
    """Items by name, in order."""
    groups = groups or {}
    return tuple(Item(name, frozenset(elements), groups.get(name, "")) for name, elements in covered.items())
