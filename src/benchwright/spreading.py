"""Work on many items that others may do: what goes out and comes back is text, whoever does it and wherever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol


class Hand(Protocol):
    """Does one kind of work, for one thread at a time, or for many `together`."""

    together: bool

    def do(self, text: str) -> str:
        """The result of one item."""

    def close(self) -> None:
        """Give up what is held. Idempotent."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is done with items of one kind: by hands of a class of ours, made with `settings`, which are JSON.

    `files` have to be the same wherever it is done; `gold`: whether golds are opened there. `noun` names the items to
    people; empty: nothing is told of them. At most so many items are under way `at_once`; None: one a processor.
    """

    hand: type[Hand]
    settings: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    noun: str = ""
    gold: bool = False
    at_once: int | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One item: what is to be done, as text, and the files that have to be there as they are here."""

    text: str
    files: tuple[Path, ...] = ()


class Crew(Protocol):
    """Those who do one kind of work."""

    def submit(self, item: Item) -> Future[str]:
        """Have an item done, once; its result, or the error of ours that doing it on this machine would have raised."""


class Spread(Protocol):
    """Where crews are had."""

    def crew(self, work: Work) -> AbstractContextManager[Crew]:
        """A crew for this block; what is under way when the block is left is given up."""


def spread_over(spread: Spread, work: Work, items: Iterable[Item]) -> Iterator[str]:
    """The results of all items, in the items' order whatever the order of their ends."""
    with spread.crew(work) as crew:
        for future in [crew.submit(item) for item in items]:
            yield future.result()
