"""What is known of one column so far: exact sums, extremes and counts, and kept values for order statistics."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from itertools import islice
from math import fsum
from typing import TYPE_CHECKING, Any

from benchwright.profiles.base import MOST_COUNTED, Column, Dates, Kind, Numbers
from benchwright.profiles.distinct import ESTIMATING, MOST_HASHES, Distinct
from benchwright.profiles.rows import RowSample
from benchwright.profiles.text_dates import DateReader

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_FIRST = 10
_NUMERIC = frozenset(("integer", "float"))
_TEXTS = ("String", "Categorical", "Enum")
_APART = 1 << 53
"""Whole numbers below are told apart as floating-point numbers, in which form values are kept."""
_TRUTHS = frozenset({"True", "False", "TRUE", "FALSE", "true", "false"})


class Tally:
    """One column while a file is read. Batches of one column come in order; `places` are the rows of `RowSample`."""

    def __init__(self, name: str, dtype: pl.DataType, sample: RowSample, most: int = MOST_HASHES) -> None:
        self.name, self.kind, self._dtype, self._sample = name, kind_of(dtype), dtype, sample
        self.nulls = self.values = 0
        self._counts: dict[Any, int] | None = {}
        self._distinct = Distinct(most, ESTIMATING)
        self._decimal = str(dtype).startswith("Decimal")
        # Decimals have more digits than the numbers that are kept: they are told apart as they are.
        self._hashed = self._decimal or self.kind not in _NUMERIC
        self._first: list[Any] = []
        self._sums: list[float] = []
        self._range: tuple[Any, Any] | None = None
        self._ascending = True
        self._last: Any = None
        self._kept: list[NDArray[np.float64]] = []
        self._in_order = False
        self._dates = DateReader() if str(dtype).startswith(_TEXTS) else None

    def add(self, series: pl.Series, places: Any) -> None:
        """Take in the next batch."""
        import polars as pl

        values = self._without_nulls(series)
        if self.kind == "nested":
            return
        if not self._hashed and self._large(values):
            self._hash_kept()
        self._count(values)
        self._follow(values)
        if self.kind in ("integer", "float", "datetime"):
            self._measure(series, values, places)
        if self._dates is not None:
            kept = values if self._sample.everything else series.filter(places).drop_nulls()
            self._dates.add(kept.cast(pl.String))

    def thin(self) -> None:
        """Keep only the rows that the sample still holds."""
        if not self._hashed:
            self._hash_kept()
        if self._kept:
            import numpy as np

            self._kept = [np.concatenate(self._kept)[self._sample.keep]]

    def column(self) -> Column:
        """All that was found."""
        kind: Kind = "empty" if not self.values and self.kind != "nested" else self.kind
        if kind == "text" and self._counts and set(self._counts) <= _TRUTHS:
            kind = "boolean"
        counts = self._counts
        return Column(
            name=self.name,
            kind=kind,
            nulls=self.nulls,
            distinct=len(counts) if counts is not None else self._different(),
            distinct_exact=kind != "nested" and (counts is not None or not self._hashed or self._distinct.exact),
            ascending=self._ascending and not self.nulls and self.values > 0,
            counts=None if counts is None else tuple(sorted(counts.items(), key=lambda item: -item[1])),
            first=tuple(self._first),
            numbers=self._numbers() if kind in ("integer", "float") else None,
            dates=self._moments() if kind == "datetime" else None,
            text_dates=self._dates.found() if self._dates is not None and kind == "text" else None,
        )

    def _without_nulls(self, series: pl.Series) -> pl.Series:
        values = series.drop_nulls() if series.null_count() else series
        if self.kind == "float" and not self._decimal and values.is_nan().any():
            values = values.drop_nans()
        self.nulls += series.len() - values.len()
        self.values += values.len()
        return values

    def _count(self, values: pl.Series) -> None:
        """Counts of values while there are few, in order of appearance; hashes of them from then on.

        Numbers are not hashed while all of them are kept: their different values are counted in the end.
        """
        if self._counts is None:
            self._hash(values)
            return
        head = values.head(4 * MOST_COUNTED).unique(maintain_order=True)
        if head.len() > MOST_COUNTED:
            self._remember(map(_plain, head.head(_FIRST)))
            self._hash(values)
            self._counts = None
            return
        grouped = values.rename("value").to_frame().group_by("value", maintain_order=True).len("count")
        self._hash(grouped["value"])
        for value, count in grouped.head(MOST_COUNTED + len(self._counts) + 1).rows():
            plain = _plain(value)
            self._counts[plain] = self._counts.get(plain, 0) + count
        self._remember(self._counts)
        if len(self._counts) > MOST_COUNTED:
            self._counts = None

    def _hash(self, values: pl.Series) -> None:
        if self._hashed:
            self._distinct.add(values)

    def _hash_kept(self) -> None:
        """Go over to hashes: of all numbers so far, as long as they are all there."""
        import polars as pl

        self._hashed = True
        for part in self._kept:
            self._distinct.add(pl.Series(part).drop_nans().cast(self._dtype))

    def _large(self, values: pl.Series) -> bool:
        """Whether whole numbers are beyond those that kept values tell apart."""
        if self.kind != "integer" or not values.len():
            return False
        return max(abs(int(values.min())), abs(int(values.max()))) >= _APART  # type: ignore[arg-type]

    def _different(self) -> int:
        """The number of different values where they are too many to list."""
        if self._hashed:
            return self._distinct.count()
        ordered = self._ordered()
        return int((ordered[1:] != ordered[:-1]).sum()) + 1 if len(ordered) else 0

    def _remember(self, values: Iterable[Any]) -> None:
        """The first distinct values."""
        if len(self._first) < _FIRST:
            self._first = list(dict.fromkeys([*self._first, *islice(values, _FIRST)]))[:_FIRST]

    def _follow(self, values: pl.Series) -> None:
        """Whether the column still ascends."""
        if self._ascending and values.len():
            first = values[0]
            self._ascending = bool(values.is_sorted()) and (self._last is None or bool(self._last <= first))
            self._last = values[-1]

    def _measure(self, series: pl.Series, values: pl.Series, places: Any) -> None:
        import polars as pl

        if self.kind == "datetime":
            series, values = (each.cast(pl.Datetime("us")).to_physical() for each in (series, values))
        if values.len():
            low, high = values.min(), values.max()
            known = self._range or (low, high)
            self._range = (min(known[0], low), max(known[1], high))  # type: ignore[type-var]
            self._sums.append(float((values if self.kind == "float" else values.cast(pl.Float64)).sum()))
        kept = series if self._sample.everything else series.filter(places)
        self._kept.append(kept.cast(pl.Float64).to_numpy())

    def _kept_values(self) -> NDArray[np.float64]:
        """The kept values without missing ones; of numbers `_ordered` is what is asked for."""
        import numpy as np

        kept = np.concatenate(self._kept)
        missing = np.isnan(kept)
        return kept[~missing] if missing.any() else kept

    def _ordered(self) -> NDArray[np.float64]:
        """The kept values, ascending: sorted once, in place of what was kept."""
        if not self._in_order:
            kept = self._kept_values() if self._kept else None
            self._kept = [] if kept is None else [kept]
            if kept is not None:
                kept.sort()
            self._in_order = True
        return self._kept_values()

    def _numbers(self) -> Numbers | None:
        import numpy as np

        kept = self._ordered()
        if self._range is None or not len(kept) or not np.isfinite(kept[[0, -1]]).all():
            return None
        q25, median, q75 = (_quantile(kept, share) for share in (0.25, 0.5, 0.75))
        return Numbers(
            min=float(self._range[0]),
            max=float(self._range[1]),
            mean=fsum(self._sums) / self.values,
            median=median,
            q25=q25,
            q75=q75,
            exact=self._sample.everything,
        )

    def _moments(self) -> Dates | None:
        """First, last and step, in UTC where the column has a zone."""
        import numpy as np
        import polars as pl

        if self._range is None:
            return None
        steps = np.unique(np.diff(np.unique(self._kept_values())))
        uniform = self._sample.everything and len(steps) == 1
        start, end = pl.Series(list(self._range), dtype=pl.Int64).cast(pl.Datetime("us"))
        return Dates(
            start=start.isoformat(),
            end=end.isoformat(),
            uniform=uniform,
            step_seconds=float(steps[0]) / 1e6 if uniform else None,
        )


def _quantile(ordered: NDArray[np.float64], share: float) -> float:
    """The quantile of ascending values, between two neighbours in proportion (numpy's usual one, to the bit)."""
    place = (len(ordered) - 1) * share
    below = int(place)
    low, high = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    part = place - below
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def kind_of(dtype: pl.DataType) -> Kind:
    """Our word for a type of polars."""
    if dtype.is_integer():
        return "integer"
    if dtype.is_numeric():
        return "float"
    if dtype.is_nested():
        return "nested"
    if str(dtype).startswith(("Date", "Datetime")):
        return "datetime"
    return "boolean" if str(dtype) == "Boolean" else "text"


def _plain(value: object) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return value if isinstance(value, str | int | float | bool) else str(value)
