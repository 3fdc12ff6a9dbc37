"""Tables as files, byte for byte the same on every build; one module a family of formats."""

from __future__ import annotations

import gzip
import io

from benchwright.errors import SuiteError
from benchwright.suites.lake.writers import binary, text
from benchwright.suites.lake.writers.base import Part, TextStyle

__all__ = ["Part", "TextStyle", "file_bytes"]

_ONE = {
    "csv": text.delimited,
    "tsv": text.delimited,
    "txt": text.delimited,
    "dat": text.delimited,
    "json": text.json_array,
    "jsonl": text.json_lines,
    "ndjson": text.json_lines,
    "parquet": binary.parquet,
}
_MANY = {"xlsx": binary.workbook, "sqlite": binary.database, "db": binary.database}


def file_bytes(path: str, parts: tuple[Part, ...], style: TextStyle) -> bytes:
    """The content of a file: the name's ending says the format; only workbooks and databases hold several parts."""
    name = path.removesuffix(".gz")
    suffix = name.rpartition(".")[2]
    if suffix in _MANY:
        data = _MANY[suffix](parts)
    elif suffix in _ONE and len(parts) == 1:
        data = _ONE[suffix](parts[0].table, style.for_suffix(suffix))
    else:
        raise SuiteError(f"the lake's plan cannot write {path}", found=f"{len(parts)} tables in .{suffix}")
    return _gzip(data) if name != path else data


def _gzip(data: bytes) -> bytes:
    stream = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=stream, mode="wb", compresslevel=6, mtime=0) as packed:
        packed.write(data)
    return stream.getvalue()
