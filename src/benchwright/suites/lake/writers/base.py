"""What the writers are handed: named tables, and how a text file is to look."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchwright.suites.lake.table import Table


@dataclass(frozen=True, slots=True)
class Part:
    """A named table: a sheet of a workbook, a table of a database, or the one content of another file."""

    name: str
    table: Table


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How a text file looks. `preamble` lines stand above the header."""

    delimiter: str = ""
    encoding: str = "utf-8"
    decimal: str = "."
    missing: str = ""
    preamble: tuple[str, ...] = ()

    def for_suffix(self, suffix: str) -> TextStyle:
        """The style with the delimiter that the suffix implies, where none is given."""
        return self if self.delimiter else replace(self, delimiter="\t" if suffix == "tsv" else ",")
