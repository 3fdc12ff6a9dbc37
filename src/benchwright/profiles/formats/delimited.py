"""Delimited text: csv and tsv in their dialects, and text files that turn out to be tables."""

from __future__ import annotations

from contextlib import ExitStack

from benchwright.errors import InputError
from benchwright.profiles.batches import delimited_batches
from benchwright.profiles.delimited_rows import LaterRowsDiffer, encoding_found, laid_out
from benchwright.profiles.entries import Table
from benchwright.profiles.formats.base import Found, Source, Unreadable
from benchwright.profiles.layout import SPACES, Layout
from benchwright.profiles.tables import cut, table_of

_THOROUGH = "rows differ in width or type, or a quote is never closed: all rows were looked at twice"
_PREAMBLE = 10


def read(source: Source) -> Found:
    """The one table of a delimited file."""
    if not source.path.stat().st_size:
        return Found(notes=("an empty file",))
    for thorough in (False, True):
        with ExitStack() as held:
            try:
                return _read(source, held, thorough=thorough)
            except LaterRowsDiffer:
                continue
            except InputError as error:
                raise Unreadable(error.found or error.what) from error
    raise Unreadable("rows that fit no one type")


def _read(source: Source, held: ExitStack, *, thorough: bool) -> Found:
    layout = laid_out(source.path, held, whole=thorough)[1]
    table: Table = table_of(delimited_batches(source.path, thorough=thorough, held=held))
    if len(table.columns) > source.bounds.columns:
        raise Unreadable(f"{len(table.columns):,} columns; up to {source.bounds.columns:,} are profiled")
    facts = {
        "encoding": encoding_found(source.path, whole=thorough),
        "delimiter": "spaces" if layout.delimiter == SPACES else layout.delimiter,
        "header": layout.names is not None,
        "lines_before_data": layout.skipped,
        "preamble": [cut(line) for line in layout.preamble[:_PREAMBLE]],
    }
    return Found(tables=(table,), rows=table.rows, facts=facts).with_notes(_THOROUGH if thorough else "")


def looks_like_a_table(layout: Layout, head: str) -> bool:
    """Whether a text that is not called a csv is one: several columns, cut alike in nearly all of its first lines."""
    import csv

    lines = head.splitlines()[layout.skipped :][:100]
    if layout.delimiter == SPACES:
        return True
    widths = [len(row) for row in csv.reader(lines, delimiter=layout.delimiter) if row]
    usual = max(set(widths), key=widths.count) if widths else 0
    return usual > 1 and len(widths) > 1 and widths.count(usual) >= 0.9 * len(widths)
