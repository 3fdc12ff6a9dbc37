"""Data files as batches of rows: each format is read in a stream where it allows that."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from benchwright.dialects import encoding_of, whole_lines
from benchwright.errors import InputError
from benchwright.profiles.layout import SPACES, Layout, layout_of
from benchwright.scratch import scratch_folder

if TYPE_CHECKING:
    import polars as pl

    Batches = Iterator[pl.DataFrame]

NULLS = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"),
    *("N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)
"""What stands for a missing value in text files: the words that pandas takes for one."""

_WORDS = [word for word in NULLS if word]
_WORDS_AS_BYTES = [word.encode() for word in _WORDS]

ROWS = 250_000
"""Rows a batch."""

_INFERRED_ROWS = 20_000
_LOOKED_AT = 1 << 20
_LOOKED_AT_FOR_ROWS = 64 << 10
_PIECE = 256 << 10
_BLOCK = 16 << 20
_LONGEST_ROW = 256 << 20


class LaterRowsDiffer(Exception):
    """A later row does not fit what the first ones showed: read the file again, thoroughly."""


def batches(path: Path, *, thorough: bool, held: ExitStack) -> Batches:
    """The rows of a file, a batch at a time, all with the same columns.

    `thorough` looks at every row before it settles the types. Temporary files live as long as `held`.
    Raises LaterRowsDiffer, where another, thorough reading is needed; InputError for a file that is not there, is of no
    supported format, or cannot be read as what its name says.
    """
    if not path.is_file():
        raise InputError(f"no such data file: {path}", expected="a regular file")
    kind = path.suffix.lower()
    if kind not in READERS:
        raise InputError(
            f"{path}: files of this kind are not profiled",
            found=kind or "no suffix",
            expected=", ".join(sorted(READERS)),
        )
    again = not thorough and kind in _DELIMITED
    return _guarded(path, READERS[kind](path, thorough, held), again=again)


def delimited_batches(path: Path, *, thorough: bool, held: ExitStack) -> Batches:
    """The rows of a delimited file, whatever its name; errors as of `batches`."""
    return _guarded(path, _delimited(path, thorough, held), again=not thorough)


def _guarded(path: Path, stream: Batches, *, again: bool) -> Batches:
    """The same batches; whatever a parser complains about becomes one of our errors."""
    try:
        yield from stream
    except _complaints() as error:
        if again:
            raise LaterRowsDiffer from error
        complaint = (str(error).strip() or type(error).__name__).split("\n")[0]
        raise InputError(f"{path} cannot be read as {path.suffix}", found=complaint[:300]) from error


def _complaints() -> tuple[type[BaseException], ...]:
    """What parsers raise; pyarrow, which takes long to import, is asked only where it was used."""
    import polars as pl

    arrow = sys.modules.get("pyarrow")
    known = () if arrow is None else (arrow.ArrowException,)
    return (
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
        *known,
        BadZipFile,
        OSError,
        ValueError,
        LookupError,
    )


def _delimited(path: Path, thorough: bool, held: ExitStack) -> Batches:
    """A csv, cut into blocks that end with a row: each is read at full speed, twice as fast as a streaming scan."""
    import polars as pl

    text, layout = laid_out(path, held, whole=thorough)
    separator = "\t" if layout.delimiter == SPACES else layout.delimiter
    quoting = layout.quoting and not (thorough and _open_quote(text))
    options: dict[str, Any] = {"separator": separator, "truncate_ragged_lines": thorough, "has_header": False}
    options["quote_char"] = '"' if quoting else None
    start = _offset(text, layout.skipped)
    if start >= text.stat().st_size:
        yield pl.DataFrame(schema=dict.fromkeys(_different(layout.names or ()), pl.String()))
        return
    # Each word that is looked for costs time in every cell: only those that the first rows use, unless one came later.
    options["null_values"] = list(NULLS) if thorough else _null_words(text, start, options)
    inferred = pl.scan_csv(
        text,
        infer_schema_length=None if thorough else _INFERRED_ROWS,
        skip_lines=layout.skipped,
        glob=False,  # brackets and stars are part of a name
        **options,
    ).collect_schema()
    schema = _named(inferred, layout.names)
    blocks = partial(_blocks, text, start, quoting=quoting)
    if thorough:
        # A line of our own above each block says how wide rows are, whatever the first one of them is.
        places = [f"column_{place}" for place in range(len(schema))]
        above = separator.join(places).encode() + b"\n"
        schema = _as_text(schema, {name for block in blocks() for name in _codes(above + block, schema, options)})
        kinds = dict(zip(places, schema.values(), strict=True))
        for block in blocks():
            frame = pl.read_csv(above + block, schema=kinds, **{**options, "has_header": True})
            frame.columns = list(schema)
            yield _without_null_words(frame)
        return
    for place, block in enumerate(blocks()):
        codes = _codes(block, schema, options)
        if codes and place:
            raise LaterRowsDiffer
        schema = _as_text(schema, codes)
        yield _without_null_words(pl.read_csv(block, schema=schema, **options))


def _open_quote(path: Path) -> bool:
    """Whether a quote is never closed: then quotes are characters like any other."""
    with path.open("rb") as stream:
        return sum(piece.count(b'"') for piece in iter(lambda: stream.read(_LOOKED_AT), b"")) % 2 == 1


def laid_out(path: Path, held: ExitStack, *, whole: bool) -> tuple[Path, Layout]:
    """A delimited file as UTF-8 with one character between cells, and its layout; `whole` as for `encoding_found`."""
    encoding = encoding_found(path, whole=whole)
    text = path if encoding in ("utf-8", "utf-8-sig") else _rewritten(path, encoding, held)
    with text.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        head = stream.read(_LOOKED_AT_FOR_ROWS)
    if "\r" in head and "\n" not in head:
        text = _rewritten(path, encoding, held, newline=None)
        head = head.replace("\r", "\n")
    layout = layout_of(head if len(head) < _LOOKED_AT_FOR_ROWS else whole_lines(head))
    return (_rewritten(path, encoding, held, spaced=True) if layout.delimiter == SPACES else text), layout


def encoding_found(path: Path, *, whole: bool = True) -> str:
    """The encoding of a text file; `whole`: every byte is looked at to tell, not only the first."""
    with path.open("rb") as stream:
        chunks = iter(lambda: stream.read(_LOOKED_AT), b"")
        return encoding_of(chunks if whole else islice(chunks, 1), whole=whole)


def _rewritten(path: Path, encoding: str, held: ExitStack, *, spaced: bool = False, newline: str | None = "") -> Path:
    """A copy in UTF-8; `spaced`: with a tab for every run of spaces; `newline` None: all lines end with LF."""
    copy = held.enter_context(scratch_folder("profile")) / path.name
    with (
        path.open(encoding=encoding, errors="replace", newline=newline) as source,
        copy.open("w", encoding="utf-8", newline="") as target,
    ):
        if spaced:
            target.writelines("\t".join(line.split()) + "\n" for line in source)
        else:
            shutil.copyfileobj(source, target, _LOOKED_AT)
    return copy


def _offset(path: Path, lines: int) -> int:
    """The byte at which the data begin: behind so many lines, which end as text files' do (LF, CR LF or CR)."""
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as stream:
        return sum(len(line.encode("utf-8", "surrogateescape")) for line in islice(stream, lines))


def _different(names: Iterable[str]) -> list[str]:
    """Names of columns, each once: polars' way of telling equal ones apart."""
    seen: dict[str, int] = {}
    unlike: list[str] = []
    for name in names:
        again = seen.get(name, 0)
        seen[name] = again + 1
        unlike.append(f"{name}_duplicated_{again - 1}" if again else name)
    return unlike


def _named(inferred: Mapping[str, pl.DataType], names: tuple[str, ...] | None) -> dict[str, pl.DataType]:
    """The types that were found, by the columns' names; names beyond the widest row are columns without values."""
    import polars as pl

    kinds = list(inferred.values())
    known = names or ()
    wide = [*known, *(f"column_{place}" for place in range(len(known) + 1, len(kinds) + 1))]
    return dict(zip(_different(wide), [*kinds, *[pl.String()] * (len(wide) - len(kinds))], strict=True))


def _codes(block: bytes, schema: Mapping[str, pl.DataType], options: Mapping[str, Any]) -> set[str]:
    """Columns of whole numbers that hold some with leading zeros: codes, whose zeros count."""
    import polars as pl

    suspects = [name for name, kind in schema.items() if kind.is_integer()]
    if not suspects or not _zero_leads(block, options["separator"].encode()):
        return set()
    places = [place for place, name in enumerate(schema) if name in suspects]
    frame = pl.read_csv(
        block,
        columns=places,
        schema=dict.fromkeys(schema, pl.String()),
        **{**options, "truncate_ragged_lines": True, "null_values": None},
    )
    return {series.name for series in frame if series.str.contains(r"^\s*[+-]?0\d").any()}


def _zero_leads(block: bytes, separator: bytes) -> bool:
    """Whether any cell begins with a zero and a digit: a quick look, which spares most files a second reading."""
    import numpy as np

    for start in range(0, len(block), _PIECE):
        text = block[start - 2 : start + _PIECE] if start else b"\n" + block[:_PIECE]
        piece = np.frombuffer(text, np.uint8)
        before, after = piece[:-2], piece[2:]
        # Whole arrays are compared faster than places are listed; below "0" the difference wraps around.
        zeros = (piece[1:-1] == ord("0")) & (after - np.uint8(ord("0")) < np.uint8(10))
        begins = (before == ord(separator)) | (before == ord("\n")) | (before == ord('"'))
        if bool((zeros & begins).any()):
            return True
    return False


def _as_text(schema: Mapping[str, pl.DataType], names: Iterable[str]) -> dict[str, pl.DataType]:
    import polars as pl

    return {**schema, **dict.fromkeys(names, pl.String())}


def _null_words(path: Path, start: int, options: Mapping[str, Any]) -> list[str]:
    """The words for missing values in the first rows, of one block at most: a scan would hold much of the file."""
    import polars as pl

    block = next(_blocks(path, start, quoting=options["quote_char"] is not None), b"")
    if len(block) <= _LOOKED_AT_FOR_ROWS and not any(word in block for word in _WORDS_AS_BYTES):
        return []  # looking for words is faster than parsing where there is little
    head = pl.read_csv(block, infer_schema=False, n_rows=_INFERRED_ROWS, **options)
    return sorted({word for series in head for word in series.filter(series.is_in(_WORDS)).unique()})


def _without_null_words(frame: pl.DataFrame) -> pl.DataFrame:
    """The same with the words for missing values taken out of text columns."""
    import polars as pl

    found = [series.name for series in frame.select(pl.col(pl.String)) if series.is_in(_WORDS).any()]
    column = pl.col(found)
    return frame.with_columns(pl.when(column.is_in(_WORDS)).then(None).otherwise(column)) if found else frame


def _blocks(path: Path, start: int, *, quoting: bool) -> Iterator[bytes]:
    """The bytes of a delimited file from `start` on, cut behind newlines that no quoted cell holds."""
    size = _BLOCK
    with path.open("rb") as stream:
        while block := os.pread(stream.fileno(), size, start):
            end = _last_row_end(block) if quoting else block.rfind(b"\n") + 1
            cut = end if len(block) == size else len(block)
            if cut:
                yield block[:cut]
                start, size = start + cut, _BLOCK
            elif size < _LONGEST_ROW:
                size *= 2
            else:
                raise ValueError(f"no end of a row in {size >> 20} MB: an open quote?")


def _last_row_end(block: bytes) -> int:
    """Where the last whole row ends: behind a newline after an even number of quotes; 0 where there is none."""
    end = block.rfind(b"\n") + 1
    odd = block.count(b'"', 0, end) % 2 if b'"' in block else 0
    while odd and end:
        before = block.rfind(b"\n", 0, end - 1) + 1
        odd = (odd + block.count(b'"', before, end)) % 2
        end = before
    return end


def _parquet(path: Path, thorough: bool, held: ExitStack) -> Batches:  # noqa: ARG001 - the readers' common form
    import pyarrow.parquet as pq

    yield from arrow_frames(pq.ParquetFile(path).iter_batches(ROWS))


def arrow_frames(parts: Any) -> Batches:
    """Record batches or tables of Arrow as frames; texts that are no UTF-8 are shown as far as they are.

    Raises what pyarrow raises where they are damaged otherwise: polars takes them on trust, and would not survive.
    """
    import polars as pl

    for part in parts:
        frame = pl.from_arrow(_legible(part))
        assert isinstance(frame, pl.DataFrame)
        yield frame


def _legible(part: Any) -> Any:
    import pyarrow as pa

    for place, column in enumerate(part.columns):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid:
            if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
                raise
            cells = (cell.as_py() for cell in column.cast(pa.binary()))
            texts = pa.array([None if cell is None else cell.decode("utf-8", "replace") for cell in cells], pa.string())
            part = part.set_column(place, part.schema.names[place], texts)
    return part


def _feather(path: Path, thorough: bool, held: ExitStack) -> Batches:  # noqa: ARG001 - the readers' common form
    import polars as pl

    yield from pl.read_ipc(path).iter_slices(ROWS)


def _json_lines(path: Path, thorough: bool, held: ExitStack) -> Batches:  # noqa: ARG001 - the readers' common form
    import polars as pl

    stream = held.enter_context(path.open("rb"))  # by its path alone, a name with brackets would be a pattern
    yield from pl.read_ndjson(stream, infer_schema_length=None).iter_slices(ROWS)


def _json(path: Path, thorough: bool, held: ExitStack) -> Batches:  # noqa: ARG001 - the readers' common form
    import polars as pl

    yield from pl.read_json(path, infer_schema_length=None).iter_slices(ROWS)


def _workbook(path: Path, thorough: bool, held: ExitStack) -> Batches:  # noqa: ARG001 - the readers' common form
    """The first sheet of a workbook."""
    import openpyxl
    import polars as pl

    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    held.callback(book.close)
    rows = book.worksheets[0].iter_rows(values_only=True)
    names: list[Any] = list(next(rows, ()))
    frame = pl.DataFrame(
        list(rows),
        schema=[str(name) if name is not None else f"column_{n}" for n, name in enumerate(names, 1)],
        orient="row",
        infer_schema_length=None,
        strict=False,
    )
    yield from frame.iter_slices(ROWS)


Reader = Callable[[Path, bool, ExitStack], "Batches"]
_DELIMITED: Mapping[str, Reader] = dict.fromkeys((".csv", ".tsv", ".txt", ".tab"), _delimited)
READERS: Mapping[str, Reader] = {
    **_DELIMITED,
    ".parquet": _parquet,
    ".feather": _feather,
    ".arrow": _feather,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
    ".xlsx": _workbook,
}
