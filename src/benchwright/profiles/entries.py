"""The values of a profiled folder: one entry a file, whatever it is, each number exact or marked as sampled."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from benchwright.files import Record
from benchwright.profiles.base import Column


class Count(Record):
    """How many; not `exact` where only part of the file was looked at."""

    value: int
    exact: bool = True


class Table(Record):
    """One table of a file: a sheet, a layer, a table of a database, or all of it (`name` is then empty).

    `rows` are rows of data, without names and preamble. `sample` are the first rows, `facts` what only this kind of
    table has. Long texts are cut in `sample` and in the columns' values.
    """

    name: str = ""
    rows: Count
    columns: tuple[Column, ...] = ()
    sample: tuple[dict[str, Any], ...] = ()
    facts: dict[str, Any] = Field(default_factory=dict)


class FileProfile(Record):
    """One file: where it is, how large, what it is by its first bytes and suffix, and what it holds.

    `magic` are its first sixteen bytes in hexadecimal. `format` is "unknown" where neither bytes nor suffix say more.
    `facts` is the structure that only this format has. `text` is the beginning of a text. `inner` are the files of an
    archive. A file that cannot be read, or only in part, has an `error`; what was found before it stands all the same.
    """

    path: str
    bytes: int
    sha256: str = ""
    format: str
    magic: str = ""
    rows: Count | None = None
    tables: tuple[Table, ...] = ()
    facts: dict[str, Any] = Field(default_factory=dict)
    text: str = ""
    inner: tuple[FileProfile, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""

    @property
    def all_tables(self) -> tuple[Table, ...]:
        """Its own tables, and those of the files in an archive."""
        return (*self.tables, *(table for inner in self.inner for table in inner.all_tables))


def entry_text(entry: FileProfile) -> str:
    """An entry as one line of JSON, its columns and rows in their order; what is no text of Unicode is replaced."""
    text = json.dumps(entry.model_dump(mode="json"), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode()


def without_values(entry: FileProfile) -> FileProfile:
    """The entry without what shows single values of the data: for private data. Of errors the first words stay."""
    tables = tuple(
        table.model_copy(update={"sample": (), "columns": tuple(map(_bare, table.columns))}) for table in entry.tables
    )
    inner = tuple(map(without_values, entry.inner))
    facts = {name: fact for name, fact in entry.facts.items() if name not in _VALUES}
    return entry.model_copy(
        update={"tables": tables, "inner": inner, "text": "", "facts": facts, "error": entry.error.split(":")[0]}
    )


_VALUES = frozenset(("sample", "value", "preamble", "first_bad_lines"))


def _bare(column: Column) -> Column:
    dates = column.text_dates
    return column.model_copy(update={"first": (), "text_dates": dates and dates.model_copy(update={"unread": ()})})
