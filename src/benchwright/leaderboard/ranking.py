"""The ranking of what is on the board, by the protocol's order."""

from __future__ import annotations

from benchwright.files import Record
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.showing import EntryShown, listed


class Ranked(Record):
    """An entry and its place; those that no number tells apart share one."""

    rank: int
    entry: EntryShown


class Board(Record):
    """The ranking, best first."""

    entries: tuple[Ranked, ...]


def board(database: Database) -> Board:
    """The ranking of all entries that are scored and not withdrawn."""
    found = sorted(listed(database), key=_key)
    ranks: list[Ranked] = []
    for place, entry in enumerate(found, start=1):
        same = ranks and _key(ranks[-1].entry)[:-1] == _key(entry)[:-1]
        ranks.append(Ranked(rank=ranks[-1].rank if same else place, entry=entry))
    return Board(entries=tuple(ranks))


def _key(entry: EntryShown) -> tuple[float | str, ...]:
    """EA full, EA hard, DA full, DA hard, all descending, then the earlier date."""
    values: list[float | str] = []
    for measure in ("ea", "da"):
        for subset in ("full", "hard"):
            result = entry.results.get(subset)
            value = getattr(result, measure) if result else None
            values.append(1.0 if value is None else -value)
    return (*values, entry.date or entry.received)
