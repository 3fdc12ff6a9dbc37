"""What a program was seen to do with files while it was interpreted, and under which conditions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["read", "write", "remote"]
MOST_EVENTS = 5_000
"""Uses of files that are kept of one program; it is incomplete where there are more."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of a point where the program goes one way or another; arms of one point exclude each other.

    `sure` arms are those that run unless something fails: the body of a `try`, the first of several candidates.
    """

    point: str
    number: int
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """One use of a file: `path` may hold holes; `arms` are the conditions under which it happens, outer first."""

    kind: Kind
    path: str
    reader: str
    line: int
    expression: str
    arms: tuple[Arm, ...] = ()
    callers: tuple[int, ...] = ()
    """The lines of the calls that led here, outermost first."""

    @property
    def way(self) -> tuple[int, ...]:
        """The lines of the calls that led here, and of the use itself."""
        return (*self.callers, self.line)

    @property
    def conditional(self) -> bool:
        """Whether the program may run without it though nothing fails."""
        return any(not arm.sure for arm in self.arms)


class Trace:
    """The events in the order of the program, and the arms that are open now."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.unresolved = 0
        """Reads of which nothing is known but that there is one."""
        self.callers: list[int] = []
        """The lines of the calls that are open."""
        self._arms: list[Arm] = []
        self._points = 0

    def point(self, line: int) -> str:
        """A new point at which the program branches."""
        self._points += 1
        return f"{line}.{self._points}"

    @contextmanager
    def arm(self, point: str, number: int, *, sure: bool = False) -> Iterator[None]:
        """Everything recorded in the block happens in this arm only."""
        self._arms.append(Arm(point, number, sure))
        try:
            yield
        finally:
            self._arms.pop()

    def enclose(self, start: int, arm: Arm) -> None:
        """Put what was recorded since `start` into one more arm, inside those that are open now."""
        depth = len(self._arms)
        for index in range(start, len(self.events)):
            arms = self.events[index].arms
            self.events[index] = replace(self.events[index], arms=(*arms[:depth], arm, *arms[depth:]))

    def record(self, kind: Kind, path: str, reader: str, line: int, expression: str) -> None:
        """Add one event under the arms that are open."""
        if len(self.events) >= MOST_EVENTS:
            self.unresolved += 1
            return
        self.events.append(Event(kind, path, reader, line, expression, tuple(self._arms), tuple(self.callers)))
