"""Tables from hostile files, csv, JSON (Lines), xlsx, parquet and Feather: text cells under named columns."""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.dialects import decode, delimited_rows, find_delimiter, whole_lines
from benchwright.scorers.compare.cell_texts import arrow_cells, cell_text, text_series
from benchwright.scorers.compare.decimal_commas import with_points
from benchwright.scorers.compare.formulas import Formula, FormulaCells, FormulaFailed, Place
from benchwright.scorers.compare.opening import UnreadableOutput, read_output

if TYPE_CHECKING:
    import polars as pl

MAX_BYTES = 512 << 20
MAX_JSON_BYTES = 100 << 20
MAX_UNPACKED = 200 << 20
"""Of a workbook; its reader takes many times as much."""
MAX_CELLS = 60_000_000
MAX_COLUMNS = 16_384
_MAX_SLOW_CELLS = 20_000_000
"""Cells that are read as Python's own text take four times the memory."""
_GZIP = b"\x1f\x8b"
_QUICK_FROM = 1 << 20
_HEAD = 200_000
"""Bytes of a text that are looked at for its form."""


class UnreadableTable(UnreadableOutput):
    """A file that is no table, or one that is too large to be read, with the reason."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Named columns of text cells, all of `height` rows, none missing; `notes` say how it was read."""

    names: tuple[str, ...]
    columns: tuple[pl.Series, ...]
    height: int
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The cells row by row."""
        return tuple(zip(*(column.to_list() for column in self.columns), strict=True))


def read_table(path: Path, names: Iterable[str] = ()) -> Table:
    """Read a regular file by its content, not its name; `names` help to find the delimiter.

    UnreadableTable says why a file is no table.
    """
    try:
        data = read_output(path, MAX_BYTES)
        if data[:2] == _GZIP:
            data = _unpacked(data)
        if data[:4] == b"PAR1":
            return _parquet(data)
        if data[:6] == b"ARROW1":
            return _feather(data)
        if data[:4] == b"PK\x03\x04":
            return _xlsx(data)
        return _text(data, tuple(names))
    except UnreadableOutput as error:
        raise UnreadableTable(str(error)) from error
    except MemoryError as error:
        raise UnreadableTable("too large for the memory of the scorer") from error


def _unpacked(data: bytes) -> bytes:
    with _failing_as("gzip file"):
        unpacked = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MAX_BYTES + 1)
        _check_size(len(unpacked), MAX_BYTES, "unpacked bytes")
        return unpacked


def _text(data: bytes, names: tuple[str, ...]) -> Table:
    if data.isascii() and b"\x00" not in data[:4096]:
        body, encoding = data, "utf-8"
    else:
        text, encoding = decode(data)
        body = text.encode("utf-8", "replace")
    if encoding.startswith("utf-8") and b"\x00" in data[:4096]:
        raise UnreadableTable("a binary file of an unknown kind")
    notes = () if encoding.startswith("utf-8") else (f"read as {encoding}",)
    if body[:_HEAD].lstrip()[:1] in {b"[", b"{"} and (records := _json(body)) is not None:
        return _table(*records, notes)
    stated = re.match(rb"sep=([,;\t|])\r?\n", body)  # as Excel writes and reads it
    body = body[stated.end() :] if stated else body
    head = body[:_HEAD].decode("utf-8", "ignore")
    delimiter = (
        stated[1].decode() if stated else find_delimiter(head if len(body) <= _HEAD else whole_lines(head), names)
    )
    _check_size(body[: body.find(b"\n") + 1 or None].count(delimiter.encode()) + 1, MAX_COLUMNS, "columns")
    cells = _cells_of(body, delimiter)
    _check_size(cells, MAX_CELLS, "cells")
    table = read_quickly(body, delimiter, notes) if len(body) >= _QUICK_FROM else None
    if table is None:
        _check_size(cells, _MAX_SLOW_CELLS, "cells")
        table = read_slowly(body, delimiter, notes)
    return with_points(table) if delimiter != "," and b"," in body else table


def read_slowly(body: bytes, delimiter: str, notes: tuple[str, ...] = ()) -> Table:
    """A delimited text of any make, in UTF-8."""
    rows = delimited_rows(body.decode("utf-8", "replace"), delimiter)
    if not rows:
        raise UnreadableTable("an empty file")
    return _table(rows[0], rows[1:], notes)


def read_quickly(body: bytes, delimiter: str, notes: tuple[str, ...] = ()) -> Table | None:
    """The same table as `read_slowly` gives, by polars; None for what polars refuses or would read in another way."""
    quoted = b'"' in body
    if b"\r" in body:
        if quoted and body.count(b"\r") != body.count(b"\r\n"):
            return None
        body = body if quoted else body.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    columns = _parsed(body, delimiter)
    if columns and all(column.null_count() for column in columns) and (b"\n\n" in body or body.startswith(b"\n")):
        # Lines without a character are no rows; between quotes they are part of a cell.
        columns = None if quoted else _parsed(re.sub(rb"\n{2,}", b"\n", body).removeprefix(b"\n"), delimiter)
    elif columns and quoted and all(column.null_count() for column in columns) and b"\r" in body:
        columns = None
    if not columns:
        return None
    filled = [column.fill_null("") if column.null_count() else column for column in columns]
    names = tuple(column[0].strip() for column in filled)
    return Table(names, tuple(column.slice(1) for column in filled), len(filled[0]) - 1, notes)


def _parsed(body: bytes, delimiter: str) -> list[pl.Series] | None:
    """The columns of a text with the header as their first cells, missing where a line has none."""
    import polars as pl

    try:
        return pl.read_csv(body, has_header=False, separator=delimiter, infer_schema=False).get_columns()
    except pl.exceptions.PolarsError:
        return None


def _cells_of(body: bytes, delimiter: str) -> int:
    """About how many cells a text holds; a text that is short enough for any reader is not counted."""
    if len(body) <= _MAX_SLOW_CELLS:
        return 0
    return _count(body, delimiter) + _count(body, "\n")


def _count(body: bytes, sign: str) -> int:
    """How often a byte stands in a text; where it often does, arrays count faster than `bytes.count`."""
    import numpy as np

    view = np.frombuffer(body, dtype=np.uint8)
    return sum(int(np.count_nonzero(view[at : at + _HEAD] == ord(sign))) for at in range(0, len(view), _HEAD))


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], notes: tuple[str, ...]) -> Table:
    width = len(names)
    _check_size(width, MAX_COLUMNS, "columns")
    _check_size(width * len(rows), MAX_CELLS, "cells")
    columns = [[row[place] if place < len(row) else "" for row in rows] for place in range(width)]
    ragged = any(len(row) != width for row in rows)
    return Table(
        tuple(name.strip() for name in names),
        tuple(map(text_series, columns)),
        len(rows),
        (*notes, *(("rows of different length",) if ragged else ())),
    )


def _json(body: bytes) -> tuple[list[str], list[list[str]]] | None:
    """Header and rows of a JSON table, or None: records, columns of lists, `{"columns", "data"}`, or JSON Lines."""
    _check_size(len(body), MAX_JSON_BYTES, "bytes of JSON")
    text = body.decode("utf-8", "replace")
    try:
        value = json.loads(text, parse_float=str, parse_int=str, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        value = _json_lines(text)
    if isinstance(value, dict) and isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        rows = [row for row in value["data"] if isinstance(row, list)]
        return [cell_text(name) for name in value["columns"]], [[cell_text(item) for item in row] for row in rows]
    if isinstance(value, dict) and value and all(isinstance(column, list) for column in value.values()):
        height = max(len(column) for column in value.values())
        _check_size(height * len(value), MAX_CELLS, "cells")
        columns = [[*map(cell_text, column), *[""] * (height - len(column))] for column in value.values()]
        return list(value), [list(row) for row in zip(*columns, strict=True)]
    if isinstance(value, dict):
        value = [value]
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        names = list(dict.fromkeys(name for item in value for name in item))
        _check_size(len(names) * len(value), MAX_CELLS, "cells")
        return names, [[cell_text(item.get(name)) for name in names] for item in value]
    return None


def _json_lines(text: str) -> list[Any] | None:
    lines = [line for line in text.split("\n") if line.strip()]
    try:
        return [json.loads(line, parse_float=str, parse_int=str, parse_constant=lambda _: None) for line in lines]
    except (ValueError, RecursionError):
        return None


def _xlsx(data: bytes) -> Table:
    """The first sheet that holds anything; formulas that were stored without their results are computed."""
    with _failing_as("workbook"):
        computed, notes = _computed(data)
        for sheet in _workbook(data).worksheets:
            rows = [row for row in _sheet_rows(sheet, computed) if any(row)]
            if rows:
                return _trimmed(rows, notes)
    raise UnreadableTable("an empty workbook")


def _computed(data: bytes) -> tuple[dict[Place, object], tuple[str, ...]]:
    """The results of formulas that a workbook holds without them, and notes on how many there are and which failed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheets = [item for item in archive.infolist() if item.filename.startswith("xl/worksheets/")]
        _check_size(sum(item.file_size for item in sheets), MAX_UNPACKED, "unpacked bytes")
        if not any(re.search(rb"<f[ >/]", archive.read(item)) for item in sheets):
            return {}, ()
    stored, texts = dict(_cells(_workbook(data))), dict(_cells(_workbook(data, data_only=False)))
    lost = [
        place
        for place, text in texts.items()
        if stored.get(place) is None and isinstance(text, str) and text.startswith("=")
    ]
    if not lost:
        return {}, ()
    cells = FormulaCells({**texts, **stored, **{place: Formula(str(texts[place])) for place in lost}})
    found: dict[Place, object] = {}
    failed: list[str] = []
    for place in lost:
        try:
            found[place] = cells.value(place)
        except FormulaFailed as error:
            failed.append(f"a formula was not computed: {error}")
    return found, (f"{len(found)} formulas computed, for their results were not stored", *failed[:5])


def _cells(book: Any) -> Iterator[tuple[Place, object]]:
    count = 0
    for sheet in book.worksheets:
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            count += len(row)
            _check_size(count, MAX_CELLS, "cells")
            yield from (((sheet.title, number, n), value) for n, value in enumerate(row, 1) if value is not None)


@contextmanager
def _failing_as(kind: str) -> Iterator[None]:
    """Whatever a parser raises on a hostile file says only that the file cannot be read."""
    try:
        yield
    except (UnreadableTable, MemoryError):
        raise
    except Exception as error:
        raise UnreadableTable(f"not a readable {kind}: {type(error).__name__}") from error


def _workbook(data: bytes, *, data_only: bool = True) -> Any:
    import openpyxl

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        _check_size(sum(item.file_size for item in archive.infolist()), MAX_UNPACKED, "unpacked bytes")
    return openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=data_only)


def _check_size(size: int, most: int, what: str) -> None:
    if size > most:
        raise UnreadableTable(f"more than {most:,} {what}")


def _sheet_rows(sheet: Any, computed: Mapping[Place, object]) -> Iterator[list[str]]:
    cells = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells += len(row)
        _check_size(cells, MAX_CELLS, "cells")
        yield [
            cell_text(computed.get((sheet.title, number, place)) if value is None and computed else value)
            for place, value in enumerate(row, 1)
        ]


def _trimmed(rows: list[list[str]], notes: tuple[str, ...]) -> Table:
    width = max((place + 1 for row in rows for place, cell in enumerate(row) if cell), default=0)
    return _table(rows[0][:width], [row[:width] for row in rows[1:]], ("read from a workbook", *notes))


def _parquet(data: bytes) -> Table:
    import pyarrow.parquet as pq

    with _failing_as("parquet file"):
        file = pq.ParquetFile(io.BytesIO(data))
        _check_size(file.metadata.num_columns, MAX_COLUMNS, "columns")
        _check_size(file.metadata.num_rows * max(1, file.metadata.num_columns), MAX_CELLS, "cells")
        groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
        _check_size(sum(group.total_byte_size for group in groups), 2 * MAX_BYTES, "unpacked bytes")
        return _arrow_table(file.read())


def _feather(data: bytes) -> Table:
    """A file of Arrow's own, as pandas and polars write it by `to_feather` and `write_ipc`."""
    import pyarrow as pa

    with _failing_as("Feather file"):
        file, batches, size = pa.ipc.open_file(pa.BufferReader(data)), [], 0
        _check_size(len(file.schema), MAX_COLUMNS, "columns")
        for number in range(file.num_record_batches):
            batches.append(file.get_batch(number))
            size += batches[-1].num_rows * max(1, len(file.schema))
            _check_size(size, MAX_CELLS, "cells")
            _check_size(sum(batch.nbytes for batch in batches), 2 * MAX_BYTES, "unpacked bytes")
        return _arrow_table(pa.Table.from_batches(batches, file.schema))


def _arrow_table(table: Any) -> Table:
    columns, notes = [], []
    for name, column in zip(table.column_names, table.columns, strict=True):
        cells, problem = arrow_cells(column)
        columns.append(cells)
        notes += [f"column {str(name)[:100]!r} cannot be read: {problem}"] if problem else []
    return Table(tuple(str(name).strip() for name in table.column_names), tuple(columns), table.num_rows, tuple(notes))
