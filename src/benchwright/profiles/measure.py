"""One pass over a data file: every column is tallied batch by batch, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import InputError
from benchwright.profiles.base import Column, Profile
from benchwright.profiles.batches import batches
from benchwright.profiles.delimited_rows import LaterRowsDiffer
from benchwright.profiles.distinct import most_hashes
from benchwright.profiles.rows import RowSample
from benchwright.profiles.tally import Tally

if TYPE_CHECKING:
    import polars as pl

SAMPLE_ROWS = 10
_THREADS = 4
"""Columns that are looked at side by side."""
_SMALL = 10_000
"""Rows up to which threads take longer to start than to be of use: in a folder of a hundred thousand small files."""
_INDEX_NAMES = frozenset({"", "index", "unnamed: 0", "column_1"})


def profile_file(path: Path) -> Profile:
    """The profile of one data file; InputError where it is missing, of no supported format, or unreadable."""
    for thorough in (False, True):
        with ExitStack() as held:
            try:
                return _profile(path, thorough=thorough, held=held)
            except LaterRowsDiffer:
                continue
    raise InputError(f"{path} cannot be read", found="rows that fit no one type")


def _profile(path: Path, *, thorough: bool, held: ExitStack) -> Profile:
    columns, rows, sample = measured(batches(path, thorough=thorough, held=held))
    return Profile(
        file=path.name,
        format=path.suffix.lower().lstrip("."),
        rows=rows,
        columns=columns,
        index_ordered=_index_ordered(columns, rows),
        sample=tuple(sample),
        notes=("a later row did not fit the first ones' types: all rows were looked at twice",) if thorough else (),
    )


def measured(frames: Iterable[pl.DataFrame]) -> tuple[tuple[Column, ...], int, list[dict[str, Any]]]:
    """The columns of a table that comes in batches of the same columns, how many rows it has, and its first rows."""
    tallies: dict[str, Tally] = {}
    sample: list[dict[str, Any]] = []
    rows = 0
    chosen = RowSample()
    with ExitStack() as held:
        threads: ThreadPoolExecutor | None = None
        for batch in frames:
            most = most_hashes(batch.width)
            tallies = tallies or {name: Tally(name, kind, chosen, most) for name, kind in batch.schema.items()}
            if not sample:
                sample = _plain_rows(batch.head(SAMPLE_ROWS))
            places = chosen.places(rows, batch.height)
            if threads is None and batch.height > _SMALL:
                threads = held.enter_context(ThreadPoolExecutor(_THREADS))
            _each(threads, partial(_add, tallies, places), batch)
            rows += batch.height
            if chosen.thin():
                for tally in tallies.values():
                    tally.thin()
        return tuple(_each(threads, Tally.column, tallies.values())), rows, sample


def _add(tallies: dict[str, Tally], places: Any, series: pl.Series) -> None:
    tallies[series.name].add(series, places)


def _each(threads: ThreadPoolExecutor | None, work: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """The work on each item, side by side where there are threads."""
    return list((map if threads is None else threads.map)(work, items))


def _plain_rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return [{name: _plain(value) for name, value in row.items()} for row in frame.to_dicts()]


def _plain(value: object) -> object:
    """A cell as strict JSON can hold it: what is no number is missing."""
    if isinstance(value, float) and not isfinite(value):
        return None
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _index_ordered(columns: tuple[Column, ...], rows: int) -> bool:
    """Whether rows are numbered in order: always, unless a saved index stands first and does not rise by one."""
    if not columns or columns[0].name.strip().casefold() not in _INDEX_NAMES or columns[0].kind != "integer":
        return True
    first = columns[0]
    numbers = first.numbers
    return numbers is not None and first.ascending and first.distinct == rows and numbers.max - numbers.min == rows - 1
