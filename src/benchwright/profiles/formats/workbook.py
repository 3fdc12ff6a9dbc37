"""Workbooks: every sheet, with its merged cells, the lines above its table, and the row that names its columns."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Sequence
from typing import Any

from benchwright.profiles.entries import Table
from benchwright.profiles.formats.base import Found, Source, Unreadable, needed
from benchwright.profiles.layout import is_header
from benchwright.profiles.tables import cut, frame_of, plain, table_of

_LOOKED_AT, _BODY = 60, 30
_CELLS = 20_000_000
_ROWS = 1 << 20
_SHOWN = 10


def read(source: Source) -> Found:
    """Every sheet as a table; what a workbook of zip parts would unpack to is bounded before it is opened."""
    calamine = needed("python_calamine")
    _refuse_bombs(source)
    with calamine.CalamineWorkbook.from_path(source.path) as book:
        about = {meta.name: meta for meta in book.sheets_metadata}
        names = list(book.sheet_names)
        tables = tuple(_sheet(book.get_sheet_by_name(name), about[name]) for name in names[: source.bounds.tables])
    more = len(names) - len(tables)
    found = Found(tables=tables, facts={"sheets": len(names)}, rows=tables[0].rows if len(tables) == 1 else None)
    return found.with_notes(f"{more} more sheets are not shown" if more else "")


def _refuse_bombs(source: Source) -> None:
    if not zipfile.is_zipfile(source.path):
        if source.path.stat().st_size > source.bounds.bytes:
            raise Unreadable("too large to be read as a whole")
        return
    with zipfile.ZipFile(source.path) as parts:
        size = sum(part.file_size for part in parts.infolist())
    if size > source.bounds.bytes:
        raise Unreadable(f"its parts unpack to {size:,} bytes; up to {source.bounds.bytes:,} are read")


def _sheet(sheet: Any, about: Any) -> Table:
    if (sheet.total_height or 0) > _ROWS:
        raise Unreadable(f"sheet {cut(sheet.name)}: {sheet.total_height:,} rows; spreadsheets hold up to {_ROWS:,}")
    if (sheet.total_height or 0) * (sheet.total_width or 0) > _CELLS:
        raise Unreadable(f"sheet {cut(sheet.name)}: {sheet.total_height:,} x {sheet.total_width:,} cells are too many")
    rows = [[_cell(cell) for cell in row] for row in sheet.to_python(skip_empty_area=True)]
    merged = list(getattr(sheet, "merged_cell_ranges", None) or ())
    first, named = table_start(rows)
    facts = {
        "visible": str(about.visible).rsplit(".", 1)[-1],
        "kind": str(about.typ).rsplit(".", 1)[-1],
        "cells": [sheet.height or 0, sheet.width or 0],
        "merged_ranges": len(merged),
        "header": named,
        "header_row": first + 1 if named else None,
        "preamble": [cut(" | ".join(str(cell) for cell in row if cell is not None)) for row in rows[:first]][:_SHOWN],
    }
    width = max(map(len, rows), default=0)
    names = rows[first] if named else [None] * width
    body = [row for row in rows[first + named :] if any(cell is not None for cell in row)]
    return table_of([frame_of(names, body)] if width else [], sheet.name, plain(facts))


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return int(value)
    return str(value) if isinstance(value, dt.time | dt.timedelta) else value


def table_start(rows: Sequence[Sequence[Any]]) -> tuple[int, bool]:
    """The row at which the table of a sheet begins, and whether it names the columns.

    Titles and notes above a table fill fewer cells than it does: it begins with the first row that fills nearly as many
    as the rows below usually do.
    """
    filled = [sum(cell is not None for cell in row) for row in rows[:_LOOKED_AT]]
    if not any(filled):
        return 0, False
    usual = sorted(count for count in filled if count)[len([count for count in filled if count]) // 2]
    enough = max(1, round(0.7 * max(usual, max(filled) // 2)))
    first = next(place for place, count in enumerate(filled) if count >= enough)
    body = [
        list(map(_text, row)) for row in rows[first + 1 : first + 1 + _BODY] if any(cell is not None for cell in row)
    ]
    return first, is_header(list(map(_text, rows[first])), body)


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)
