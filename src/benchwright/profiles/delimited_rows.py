"""Delimited texts as batches of rows: cut into blocks that end with a row, each read at full speed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.dialects import encoding_of, whole_lines
from benchwright.profiles.layout import SPACES, Layout, layout_of
from benchwright.scratch import scratch_folder

if TYPE_CHECKING:
    import polars as pl

    Batches = Iterator[pl.DataFrame]
    Schema = Mapping[str, pl.DataType]

NULLS = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>"),
    *("N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)
"""What stands for a missing value in text files: the words that pandas takes for one."""

_WORDS = [word for word in NULLS if word]
_WORDS_AS_BYTES = [word.encode() for word in _WORDS]

_INFERRED_ROWS = 20_000
_LOOKED_AT = 1 << 20
_LOOKED_AT_FOR_ROWS = 64 << 10
_PIECE = 256 << 10
_BLOCK = 16 << 20
_LONGEST_ROW = 256 << 20


class LaterRowsDiffer(Exception):
    """A later row does not fit what the first ones showed: read the file again, thoroughly."""


def delimited_rows(path: Path, thorough: bool, held: ExitStack) -> Batches:
    """The rows of a delimited text, twice as fast as a streaming scan.

    `thorough` looks at every row before it settles the types. Temporary files live as long as `held`.
    Raises LaterRowsDiffer where another, thorough reading is needed, and what polars raises.
    """
    import polars as pl

    text, layout = laid_out(path, held, whole=thorough)
    start = _offset(text, layout.skipped)
    if start >= text.stat().st_size:
        yield pl.DataFrame(schema=dict.fromkeys(_different(layout.names or ()), pl.String()))
        return
    quoting = layout.quoting and not (thorough and _open_quote(text))
    options: dict[str, Any] = {
        "separator": "\t" if layout.delimiter == SPACES else layout.delimiter,
        "truncate_ragged_lines": thorough,
        "has_header": False,
        "quote_char": '"' if quoting else None,
    }
    # Each word that is looked for costs time in every cell: only those that the first rows use, unless one came later.
    options["null_values"] = list(NULLS) if thorough else _null_words(text, start, options)
    inferred = pl.scan_csv(
        text,
        infer_schema_length=None if thorough else _INFERRED_ROWS,
        skip_lines=layout.skipped,
        glob=False,  # brackets and stars are part of a name
        **options,
    ).collect_schema()
    blocks = partial(_blocks, text, start, quoting=quoting)
    read = _rows_of_any_width if thorough else _rows_like_the_first
    yield from read(blocks, _named(inferred, layout.names), options)


def _rows_of_any_width(blocks: Callable[[], Iterator[bytes]], schema: Schema, options: Mapping[str, Any]) -> Batches:
    """Every block is read twice: for codes among the numbers, then with types that fit all of it."""
    import polars as pl

    # A line of our own above each block says how wide rows are, whatever the first one of them is.
    places = [f"column_{place}" for place in range(len(schema))]
    above = options["separator"].join(places).encode() + b"\n"
    schema = _as_text(schema, {name for block in blocks() for name in _codes(above + block, schema, options)})
    kinds = dict(zip(places, schema.values(), strict=True))
    for block in blocks():
        frame = pl.read_csv(above + block, schema=kinds, **{**options, "has_header": True})
        frame.columns = list(schema)
        yield _without_null_words(frame)


def _rows_like_the_first(blocks: Callable[[], Iterator[bytes]], schema: Schema, options: Mapping[str, Any]) -> Batches:
    """Every block is read once; LaterRowsDiffer where a later one holds codes in a column of numbers."""
    import polars as pl

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


def _named(inferred: Schema, names: tuple[str, ...] | None) -> dict[str, pl.DataType]:
    """The types that were found, by the columns' names; names beyond the widest row are columns without values."""
    import polars as pl

    kinds = list(inferred.values())
    known = names or ()
    wide = [*known, *(f"column_{place}" for place in range(len(known) + 1, len(kinds) + 1))]
    return dict(zip(_different(wide), [*kinds, *[pl.String()] * (len(wide) - len(kinds))], strict=True))


def _codes(block: bytes, schema: Schema, options: Mapping[str, Any]) -> set[str]:
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


def _as_text(schema: Schema, names: Iterable[str]) -> dict[str, pl.DataType]:
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
