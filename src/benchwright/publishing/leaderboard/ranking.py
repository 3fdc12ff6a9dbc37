"""The order of a leaderboard: the protocol's rule and tie-breakers, places, and who cannot be told apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchwright.errors import InputError
from benchwright.publishing.leaderboard.apart import Apart, interval, told_apart
from benchwright.publishing.leaderboard.entries import Board, Entry

_LAST = "9999-99-99"
_NEVER = -1.0
"""Below every accuracy: what was not measured stands after whatever was."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entry with its place (equal ones share it), its letters, and the interval of its accuracy."""

    entry: Entry
    place: int
    group: str
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """A board's entries in order on one subset; `outside` are those without it, or of another release or rule."""

    board: Board
    subset: str
    ranked: tuple[Ranked, ...]
    apart: Apart
    outside: tuple[tuple[Entry, str], ...] = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """In order."""
        return tuple(item.entry for item in self.ranked)


def sort_key(entry: Entry, board: Board, subset: str) -> tuple[object, ...]:
    """What decides an entry's place on a subset, the best first.

    On the board's own subset as CoDA-Bench's protocol has it: Execution Accuracy, ties by that of the next subsets, by
    Discovery Accuracy of both, then by the earlier day (in UTC; not before the last attempt ended), entries without
    one last. On another: its own two, then the day.
    """
    subsets = (subset, *(board.then if subset == board.subset else ()))
    return (
        *(-_known(entry.accuracy(name)) for name in subsets),
        *(-_known(entry.discovery(name)) for name in subsets),
        entry.day or _LAST,
    )


def _known(value: float | None) -> float:
    return _NEVER if value is None else round(value, 9)


def subsets(board: Board, entries: Iterable[Entry]) -> tuple[str, ...]:
    """What can be ranked by: the board's own subset, then every other that it or an entry knows of."""
    told = [name for entry in entries for name in entry.results]
    known = {*told, *board.sizes}
    return tuple(dict.fromkeys((board.subset, *(name for name in board.then if name in known), *sorted(known))))


def rank(board: Board, entries: Iterable[Entry], subset: str = "") -> Ranking:
    """Put entries in order; withdrawn ones, and those that cannot stand beside others, are outside, with the reason.

    Errors: InputError where neither the board nor an entry knows the subset.
    """
    known = list(entries)
    wanted = subset or board.subset
    if wanted not in (possible := subsets(board, known)):
        raise InputError(f"the leaderboard has no subset {wanted!r}", expected=", ".join(possible))
    inside: list[Entry] = []
    outside: list[tuple[Entry, str]] = []
    for entry in known:
        reason = _why_not(entry, board, wanted)
        if reason:
            outside.append((entry, reason))
        else:
            inside.append(entry)
    inside.sort(key=lambda entry: (sort_key(entry, board, wanted), entry.id))
    outside.sort(key=lambda pair: pair[0].id)
    apart = told_apart(inside, wanted)
    return Ranking(board, wanted, tuple(_places(inside, board, wanted, apart)), apart, tuple(outside))


def _why_not(entry: Entry, board: Board, subset: str) -> str:
    result = entry.results.get(subset)
    reasons = {
        f"withdrawn: {entry.withdrawn}": entry.withdrawn,
        f"of another suite: {entry.suite}": _other(entry.suite, board.suite),
        f"of another release: {entry.release}": _other(entry.release, board.release),
        "of other questions or data": _other(entry.digest, board.digest),
        (wrong := board.wrong_size(subset, result) if result else ""): wrong,
        f"no Execution Accuracy on {subset}": entry.accuracy(subset) is None,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _other(mine: str, theirs: str) -> bool:
    return bool(mine and theirs) and mine != theirs


def _places(entries: Sequence[Entry], board: Board, subset: str, apart: Apart) -> Iterable[Ranked]:
    keys = [sort_key(entry, board, subset) for entry in entries]
    for entry, key in zip(entries, keys, strict=True):
        low, high = interval(entry, subset)
        yield Ranked(entry, 1 + sum(other < key for other in keys), apart.groups[entry.id], low, high)
