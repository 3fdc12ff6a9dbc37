"""Tables of files that were looked at in a process of their own first: what was too much there is not opened here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchwright.errors import InputError
from benchwright.profiles.batches import READERS
from benchwright.profiles.finding_relations import Tables, read_tables
from benchwright.profiles.folders import Looking, profile_paths
from benchwright.profiles.prompt import quoted


def read_sound_tables(paths: Sequence[Path], looking: Looking | None = None) -> Tables:
    """The tables as `read_tables` tells them, without files whose profile has an error: these are among the unread.

    Raises InputError for a path that is not there, and for a file that was named and cannot be read.
    """
    sound, unread = set(), {}
    for entry in profile_paths(paths, looking):
        if not entry.error:
            sound.add(entry.path)
        elif Path(entry.path).suffix.lower() in READERS:
            unread[entry.path] = f"{quoted(entry.path)}: {quoted(entry.error)[1:-1]}"
    for path in paths:
        if not path.is_dir() and path.name in unread:
            raise InputError(f"{path} cannot be read", found=unread[path.name])
    tables = read_tables(paths, frozenset(sound))
    return Tables(tables.read, {**unread, **tables.unread})
