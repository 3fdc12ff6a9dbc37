"""Looks into the files of a collection: their profiles, and which of their tables belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchwright.generation.rooms.likeness import Contents
from benchwright.profiles.entries import FileProfile
from benchwright.profiles.finding_relations import find_relations, read_tables
from benchwright.profiles.folders import Looking, profile_files
from benchwright.profiles.relations import Relation

MOST_TABLES = 2000
"""Of larger collections only profiles are taken: relations of all pairs of tables would take too long."""

_MOST_BYTES = 200_000_000

Told = Callable[[str], None]


def look_into(folder: Path, paths: Sequence[str], told: Told, looking: Looking | None = None) -> Contents:
    """The contents of these files, given by their paths below the folder."""
    told(f"profiling {len(paths):,} files")
    entries = {entry.path: entry for entry in profile_files([(folder / path, path) for path in paths], looking)}
    return Contents(entries, _relations(folder, entries.values(), told))


def _relations(folder: Path, entries: Iterable[FileProfile], told: Told) -> tuple[Relation, ...]:
    """Relations of the files that are one table each and that could be read in their own process before."""
    tables = [
        entry.path for entry in entries if len(entry.tables) == 1 and not entry.error and entry.bytes <= _MOST_BYTES
    ]
    if len(tables) > MOST_TABLES:
        told(f"no relations: more than {MOST_TABLES:,} tables; names and columns alone tell what is alike")
        return ()
    told(f"relations of {len(tables):,} tables")
    return find_relations(read_tables([folder], frozenset(tables)).read)
