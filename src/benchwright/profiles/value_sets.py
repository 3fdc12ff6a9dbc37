"""The different values of a column, as hashes that can be held against those of another column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from benchwright.profiles.distinct import Distinct

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]
    Floats = NDArray[np.float64]

Keyable = Literal["integer", "text", "date"]

MOST_VALUES = 1 << 18
"""Different values kept of a column; of more, those with the smallest hashes (2 MB a column)."""

LEAST_SEEN = 16
"""Values that an estimated share must rest on."""


@dataclass(frozen=True)
class ValueSet:
    """The different values of one column without nulls. `hashes` ascend; all values lie in them where `exact`.

    `low` and `high` bound whole numbers, which stand ascending in `numbers` where all are kept.
    """

    table: str
    column: str
    kind: Keyable
    rows: int
    distinct: int
    exact: bool
    hashes: Hashes
    low: float = 0.0
    high: float = 0.0
    numbers: Floats | None = None

    @property
    def uniqueness(self) -> float:
        """Different values over rows: 1 for a key."""
        return self.distinct / self.rows if self.rows else 0.0

    def share_in(self, other: ValueSet) -> float | None:
        """The share of these values that the other column has, too; None where too few are kept to say."""
        import numpy as np

        bounds = [values.hashes[-1] for values in (self, other) if not values.exact]
        mine = self.hashes[: int(np.searchsorted(self.hashes, min(bounds), "right"))] if bounds else self.hashes
        if not len(mine) or (bounds and len(mine) < LEAST_SEEN):
            return None
        found = np.minimum(np.searchsorted(other.hashes, mine), len(other.hashes) - 1)
        return float(np.mean(other.hashes[found] == mine))

    def chance_in(self, other: ValueSet) -> float:
        """The share expected of whole numbers drawn from within this column's range, by how dense the other is there.

        0 for other kinds of values.
        """
        if self.kind != "integer" or other.kind != "integer":
            return 0.0
        import numpy as np

        width = self.high - self.low + 1
        if not other.exact or other.numbers is None:
            overlap = max(0.0, min(self.high, other.high) - max(self.low, other.low) + 1)
            return min(1.0, overlap * other.distinct / (other.high - other.low + 1) / width)
        within = np.searchsorted(other.numbers, self.high, "right") - np.searchsorted(other.numbers, self.low)
        return float(within / width)


class Gathering:
    """Takes in a column batch by batch; fractions, flags, lists and columns of one value can be no key."""

    def __init__(self, table: str, column: str) -> None:
        self._table, self._column = table, column
        self._distinct = Distinct(MOST_VALUES)
        self._kind: Keyable | None = None
        self._able = True
        self._rows = 0
        self._low, self._high = float("inf"), float("-inf")
        self._numbers: pl.Series | None = None

    def add(self, series: pl.Series) -> None:
        """Take in the next rows."""
        values = series.drop_nulls()
        if not self._able or not values.len():
            return
        kind = _kind(values)
        if kind is None or (self._kind is not None and kind != self._kind):
            self._able = False
            return
        self._kind = kind
        self._rows += values.len()
        if kind == "integer":
            self._follow(values)
        self._distinct.add(_plain(values, kind))

    def _follow(self, values: pl.Series) -> None:
        import polars as pl

        different = values.cast(pl.Float64).unique()
        self._low, self._high = min(self._low, different.min()), max(self._high, different.max())  # type: ignore[type-var, assignment]
        known = different if self._numbers is None else pl.concat([self._numbers, different]).unique()
        self._numbers = known.head(MOST_VALUES + 1)

    def found(self) -> ValueSet | None:
        """What was gathered; None for a column that can be no key."""
        count = self._distinct.count()
        if not self._able or self._kind is None or count < 2:
            return None
        bounds = (self._low, self._high) if self._kind == "integer" else (0.0, 0.0)
        numbers = None if self._numbers is None else self._numbers.sort().to_numpy()
        seen = self._distinct
        return ValueSet(
            self._table, self._column, self._kind, self._rows, count, seen.exact, seen.hashes, *bounds, numbers
        )


def meeting(ordered: Sequence[ValueSet]) -> Iterator[tuple[ValueSet, ValueSet]]:
    """The pairs, each in the given order, of which the first one's smallest hashes are not all strange to the other.

    A share of a half or more is missed once in 65,000 times; sets that hold fewer values than are looked at, never.
    So the work follows the number of pairs that have values in common, and not the number of all pairs.
    """
    import numpy as np

    if len(ordered) < 2:
        return
    owners = np.repeat(np.arange(len(ordered)), [len(values.hashes) for values in ordered])
    hashes = np.concatenate([values.hashes for values in ordered])
    order = np.argsort(hashes, kind="stable")  # equal hashes stay in the order of their owners
    hashes, owners = hashes[order], owners[order]
    for place, values in enumerate(ordered):
        looked_at = values.hashes[:LEAST_SEEN]
        starts, ends = np.searchsorted(hashes, looked_at), np.searchsorted(hashes, looked_at, "right")
        held = [owners[start:end] for start, end in zip(starts, ends, strict=True)]
        others = np.unique(np.concatenate(held)) if held else owners[:0]
        yield from ((values, ordered[other]) for other in others[others > place])


def _kind(values: pl.Series) -> Keyable | None:
    import polars as pl

    if values.dtype.is_integer():
        return "integer"
    if values.dtype.is_float():
        whole = values.is_finite().all() and (values == values.floor()).all() and values.abs().max() < 2**53  # type: ignore[operator]
        return "integer" if whole else None
    if values.dtype in (pl.Date, pl.Datetime):
        return "date"
    return "text" if values.dtype in (pl.String, pl.Categorical, pl.Enum) else None


def _plain(values: pl.Series, kind: Keyable) -> pl.Series:
    """Values as they are compared: whole numbers as such, moments to the second, text without case and outer spaces."""
    import polars as pl

    if kind == "integer":
        return values.cast(pl.Int64, strict=False).drop_nulls().cast(pl.String)
    if kind == "date":
        return values.cast(pl.Datetime("us")).dt.to_string("%Y-%m-%d %H:%M:%S")
    return values.cast(pl.String).str.strip_chars().str.to_lowercase()
