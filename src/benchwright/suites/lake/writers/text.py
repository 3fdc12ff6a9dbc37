"""Text formats: delimited text of many dialects, JSON arrays and JSON Lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from benchwright.suites.lake.table import Table, Value
from benchwright.suites.lake.writers.base import TextStyle


def delimited(table: Table, style: TextStyle) -> bytes:
    """Delimited text with a header; only fields that need quotes have them."""
    stream = io.StringIO(newline="")
    for line in style.preamble:
        stream.write(f"{line}\n")
    writer = csv.writer(stream, delimiter=style.delimiter, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(zip(*(_texts(column, style) for column in table.columns), strict=True))
    return stream.getvalue().encode(style.encoding, errors="replace")


def _texts(column: Sequence[Value], style: TextStyle) -> Sequence[object]:
    """A column as the csv module is to write it; numbers that it writes as wanted by itself stay numbers."""
    kinds = {type(value) for value in column}
    needs_work = (bool in kinds, float in kinds and style.decimal != ".", type(None) in kinds and style.missing)
    return [_text(value, style) for value in column] if any(needs_work) else column


def _text(value: Value, style: TextStyle) -> object:
    if value is None:
        return style.missing
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and style.decimal != ".":
        return repr(value).replace(".", style.decimal)
    return value


def json_array(table: Table, style: TextStyle) -> bytes:
    """One array of objects, an object a line."""
    lines = ",\n".join(_objects(table))
    return f"[\n{lines}\n]\n".encode(style.encoding)


def json_lines(table: Table, style: TextStyle) -> bytes:
    """One object a line."""
    return "".join(f"{line}\n" for line in _objects(table)).encode(style.encoding)


def _objects(table: Table) -> list[str]:
    return [json.dumps(dict(zip(table.names, row, strict=True)), ensure_ascii=False) for row in table.rows()]
