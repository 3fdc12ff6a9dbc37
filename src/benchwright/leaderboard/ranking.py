"""The ranking of what is on the board: by the protocol's rule, over the rounded numbers that may be shown."""

from __future__ import annotations

import threading
from functools import lru_cache

from benchwright.files import Record, canonical_json, parse_json
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.showing import EntryShown, listed
from benchwright.publishing.leaderboard.entries import Board as Settings
from benchwright.publishing.leaderboard.entries import Entry
from benchwright.publishing.leaderboard.ranking import rank
from benchwright.publishing.submission import Metadata, Result
from benchwright.publishing.submission.strict_json import Share


class Ranked(Record):
    """An entry and its place, which equal ones share; entries that share a letter of `group` cannot be told apart.

    `low` and `high` are Wilson's interval of its EA on the first subset, at 95 %.
    """

    rank: int
    group: str = ""
    low: float | None = None
    high: float | None = None
    entry: EntryShown


class Board(Record):
    """The ranking, best first; `outside` were not run on the subset that places go by: the first of `order`."""

    order: tuple[str, ...]
    entries: tuple[Ranked, ...]
    outside: tuple[EntryShown, ...] = ()


_WORKING = threading.Lock()
"""So that of many who ask at once for a ranking that has changed one works it out."""
ORDER = ("full", "hard")
"""The subsets that places go by: the first, and those that decide ties."""


def board(database: Database, order: tuple[str, ...] = ORDER) -> Board:
    """The ranking of all entries that are scored and not withdrawn."""
    text = canonical_json([entry.model_dump(mode="json") for entry in listed(database)])
    with _WORKING:
        return _ranked(text, order)


@lru_cache(maxsize=2)
def _ranked(text: str, order: tuple[str, ...]) -> Board:
    """Worked out again when an entry has come, gone or changed its names: testing all pairs takes its time."""
    shown = {value["id"]: EntryShown.from_json(value, "entry") for value in parse_json(text, "entries")}
    found = rank(Settings(private=True, subset=order[0], then=order[1:]), map(_entry, shown.values()))
    return Board(
        order=order,
        entries=tuple(
            Ranked(rank=one.place, group=one.group, low=one.low, high=one.high, entry=shown[one.entry.id])
            for one in found.ranked
        ),
        outside=tuple(shown[entry.id] for entry, _ in found.outside),
    )


def _entry(shown: EntryShown) -> Entry:
    """An entry as rankings of folders have it: of the rounded numbers, and without scores of tasks."""
    return Entry(
        id=shown.id,
        method=shown.method,
        model=shown.model,
        organization=shown.organization,
        metadata=Metadata(date=shown.date or shown.received),
        results={
            name: Result(execution_accuracy=_share(one.ea), discovery_accuracy=_share(one.da), n_tasks=one.n_tasks)
            for name, one in shown.results.items()
        },
        status="verified",
    )


def _share(value: float | None) -> Share | None:
    return None if value is None else Share(value)
