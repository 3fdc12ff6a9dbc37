"""Searches added up: how many required files were seen, opened and used, and when; and what was opened for nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum
from statistics import median
from typing import Any

from benchwright.analysis.discovery.search import NEAR_MISSES, Moment, Search

_MOST_STEPS = 50
"""Steps of the curves of precision and recall."""
_MOST_NAMED = 20


def summary(found: Sequence[Search]) -> dict[str, Any] | None:
    """Attempts of one cell whose searches are known on the same basis; None of none.

    Shares are of all required files of all attempts. Medians are over the files of which the moment is known. In
    `curve`, at each step, an attempt that has ended keeps its last value; precision is over attempts that have opened
    anything.
    """
    if not found:
        return None
    sought = [item for each in found for item in each.sought]
    reads = [read for each in found for read in each.reads]
    near = [item.instead[0] for item in sought if item.instead]
    wasted = [each.wasted for each in found]
    return {
        "attempts": len(found),
        "required": len(sought),
        "listed": _share(item.listed is not None for item in sought),
        "opened": _share(item.opened is not None for item in sought),
        "content_read": _share(item.content_read for item in sought),
        "complete": _share(all(item.opened for item in each.sought) for each in found),
        "first_listed": _moments([item.listed for item in sought]),
        "first_opened": _moments([item.opened for item in sought]),
        "last_used": _moments([item.used for item in sought]),
        "reads": len(reads),
        "wasted_reads": sum(map(len, wasted)),
        "wasted_share": _share(read.role != "required" for read in reads),
        "wasted_per_attempt": sum(map(len, wasted)) / len(found),
        "roles": dict(Counter(read.role for read in reads)),
        "near_misses": {role: sum(read.role == role for read in near) for role in NEAR_MISSES},
        "opened_instead": [
            {"path": path, "role": role, "n": n}
            for (path, role), n in Counter((read.access.path, read.role) for read in near).most_common(_MOST_NAMED)
        ],
        "curve": curve(found),
    }


def _share(truths: Iterable[bool]) -> float | None:
    told = list(truths)
    return sum(told) / len(told) if told else None


def _moments(found: Sequence[Moment | None]) -> dict[str, Any]:
    """The median step and second of those that are known, and of how many."""
    steps = [when.step for when in found if when is not None and when.step is not None]
    seconds = [when.seconds for when in found if when is not None and when.seconds is not None]
    return {
        "step": median(steps) if steps else None,
        "seconds": median(seconds) if seconds else None,
        "n": len(steps),
    }


def curve(found: Sequence[Search]) -> list[dict[str, Any]]:
    """Mean precision and recall after each step, up to 50."""
    courses = [(len(each.sought), course) for each in found if (course := list(each.progress()))]
    longest = min(_MOST_STEPS, max((len(course) for _, course in courses), default=0))
    now = ([(sought, course[min(step, len(course) - 1)]) for sought, course in courses] for step in range(longest))
    return [_point(step, points) for step, points in enumerate(now, start=1)]


def _point(step: int, now: Sequence[tuple[int, tuple[int, int, int, int]]]) -> dict[str, Any]:
    precise = [right / opened for _, (_, opened, right, _) in now if opened]
    reached = [found / sought for sought, (_, _, _, found) in now]
    return {
        "step": step,
        "precision": fsum(precise) / len(precise) if precise else None,
        "recall": fsum(reached) / len(reached),
    }
