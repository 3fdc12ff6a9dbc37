"""Values of any kind as the texts that a CSV file would have: of Python, and of the columns of Arrow."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import polars as pl

_DAYS: Final = (dt.date.min - dt.date(1970, 1, 1)).days, (dt.date.max - dt.date(1970, 1, 1)).days
"""The days since 1970 that a date can be."""
_PER_SECOND: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
UNREADABLE: Final = "(cannot be read)"


def cell_text(value: object) -> str:
    """A value as the text that a CSV file would have."""
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124 - only NaN differs from itself
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{value:.1f}"
    if isinstance(value, dt.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def text_series(cells: Sequence[str]) -> pl.Series:
    """A column of text cells; what UTF-8 cannot hold is replaced."""
    import polars as pl

    try:
        return pl.Series(cells, dtype=pl.String)
    except UnicodeEncodeError:
        return pl.Series([cell.encode("utf-8", "replace").decode() for cell in cells], dtype=pl.String)


def arrow_cells(column: Any) -> tuple[pl.Series, str]:
    """A column of Arrow as text cells, and what is wrong where it cannot be read: then no cell equals anything.

    What is wrong with one column says nothing of the others, which may be all that counts.
    """
    import polars as pl

    try:
        return _cells(_valid(column)), ""
    except MemoryError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 - whatever a library says to hostile data
        kind = f"{type(error).__name__} ({str(column.type)[:100]})"
        return pl.Series([UNREADABLE], dtype=pl.String).new_from_index(0, len(column)), kind


def _valid(column: Any) -> Any:
    """The column, once it is known to be sound: else it comes to light, as a panic, far from here.

    Texts that are no UTF-8 are replaced where they are not, as in text files.
    """
    import pyarrow as pa

    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
            raise
        column = column.cast(pa.large_binary())
        column.validate(full=True)
        texts = [None if cell is None else cell.decode("utf-8", "replace") for cell in column.to_pylist()]
        return pa.chunked_array([pa.array(texts, pa.large_string())])
    return column


def _cells(column: Any) -> pl.Series:
    import polars as pl

    known, far = _within_range(_plain(column))
    series = pl.Series(pl.from_arrow(known))
    if series.dtype.is_float():
        return series.fill_nan(None).cast(pl.String).fill_null("")
    if series.dtype.is_integer() or series.dtype in (pl.String, pl.Categorical, pl.Boolean, pl.Date):
        cells = series.cast(pl.String).fill_null("")
    else:
        cells = text_series([cell_text(value) for value in series.to_list()])
    if far is None:
        return cells
    numbers = pl.Series(pl.from_arrow(far))  # missing where the cells are known
    return cells.zip_with(numbers.is_null(), "out of range: " + numbers.cast(pl.String))


def _plain(column: Any) -> Any:
    """The column as a kind that polars has: decimals of any size, and texts that are stored as bytes, as texts."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_decimal(kind):
        return column.cast(pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        try:
            return column.cast(pa.binary()).cast(pa.string())
        except pa.ArrowInvalid:
            return column
    return column.cast(pa.date32()) if pa.types.is_date64(kind) else column


def _within_range(column: Any) -> tuple[Any, Any]:
    """The column without days and moments before the year 1 and after 9999, and these alone as numbers, if any."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_date32(kind):
        numbers, (low, high) = column.cast(pa.int32()), _DAYS
    elif pa.types.is_timestamp(kind):
        day = 86_400 * _PER_SECOND[kind.unit]
        # A day less on either side: zones of time may add to it.
        numbers, low, high = column.cast(pa.int64()), (_DAYS[0] + 1) * day, _DAYS[1] * day
    else:
        return column, None
    far = pc.or_(pc.less(numbers, max(low, -(2**63))), pc.greater(numbers, min(high, 2**63 - 1)))
    if not pc.any(far).as_py():
        return column, None
    return pc.if_else(far, pa.scalar(None, kind), column), pc.if_else(far, numbers, pa.scalar(None, numbers.type))
