"""Searches added up: how many required files were seen, opened and used, and when; and what was opened for nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from statistics import median

from benchwright.analysis.discovery.search import NEAR_MISSES, Moment, Read, Role, Search
from benchwright.files import Record

_MOST_STEPS = 50
"""Steps of the curves of precision and recall."""
_MOST_NAMED = 20


class Typical(Record):
    """When something was reached: the median step and second of the `n` files of which the step is known."""

    step: float | None
    seconds: float | None
    n: int


class Reached(Record):
    """Mean precision and recall after a step; precision is over attempts that have opened anything."""

    step: int
    precision: float | None
    recall: float


class Instead(Record):
    """A file that was opened in place of a required one, and how often."""

    path: str
    role: Role
    n: int


class Summary(Record):
    """Attempts of one cell whose searches are known on the same basis.

    Shares are of all required files of all attempts, `complete` of the attempts. In `curve`, at each step, an attempt
    that has ended keeps its last value.
    """

    attempts: int
    required: int
    listed: float | None
    opened: float | None
    content_read: float | None
    complete: float | None
    first_listed: Typical
    first_opened: Typical
    last_used: Typical
    reads: int
    wasted_reads: int
    wasted_share: float | None
    wasted_per_attempt: float
    roles: dict[str, int]
    near_misses: dict[str, int]
    opened_instead: tuple[Instead, ...]
    curve: tuple[Reached, ...]


class Searched(Record):
    """What a cell sought and opened: as it was measured and, apart from that, as logs let one estimate it."""

    title: str
    measured: Summary | None
    estimated: Summary | None

    def known(self) -> Iterator[tuple[str, Summary]]:
        """Each basis on which anything is known, with what is."""
        for basis, found in (("measured", self.measured), ("estimated", self.estimated)):
            if found is not None:
                yield basis, found


def summary(found: Sequence[Search]) -> Summary | None:
    """Searches of one cell added up; None of none."""
    if not found:
        return None
    sought = [item for each in found for item in each.sought]
    reads = [read for each in found for read in each.reads]
    near = [item.instead[0] for item in sought if item.instead]
    wasted = sum(len(each.wasted) for each in found)
    return Summary(
        attempts=len(found),
        required=len(sought),
        listed=_share(item.listed is not None for item in sought),
        opened=_share(item.opened is not None for item in sought),
        content_read=_share(item.content_read for item in sought),
        complete=_share(all(item.opened for item in each.sought) for each in found),
        first_listed=_typical([item.listed for item in sought]),
        first_opened=_typical([item.opened for item in sought]),
        last_used=_typical([item.used for item in sought]),
        reads=len(reads),
        wasted_reads=wasted,
        wasted_share=_share(read.role != "required" for read in reads),
        wasted_per_attempt=wasted / len(found),
        roles=dict(Counter[str](read.role for read in reads)),
        near_misses={role: sum(read.role == role for read in near) for role in NEAR_MISSES},
        opened_instead=tuple(_instead(near)),
        curve=tuple(curve(found)),
    )


def _instead(near: Sequence[Read]) -> Iterator[Instead]:
    """The near misses that occur most."""
    for (path, role), n in Counter((read.access.path, read.role) for read in near).most_common(_MOST_NAMED):
        yield Instead(path=path, role=role, n=n)


def _share(truths: Iterable[bool]) -> float | None:
    told = list(truths)
    return sum(told) / len(told) if told else None


def _typical(found: Sequence[Moment | None]) -> Typical:
    steps = [when.step for when in found if when is not None and when.step is not None]
    seconds = [when.seconds for when in found if when is not None and when.seconds is not None]
    return Typical(step=median(steps) if steps else None, seconds=median(seconds) if seconds else None, n=len(steps))


def curve(found: Sequence[Search]) -> list[Reached]:
    """Mean precision and recall after each step, up to 50."""
    courses = [(len(each.sought), course) for each in found if (course := list(each.progress()))]
    longest = min(_MOST_STEPS, max((len(course) for _, course in courses), default=0))
    now = ([(sought, course[min(step, len(course) - 1)]) for sought, course in courses] for step in range(longest))
    return [_point(step, points) for step, points in enumerate(now, start=1)]


def _point(step: int, now: Sequence[tuple[int, tuple[int, int, int, int]]]) -> Reached:
    precise = [right / opened for _, (_, opened, right, _) in now if opened]
    reached = [found / sought for sought, (_, _, _, found) in now]
    precision = fsum(precise) / len(precise) if precise else None
    return Reached(step=step, precision=precision, recall=fsum(reached) / len(reached))
