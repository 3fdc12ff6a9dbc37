"""The text of a data file, line by line or cell by cell, streamed; of large files evenly spread pieces."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, cast

PIECES = 8
_LINE = 1 << 16
_TABLES = frozenset({".parquet", ".pq", ".feather", ".arrow"})
_DATABASES = frozenset({".sqlite", ".sqlite3", ".db"})
_ZIPPED = frozenset({".xlsx", ".xlsm", ".docx", ".ods", ".odt", ".pptx", ".zip"})
_COMPRESSED = frozenset({".gz", ".bz2", ".xz"})


class Line(NamedTuple):
    """One piece of text and where it stands: `line 12`, `table t, row 3`."""

    where: str
    text: str


@dataclass(slots=True)
class Extent:
    """How much of a file was looked at; `complete` is False where it was sampled, `reason` says why it was left out."""

    complete: bool = True
    reason: str = ""


def lines(path: Path, budget: int, extent: Extent) -> Iterator[Line]:
    """The text of one file, at most about `budget` bytes of it; `extent` then says if that was all."""
    suffix = path.suffix.lower()
    if suffix in _TABLES:
        yield from _columnar(path, budget, extent)
    elif suffix in _DATABASES:
        yield from _database(path, budget, extent)
    elif suffix in _ZIPPED:
        yield from _zipped(path, budget, extent)
    elif suffix in _COMPRESSED:
        with _decompressed(path) as stream:
            yield from _stream(stream, budget, extent)
    elif not _is_binary(path):
        yield from _plain(path, budget, extent)
    else:
        extent.complete, extent.reason = False, "a binary format that is not read"


def _decompressed(path: Path) -> IO[bytes]:
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return cast("IO[bytes]", gzip.GzipFile(path))
    return bz2.BZ2File(path) if suffix == ".bz2" else lzma.LZMAFile(path)


def _is_binary(path: Path) -> bool:
    with path.open("rb") as stream:
        start = stream.read(4096)
    return b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff"))


def _plain(path: Path, budget: int, extent: Extent) -> Iterator[Line]:
    size = path.stat().st_size
    with path.open("rb") as stream:
        if size <= budget:
            yield from _stream(stream, budget, extent)
            return
        extent.complete, extent.reason = False, f"{PIECES} pieces, {budget} of {size} bytes"
        for index in range(PIECES):
            start = (size - budget // PIECES) * index // (PIECES - 1)
            stream.seek(start)
            if start:
                stream.readline(_LINE)
            for number, text in enumerate(_rows(stream, budget // PIECES)):
                yield Line(f"line {number + 1} after byte {start}", text)


def _stream(stream: IO[bytes], budget: int, extent: Extent) -> Iterator[Line]:
    for number, text in enumerate(_rows(stream, budget), start=1):
        yield Line(f"line {number}", text)
    if stream.read(1):
        extent.complete, extent.reason = False, f"the first {budget} bytes"


def _rows(stream: IO[bytes], budget: int) -> Iterator[str]:
    """Lines until the budget is used; a line without end comes in pieces."""
    left = budget
    while left > 0 and (row := stream.readline(_LINE)):
        left -= len(row)
        yield row.decode("utf-8", errors="replace").rstrip("\r\n")


def _zipped(path: Path, budget: int, extent: Extent) -> Iterator[Line]:
    """Every member that is text, one after the other (a spreadsheet keeps its strings in XML)."""
    left = budget
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.is_dir() or left <= 0:
                continue
            with archive.open(member) as stream:
                for number, text in enumerate(_rows(stream, left), start=1):
                    left -= len(text)
                    for piece in text.replace("<", "\n<").replace(">", ">\n").split("\n"):
                        if piece and not piece.startswith("<"):
                            yield Line(f"{member.filename}, line {number}", piece)
    if left <= 0:
        extent.complete, extent.reason = False, f"the first {budget} bytes"


def _database(path: Path, budget: int, extent: Extent) -> Iterator[Line]:
    left = budget
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as base:
        base.text_factory = lambda data: data.decode("utf-8", errors="replace")
        names = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            quoted = name.replace('"', '""')
            for number, row in enumerate(base.execute(f'SELECT * FROM "{quoted}"'), start=1):  # noqa: S608 - quoted, read-only
                text = ",".join(str(cell) for cell in row if isinstance(cell, str | int))
                left -= len(text)
                if left <= 0:
                    extent.complete, extent.reason = False, f"the first {budget} bytes"
                    return
                yield Line(f"table {name}, row {number}", text)


def _columnar(path: Path, budget: int, extent: Extent) -> Iterator[Line]:
    left = budget
    for number, text in enumerate(_columnar_rows(path), start=1):
        left -= len(text)
        if left <= 0:
            extent.complete, extent.reason = False, f"the first {budget} bytes"
            return
        yield Line(f"row {number}", text)


def _columnar_rows(path: Path) -> Iterator[str]:
    import pyarrow as pa
    import pyarrow.dataset as ds

    kind = "parquet" if path.suffix.lower() in {".parquet", ".pq"} else "feather"
    data = ds.dataset(path, format=kind)
    wanted = [field.name for field in data.schema if _holds_text(pa, field.type)]
    if not wanted:
        return
    for batch in data.to_batches(columns=wanted, batch_size=4096):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield ",".join(str(cell) for cell in row if cell is not None)


def _holds_text(pa: object, kind: object) -> bool:
    types = pa.types  # type: ignore[attr-defined]
    value = kind.value_type if types.is_dictionary(kind) else kind  # type: ignore[attr-defined]
    return bool(types.is_string(value) or types.is_large_string(value) or types.is_int64(value))
