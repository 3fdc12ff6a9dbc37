"""Tables from hostile files: csv, tsv, JSON, JSON Lines, xlsx and parquet, as text cells under named columns."""

from __future__ import annotations

import datetime as dt
import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.scorers.compare.dialects import decode, delimited_rows, find_delimiter

MAX_BYTES = 200 << 20
MAX_CELLS = 20_000_000


class UnreadableTable(Exception):
    """A file that is no table, or one that is too large to be read, with the reason."""


@dataclass(frozen=True, slots=True)
class Table:
    """Column names and rows of text cells, every row as long as the header; `notes` say how it was read."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def column(self, place: int) -> list[str]:
        """The cells of one column, top down."""
        return [row[place] for row in self.rows]


def read_table(path: Path, names: Iterable[str] = ()) -> Table:
    """Read a regular file by its content, not its name; `names` help to find the delimiter.

    UnreadableTable says why a file is no table.
    """
    if path.is_symlink() or not path.is_file():
        raise UnreadableTable("not a regular file")
    _check_size(path.stat().st_size, MAX_BYTES, "bytes")
    data = path.read_bytes()
    if data[:4] == b"PAR1":
        return _parquet(path)
    if data[:4] == b"PK\x03\x04":
        return _xlsx(path)
    if b"\x00" in data[:4096] and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise UnreadableTable("a binary file of an unknown kind")
    return _text(data, tuple(names))


def _text(data: bytes, names: tuple[str, ...]) -> Table:
    text, encoding = decode(data)
    notes = () if encoding.startswith("utf-8") else (f"read as {encoding}",)
    if text.lstrip()[:1] in {"[", "{"} and (records := _json(text)) is not None:
        return _table(*records, notes)
    rows = delimited_rows(text, find_delimiter(text, names))
    if not rows:
        raise UnreadableTable("an empty file")
    return _table(rows[0], rows[1:], notes)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], notes: tuple[str, ...]) -> Table:
    width = len(names)
    _check_size(width * len(rows), MAX_CELLS, "cells")
    ragged = any(len(row) != width for row in rows)
    padded = tuple(tuple(row) if len(row) == width else (*row[:width], *[""] * (width - len(row))) for row in rows)
    return Table(
        tuple(name.strip() for name in names), padded, (*notes, *(("rows of different length",) if ragged else ()))
    )


def _json(text: str) -> tuple[list[str], list[list[str]]] | None:
    """Header and rows of a JSON table, or None: records, columns of lists, `{"columns", "data"}`, or JSON Lines."""
    try:
        value = json.loads(text, parse_float=str, parse_int=str, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        value = _json_lines(text)
    if isinstance(value, dict) and isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        rows = [row for row in value["data"] if isinstance(row, list)]
        return [_cell(name) for name in value["columns"]], [[_cell(item) for item in row] for row in rows]
    if isinstance(value, dict) and value and all(isinstance(column, list) for column in value.values()):
        height = max(len(column) for column in value.values())
        columns = [[*map(_cell, column), *[""] * (height - len(column))] for column in value.values()]
        return list(value), [list(row) for row in zip(*columns, strict=True)]
    if isinstance(value, dict):
        value = [value]
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        names = list(dict.fromkeys(name for item in value for name in item))
        return names, [[_cell(item.get(name)) for name in names] for item in value]
    return None


def _json_lines(text: str) -> list[Any] | None:
    try:
        return [json.loads(line, parse_float=str, parse_int=str) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def _cell(value: object) -> str:
    """A value as the text that a CSV file would have."""
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124 - only NaN differs from itself
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.1f}"
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def _xlsx(path: Path) -> Table:
    """The first sheet that holds anything; stored values only, and no formula is computed."""
    with _failing_as("workbook"):
        for sheet in _workbook(path).worksheets:
            rows = [row for row in _sheet_rows(sheet) if any(row)]
            if rows:
                return _trimmed(rows)
    raise UnreadableTable("an empty workbook")


@contextmanager
def _failing_as(kind: str) -> Iterator[None]:
    """Whatever a parser raises on a hostile file says only that the file cannot be read."""
    try:
        yield
    except UnreadableTable:
        raise
    except Exception as error:
        raise UnreadableTable(f"not a readable {kind}: {type(error).__name__}") from error


def _workbook(path: Path) -> Any:
    import openpyxl

    with zipfile.ZipFile(path) as archive:
        _check_size(sum(item.file_size for item in archive.infolist()), MAX_BYTES, "unpacked bytes")
    return openpyxl.load_workbook(path, read_only=True, data_only=True)


def _check_size(size: int, most: int, what: str) -> None:
    if size > most:
        raise UnreadableTable(f"more than {most:,} {what}")


def _sheet_rows(sheet: Any) -> Iterator[list[str]]:
    cells = 0
    for row in sheet.iter_rows(values_only=True):
        cells += len(row)
        _check_size(cells, MAX_CELLS, "cells")
        yield [_cell(value) for value in row]


def _trimmed(rows: list[list[str]]) -> Table:
    width = max((place + 1 for row in rows for place, cell in enumerate(row) if cell), default=0)
    return _table(rows[0][:width], [row[:width] for row in rows[1:]], ("read from a workbook",))


def _parquet(path: Path) -> Table:
    import pyarrow.parquet as pq

    with _failing_as("parquet file"):
        file = pq.ParquetFile(path)
        _check_size(file.metadata.num_rows * max(1, file.metadata.num_columns), MAX_CELLS, "cells")
        table = file.read()
        columns = [[_cell(value) for value in column.to_pylist()] for column in table.columns]
        return _table(table.column_names, list(zip(*columns, strict=True)) if columns else [], ())
