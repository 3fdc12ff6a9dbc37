"""Delimited files whose numbers have decimal commas, as programs in most languages of Europe write them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

    from benchwright.scorers.compare.tables import Table

_WRITTEN: Final = r"^[-+]?\d+,\d+$"
_SURE: Final = r"^[-+]?(?:0,\d+|\d{4,},\d+|\d+,(?:\d{1,2}|\d{4,}))$"
"""What can only be a decimal comma: behind 0 or many digits, or before any number of digits but three."""
_OTHERWISE: Final = r"^[-+]?(?:\d+\.(?:\d{1,2}|\d{4,})|\d{1,3}(?:,\d{3}){2,}(?:\.\d+)?|\d{1,3},\d{3}\.\d+)$"
"""What shows that points are the decimal signs, or commas separate thousands."""


def with_points(table: Table) -> Table:
    """The table with points in the place of decimal commas, if its numbers have these.

    Numbers that can be read in one way only tell it for the whole file. Without one, or where one says otherwise, the
    table stays as it is.
    """
    columns = [column for column in table.columns if _holds(column, _WRITTEN)]
    if not any(_holds(column, _SURE) for column in columns):
        return table
    if any(_holds(column, _OTHERWISE) for column in table.columns):
        return table
    read = tuple(map(_pointed, table.columns))
    return replace(table, columns=read, notes=(*table.notes, "numbers with decimal commas"))


def _holds(column: pl.Series, pattern: str) -> bool:
    return bool(column.str.strip_chars().str.contains(pattern).any())


def _pointed(column: pl.Series) -> pl.Series:
    bare = column.str.strip_chars()
    return column.zip_with(~bare.str.contains(_WRITTEN), bare.str.replace(",", ".", literal=True))
