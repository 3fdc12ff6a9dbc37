"""Tables in files of the usual formats: a cheap sketch of each, and its whole content."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_HEAD = 1 << 16
_SAMPLE = 60
_LARGEST = 300 << 20
_PACKED: dict[str, Callable[..., IO[Any]]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_TEXT = (".csv", ".tsv", ".txt", ".tab", ".dat", ".psv")
_JSON = (".json", ".jsonl", ".ndjson")
_SQLITE = (".sqlite", ".sqlite3", ".db")
_BOOKS = (".xlsx", ".xlsm")
_DECIMAL_COMMA = re.compile(r"-?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+")
_WITH_SIGNS = re.compile(r"[$€£]?-?\d{1,3}(?:,\d{3})*(?:\.\d+)?%?")
_NINES = re.compile(r"9{2,}(?:\.9+)?")
KINDS = (*_TEXT, *_JSON, *_SQLITE, *_BOOKS, ".parquet", ".feather")


@dataclass(frozen=True)
class Sketch:
    """What the beginning of a table shows: its columns and some of their values."""

    path: Path
    part: str = ""
    """The table of a database, or the sheet of a workbook."""
    columns: tuple[str, ...] = ()
    samples: dict[str, frozenset[str]] = field(default_factory=dict)


def kind(path: Path) -> str:
    """The ending that says what the file holds, without the one that says how it is packed."""
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] in _PACKED:
        endings.pop()
    return endings[-1] if endings else ""


def sketches(path: Path) -> list[Sketch]:
    """The tables of a file, as its beginning shows them; none where it cannot be read."""
    try:
        return [_sketch(path, part, frame) for part, frame in _parts(path, _SAMPLE)]
    except Exception:  # noqa: BLE001 - files in the wild fail in every way; an unreadable one is no table
        return []


def load(sketch: Sketch) -> pd.DataFrame:
    """The whole table."""
    return next(frame for part, frame in _parts(sketch.path, None) if part == sketch.part)


def _sketch(path: Path, part: str, frame: pd.DataFrame) -> Sketch:
    columns = tuple(str(name) for name in frame.columns)
    samples = {
        name: frozenset(str(value) for value in frame.iloc[:, place].dropna().unique()[:_SAMPLE])
        for place, name in enumerate(columns)
    }
    return Sketch(path, part, columns, samples)


def _parts(path: Path, rows: int | None) -> Iterator[tuple[str, pd.DataFrame]]:
    import pandas as pd

    what = kind(path)
    if path.stat().st_size > _LARGEST and rows is None:
        raise ValueError("too large to read whole")
    if what in _SQLITE:
        yield from _database(path, rows)
    elif what in _BOOKS:
        for sheet, frame in pd.read_excel(path, sheet_name=None, nrows=rows, engine="openpyxl").items():
            yield str(sheet), tidy(frame)
    elif what == ".parquet":
        yield "", _parquet(path, rows)
    elif what == ".feather":
        yield "", pd.read_feather(path)
    elif what in _JSON:
        yield "", tidy(_json(path, rows))
    else:
        yield "", tidy(_text(path, rows))


def _parquet(path: Path, rows: int | None) -> pd.DataFrame:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        if rows is None:
            return file.read().to_pandas()
        return next(file.iter_batches(batch_size=rows)).to_pandas()


def _database(path: Path, rows: int | None) -> Iterator[tuple[str, pd.DataFrame]]:
    import pandas as pd

    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as database:
        names = database.execute("select name from sqlite_master where type in ('table', 'view')").fetchall()
        for (name,) in names:
            quoted = '"' + name.replace('"', '""') + '"'
            limit = f" limit {rows}" if rows else ""
            yield name, pd.read_sql_query(f"select * from {quoted}{limit}", database)  # noqa: S608 - quoted above


# --- text


def _bytes(path: Path, limit: int | None) -> bytes:
    opener = _PACKED.get(path.suffix.lower(), open)
    with opener(path, "rb") as stream:
        data: bytes = stream.read(-1 if limit is None else limit)
    return data


def decoded(data: bytes) -> str:
    """Bytes as text, in the encoding that they seem to be in."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(name, errors="ignore")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start >= len(data) - 4:  # the last character was cut
            return data[: error.start].decode("utf-8")
        return data.decode("cp1252", errors="replace")


def _json(path: Path, rows: int | None) -> pd.DataFrame:
    import pandas as pd

    by_line = kind(path) != ".json"
    text = decoded(_bytes(path, _HEAD if rows and by_line else None))
    if by_line:
        lines = text.splitlines()[: rows + 1 if rows else None]
        return pd.json_normalize([json.loads(line) for line in (lines[:-1] if rows and len(lines) > rows else lines)])
    value = json.loads(text)
    if isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]
        value = max(lists, key=len) if lists and all(isinstance(item, dict) for item in lists[0][:3]) else value
    if isinstance(value, dict) and all(isinstance(item, dict) for item in value.values()):
        value = [{"key": key, **item} for key, item in value.items()]
    frame = pd.DataFrame(value) if isinstance(value, dict) else pd.json_normalize(value)
    return frame.head(rows) if rows else frame


def _text(path: Path, rows: int | None) -> pd.DataFrame:
    import pandas as pd

    text = decoded(_bytes(path, _HEAD if rows else None))
    if rows and len(text) > _HEAD // 4:
        text = text[: text.rfind("\n") + 1] or text
    head = text[:_HEAD].splitlines()[:40]
    delimiter = _delimiter(head)
    return pd.read_csv(
        io.StringIO(text),
        sep=delimiter,
        skiprows=_preamble(head, delimiter),
        nrows=rows,
        skipinitialspace=True,
        on_bad_lines="skip",
        low_memory=False,
    )


def _delimiter(lines: list[str]) -> str:
    """The one of the usual delimiters that parts most lines into equally many fields."""

    def evenness(delimiter: str) -> tuple[int, int]:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        common = max(set(widths), key=lambda width: (widths.count(width), width)) if widths else 0
        return (widths.count(common) if common > 1 else 0), common

    return max((",", ";", "\t", "|"), key=evenness)


def _preamble(lines: list[str], delimiter: str) -> int:
    """How many lines stand before the header."""
    widths = [line.count(delimiter) for line in lines]
    common = max(set(widths), key=widths.count) if widths else 0
    return next((number for number, width in enumerate(widths) if width == common), 0)


def tidy(frame: pd.DataFrame) -> pd.DataFrame:
    """Names without outer spaces, and text that is numbers as numbers: decimal commas, thousands, percent signs."""
    frame = frame.rename(columns=lambda name: str(name).strip())
    frame = frame.loc[:, ~frame.columns.duplicated()]
    for name in frame.columns:
        column = frame[name]
        if not is_text(column):
            continue
        values = column.dropna().astype(str).str.strip()
        filled = values[values != ""].head(200)
        if len(filled) and filled.str.fullmatch(_WITH_SIGNS).mean() > 0.9:
            frame[name] = _numbers(column, ",", ".")
        elif len(filled) and filled.str.fullmatch(_DECIMAL_COMMA).mean() > 0.5:
            frame[name] = _numbers(column, ".", ",")
    return frame


def valid(frame: pd.DataFrame) -> pd.DataFrame:
    """Without numbers that stand for a missing value: all nines, and farther off than all others lie apart."""
    frame = frame.copy()
    for name in frame.select_dtypes("number").columns:
        column = frame[name]
        for extreme in (column.min(), column.max()):
            others = column[column != extreme]
            if _NINES.fullmatch(f"{abs(extreme):g}") and len(others):
                nearest = min(abs(extreme - others.min()), abs(extreme - others.max()))
                frame[name] = (
                    frame[name].mask(column == extreme) if nearest > others.max() - others.min() else frame[name]
                )
    return frame


def is_text(column: pd.Series[Any]) -> bool:
    """Whether a column holds text, or things of several kinds."""
    return column.dtype == object or str(column.dtype) in ("str", "string")


def _numbers(column: pd.Series[Any], thousands: str, decimal: str) -> pd.Series[Any]:
    import pandas as pd

    text = column.astype(str).str.strip().str.replace(thousands, "", regex=False).str.replace(decimal, ".", regex=False)
    return pd.to_numeric(text.str.strip("$€£%"), errors="coerce")
