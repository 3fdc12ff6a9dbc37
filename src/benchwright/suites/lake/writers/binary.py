"""Binary formats: Parquet, Excel workbooks and SQLite databases, free of clocks and other accidents."""

from __future__ import annotations

import io
import sqlite3
from datetime import UTC, datetime
from typing import Any

from benchwright.suites.lake.table import Table, Value
from benchwright.suites.lake.writers.base import Part, TextStyle

_EPOCH = datetime(2020, 1, 1, tzinfo=UTC).replace(tzinfo=None)
_SHEET_NAME_LENGTH = 31


def _uniform(column: Any) -> list[Value]:
    """A column of one type, as Parquet and SQLite want it: mixed numbers as floats, other mixtures as texts."""
    kinds = {type(value) for value in column if value is not None}
    if len(kinds) < 2:
        return list(column)
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in column]
    return [None if value is None else str(value) for value in column]


def parquet(table: Table, _: TextStyle) -> bytes:
    """One Parquet file in one row group, without pandas' metadata."""
    import pyarrow as pa
    from pyarrow import parquet as pq

    stream = io.BytesIO()
    arrays = [pa.array(_uniform(column)) for column in table.columns]
    pq.write_table(pa.Table.from_arrays(arrays, names=list(table.names)), stream, compression="zstd")
    return stream.getvalue()


def workbook(parts: tuple[Part, ...]) -> bytes:
    """A workbook with one sheet a part; its time of creation is fixed."""
    import xlsxwriter

    stream = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(stream, options) as book:
        book.set_properties({"created": _EPOCH})
        for part in parts:
            sheet = book.add_worksheet(part.name[:_SHEET_NAME_LENGTH])
            for row, values in enumerate([part.table.names, *part.table.rows()]):
                sheet.write_row(row, 0, values)
    return stream.getvalue()


def database(parts: tuple[Part, ...]) -> bytes:
    """An SQLite database with one table a part."""
    connection = sqlite3.connect(":memory:")
    try:
        for part in parts:
            _insert(connection, part)
        connection.commit()
        return connection.serialize()
    finally:
        connection.close()


def _insert(connection: sqlite3.Connection, part: Part) -> None:
    columns = [_uniform(column) for column in part.table.columns]
    names = _apart(part.table.names)
    declared = ", ".join(f"{_quoted(name)} {_affinity(column)}" for name, column in zip(names, columns, strict=True))
    marks = ", ".join("?" * len(columns))
    connection.execute(f"CREATE TABLE {_quoted(part.name)} ({declared})")
    connection.executemany(f"INSERT INTO {_quoted(part.name)} VALUES ({marks})", zip(*columns, strict=True))  # noqa: S608 - quoted names of our own plan


def _apart(names: tuple[str, ...]) -> list[str]:
    """Names that differ in more than case, as SQLite wants them."""
    lower = [name.lower() for name in names]
    return [f"{name}_{at}" if name.lower() in lower[:at] else name for at, name in enumerate(names)]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _affinity(column: list[Value]) -> str:
    kinds = {type(value) for value in column if value is not None}
    if kinds <= {int, bool}:
        return "INTEGER"
    return "REAL" if kinds <= {float} else "TEXT"
