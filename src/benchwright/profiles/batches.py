"""Data files as batches of rows: each format is read in a stream where it allows that."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from benchwright.errors import InputError
from benchwright.profiles.delimited_rows import LaterRowsDiffer, delimited_rows

if TYPE_CHECKING:
    import polars as pl

    Batches = Iterator[pl.DataFrame]

ROWS = 250_000
"""Rows a batch."""


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
    return _guarded(path, delimited_rows(path, thorough, held), again=not thorough)


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
_DELIMITED: Mapping[str, Reader] = dict.fromkeys((".csv", ".tsv", ".txt", ".tab"), delimited_rows)
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
