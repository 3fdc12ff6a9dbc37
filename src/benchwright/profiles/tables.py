"""Tables as entries show them: measured in one pass, then cut to what an entry can bear."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchwright.profiles.base import Column
from benchwright.profiles.delimited_rows import NULLS
from benchwright.profiles.entries import Count, Table
from benchwright.profiles.measure import measured

if TYPE_CHECKING:
    import polars as pl

LONGEST = 200
"""Characters of a value that an entry shows."""

_SAMPLE_ROWS, _SAMPLE_COLUMNS = 3, 80
_COUNTED, _FIRST = 20, 5
_MOST_ITEMS, _DEEPEST = 20, 4


def table_of(
    frames: Iterable[pl.DataFrame],
    name: str = "",
    facts: Mapping[str, Any] | None = None,
    *,
    rows: Count | None = None,
) -> Table:
    """One table from its batches; `rows` where the batches are only the beginning of it."""
    columns, height, sample = measured(frames)
    return Table(
        name=cut(name),
        rows=rows or Count(value=height),
        columns=tuple(map(_short, columns)),
        sample=tuple(_short_row(row) for row in sample[:_SAMPLE_ROWS]),
        facts=dict(facts or {}),
    )


def frame_of(names: Sequence[object], rows: Sequence[Sequence[Any]]) -> pl.DataFrame:
    """A frame from rows of cells of any type: short rows are filled, long ones keep what has a name.

    A column whose cells are of several types becomes text. Columns are named once each; those without a name by place.
    """
    import polars as pl

    unlike = names_once(names)
    columns = zip(*([*row, *[None] * (len(unlike) - len(row))][: len(unlike)] for row in rows), strict=True)
    cells = list(columns) or [()] * len(unlike)
    return pl.DataFrame([_series(name, column) for name, column in zip(unlike, cells, strict=True)])


def _series(name: str, cells: Sequence[Any]) -> pl.Series:
    import polars as pl

    try:
        return pl.Series(name, cells, strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        if all(cell is None or isinstance(cell, int | float) for cell in cells):
            return pl.Series(name, [None if cell is None else float(cell) for cell in cells], dtype=pl.Float64)
        return pl.Series(name, [None if cell is None else str(cell) for cell in cells], dtype=pl.String)


def text_frame(names: Sequence[object], rows: Sequence[Sequence[str | None]]) -> pl.DataFrame:
    """A frame from cells that are text, with the types that the text shows; codes with leading zeros stay text."""
    import polars as pl

    frame = frame_of(names, rows)
    return frame.with_columns(_typed(series) for series in frame if series.dtype == pl.String)


def _typed(series: pl.Series) -> pl.Series:
    import polars as pl

    bare = series.str.strip_chars()
    bare = pl.select(pl.when(bare.is_in(list(NULLS))).then(None).otherwise(bare).alias(series.name)).to_series()
    if bare.null_count() == bare.len() or bare.str.contains(r"^[+-]?0\d").any():
        return bare
    for kind in (pl.Int64(), pl.Float64()):
        numbers = bare.cast(kind, strict=False)
        if numbers.null_count() == bare.null_count():
            return numbers
    return bare


def names_once(names: Sequence[object]) -> list[str]:
    """Names as text, each once: without a name a column is called by its place, and a second one gets a number."""
    taken: set[str] = set()
    unlike: list[str] = []
    for place, name in enumerate(names, 1):
        text = base = f"column_{place}" if name is None or str(name).strip() == "" else str(name)
        again = 1
        while text in taken:
            again += 1
            text = f"{base}_{again}"
        taken.add(text)
        unlike.append(text)
    return unlike


def cut(text: str) -> str:
    """A text of bearable length; what was left out is counted."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}[{len(text) - LONGEST} more]"


def plain(value: Any, depth: int = 0) -> Any:
    """Any value as short, strict JSON: long texts and lists are cut, what is no JSON becomes text."""
    if value is None or isinstance(value, bool | int):
        return value if not isinstance(value, int) or abs(value) < 1 << 63 else cut(str(value))
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        if depth >= _DEEPEST:
            return f"[{len(value)} keys]"
        return {cut(str(key)): plain(item, depth + 1) for key, item in _first(value.items())}
    if isinstance(value, list | tuple):
        return f"[{len(value)} items]" if depth >= _DEEPEST else [plain(item, depth + 1) for item in _first(value)]
    return cut(str(value))


def _first(items: Iterable[Any]) -> Iterator[Any]:
    for place, item in enumerate(items):
        if place >= _MOST_ITEMS:
            return
        yield item


def _short(column: Column) -> Column:
    """A column with its commonest values only, and only where there are few."""
    few = column.counts is not None and column.distinct <= _COUNTED
    counts = tuple((plain(value), count) for value, count in column.counts or ()) if few else None
    dates = column.text_dates
    return column.model_copy(
        update={
            "name": cut(column.name),
            "counts": counts,
            "first": tuple(map(plain, column.first[:_FIRST])),
            "text_dates": dates and dates.model_copy(update={"unread": tuple(map(cut, dates.unread))}),
        }
    )


def _short_row(row: Mapping[str, Any]) -> dict[str, Any]:
    places = list(row)
    if len(places) > _SAMPLE_COLUMNS:
        half = _SAMPLE_COLUMNS // 2
        places = [*places[:half], *places[-half:]]
    return {cut(name): plain(row[name], 1) for name in places}
