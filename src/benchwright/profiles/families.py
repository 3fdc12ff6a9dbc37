"""Columns and files that come in numbers: families that differ only by a number, or share folder and schema."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from benchwright.profiles.base import Column
from benchwright.profiles.entries import Count, FileProfile

LEAST_COLUMNS = 5
LEAST_FILES = 3
_DIGITS = re.compile(r"\d+")
_NUMBERS = frozenset(("integer", "float"))


@dataclass(frozen=True, slots=True)
class ColumnFamily:
    """Columns whose names differ only by numbers: `pattern` has {N} for each, members stand in the numbers' order."""

    pattern: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class FileFamily:
    """Files of one format and schema that differ by numbers in their paths, or lie in one folder; in natural order."""

    pattern: str
    files: tuple[FileProfile, ...]

    @property
    def rows(self) -> Count | None:
        """The rows of all files together, None where one has none."""
        counts = [entry.rows for entry in self.files if entry.rows is not None]
        if len(counts) < len(self.files):
            return None
        return Count(value=sum(count.value for count in counts), exact=all(count.exact for count in counts))


def numbered(text: str) -> str:
    """A name with {N} for every run of digits."""
    return _DIGITS.sub("{N}", text)


def natural(text: str) -> tuple[tuple[str, int], ...]:
    """What sorts names as people count: x2 before x10."""
    parts = re.split(r"(\d+)", text)
    return tuple(
        (part, int(number) if number else -1) for part, number in zip(parts[::2], [*parts[1::2], ""], strict=True)
    )


def column_families(columns: Sequence[Column]) -> tuple[tuple[Column, ...], tuple[ColumnFamily, ...]]:
    """Columns that stand alone, and families of at least `LEAST_COLUMNS`; both in the order of their first column."""
    groups: dict[str, list[Column]] = {}
    for column in columns:
        groups.setdefault(numbered(column.name), []).append(column)
    large = {pattern: group for pattern, group in groups.items() if "{N}" in pattern and len(group) >= LEAST_COLUMNS}
    alone = tuple(column for column in columns if numbered(column.name) not in large)
    families = (
        ColumnFamily(pattern, tuple(sorted(group, key=lambda each: natural(each.name))))
        for pattern, group in large.items()
    )
    return alone, tuple(families)


def file_families(entries: Iterable[FileProfile]) -> tuple[FileProfile | FileFamily, ...]:
    """Every file once: in a family of at least `LEAST_FILES`, or alone; in the order of their first file.

    Only files of one format and one schema are together: the same tables with the same columns of the same kinds.
    Those that cannot be read, and those without a table in other folders, only where their paths differ by numbers.
    """
    listed = list(entries)
    groups = _Groups(listed)
    for number, entry in enumerate(listed):
        schema = schema_of(entry)
        folder = str(PurePosixPath(entry.path).parent)
        groups.put(number, ("numbered", numbered(entry.path), schema))
        if entry.tables and not entry.error:
            groups.put(number, ("folder", folder, schema))
    told: list[FileProfile | FileFamily] = []
    for members in groups.all():
        if len(members) < LEAST_FILES:
            told.extend(members)
        else:
            files = tuple(sorted(members, key=lambda each: natural(each.path)))
            told.append(FileFamily(_pattern([file.path for file in files]), files))
    place = {id(entry): number for number, entry in enumerate(listed)}
    return tuple(sorted(told, key=lambda each: _first_place(each, place)))


def _first_place(told: FileProfile | FileFamily, place: dict[int, int]) -> int:
    return min(place[id(file)] for file in told.files) if isinstance(told, FileFamily) else place[id(told)]


def schema_of(entry: FileProfile) -> Hashable:
    """What two files of one family must have in common."""
    tables = tuple(
        (table.name if len(entry.tables) > 1 else "", tuple((column.name, _kind(column)) for column in table.columns))
        for table in entry.tables
    )
    return entry.format, bool(entry.error), tables


def _kind(column: Column) -> str:
    return "number" if column.kind in _NUMBERS else column.kind


def _pattern(paths: Sequence[str]) -> str:
    """The common name of files: their numbered one, else what all begin and end with."""
    patterns = {numbered(path) for path in paths}
    if len(patterns) == 1:
        return patterns.pop()
    folder, suffix = PurePosixPath(paths[0]).parent, PurePosixPath(paths[0]).suffix
    return str(folder / f"*{suffix}")


class _Groups:
    """Entries that share a key are together, and so are those that share one with either (union-find)."""

    def __init__(self, entries: Sequence[FileProfile]) -> None:
        self._entries = entries
        self._above = list(range(len(entries)))
        self._of_key: dict[Hashable, int] = {}

    def put(self, number: int, key: Hashable) -> None:
        """Put an entry, with all that is with it, to those of a key."""
        self._above[self._top(number)] = self._top(self._of_key.setdefault(key, number))

    def _top(self, number: int) -> int:
        while self._above[number] != number:
            self._above[number] = self._above[self._above[number]]
            number = self._above[number]
        return number

    def all(self) -> list[list[FileProfile]]:
        """All groups, each once, its members in their order."""
        groups: dict[int, list[FileProfile]] = {}
        for number, entry in enumerate(self._entries):
            groups.setdefault(self._top(number), []).append(entry)
        return list(groups.values())
