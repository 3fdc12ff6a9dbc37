"""What happens to a table on its way into the lake: extracts, stale copies, and the traps of real data.

Every change is one entry of a room's plan (`{do = "...", ...}`), deterministic, and leaves the source as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from benchwright.errors import SuiteError
from benchwright.files import Record
from benchwright.suites.lake.table import Table, Value

Scalar = str | int | float | bool


class Keep(Record):
    """Only these columns, in this order."""

    do: Literal["keep"]
    columns: tuple[str, ...]

    def apply(self, table: Table) -> Table:
        """The table with these columns alone."""
        return table.select(self.columns)


class Drop(Record):
    """Without these columns."""

    do: Literal["drop"]
    columns: tuple[str, ...]

    def apply(self, table: Table) -> Table:
        """The table without these columns."""
        return table.select(name for name in table.names if name not in self.columns)


class Rename(Record):
    """Columns under other names."""

    do: Literal["rename"]
    names: dict[str, str]

    def apply(self, table: Table) -> Table:
        """The table with other names."""
        for name in self.names:
            table.index(name)
        return Table(tuple(self.names.get(name, name) for name in table.names), table.columns)


class Name(Record):
    """New names for all columns, from left to right."""

    do: Literal["name"]
    columns: tuple[str, ...]

    def apply(self, table: Table) -> Table:
        """The table with these names."""
        if len(self.columns) != len(table.names):
            raise SuiteError(f"the lake's plan gives {len(self.columns)} names to {len(table.names)} columns")
        return Table(self.columns, table.columns)


class Where(Record):
    """Only the rows whose value is one of `is_`, or lies within bounds (both inclusive)."""

    do: Literal["where"]
    column: str
    is_: tuple[Scalar, ...] = Field(default=(), alias="is")
    least: Scalar | None = None
    most: Scalar | None = None

    def _holds(self, value: Value) -> bool:
        if self.is_:
            return value in self.is_
        if value is None:
            return False
        below = self.least is not None and value < self.least  # type: ignore[operator]
        above = self.most is not None and value > self.most  # type: ignore[operator]
        return not (below or above)

    def apply(self, table: Table) -> Table:
        """The rows that hold."""
        return table.take(row for row, value in enumerate(table.column(self.column)) if self._holds(value))


class Rows(Record):
    """A slice of the rows, then without every `without`-th (counted from 1)."""

    do: Literal["rows"]
    start: int = 0
    stop: int | None = None
    without: int = 0

    def apply(self, table: Table) -> Table:
        """The rows that stay."""
        kept = range(len(table))[self.start : self.stop]
        return table.take(row for at, row in enumerate(kept, start=1) if not (self.without and at % self.without == 0))


class Sort(Record):
    """Rows in the order of a column's values; missing values last."""

    do: Literal["sort"]
    column: str

    def apply(self, table: Table) -> Table:
        """The table in order."""
        values = table.column(self.column)
        return table.take(sorted(range(len(table)), key=lambda row: (values[row] is None, values[row] or 0)))


class Distinct(Record):
    """Every combination of values once, in the order of first appearance."""

    do: Literal["distinct"]

    def apply(self, table: Table) -> Table:
        """The table without repeated rows."""
        return Table.from_rows(table.names, dict.fromkeys(table.rows()))


class Fill(Record):
    """Missing values of some columns become a sentinel."""

    do: Literal["fill"]
    columns: tuple[str, ...]
    value: Scalar

    def apply(self, table: Table) -> Table:
        """The table with sentinels."""
        for name in self.columns:
            table = table.map(name, lambda _, value: self.value if value is None else value)
        return table


class Put(Record):
    """Another value in every `every`-th row of a column (from row `first`, counted from 1)."""

    do: Literal["put"]
    column: str
    every: int = Field(gt=0)
    first: int = 1
    value: Scalar | None = None

    def apply(self, table: Table) -> Table:
        """The table with that value put in."""
        at = self.first - 1
        return table.map(
            self.column,
            lambda row, value: self.value if row >= at and (row - at) % self.every == 0 else value,
        )


class Repeat(Record):
    """Every `every`-th row stands twice: the copy follows `gap` rows later (0: at the end of the table)."""

    do: Literal["repeat"]
    every: int = Field(gt=0)
    gap: int = 0

    def apply(self, table: Table) -> Table:
        """The table with repeated rows."""
        rows = range(len(table))
        copies = [row for row in rows if (row + 1) % self.every == 0]
        if not self.gap:
            return table.take([*rows, *copies])
        keyed = [(float(row), row) for row in rows] + [(row + self.gap + 0.5, row) for row in copies]
        return table.take(row for _, row in sorted(keyed))


class Scale(Record):
    """Numbers times a factor, rounded; where `of` is given only in rows whose value there is one of `is_`."""

    do: Literal["scale"]
    column: str
    factor: float
    digits: int = 6
    of: str = ""
    is_: tuple[Scalar, ...] = Field(default=(), alias="is")

    def apply(self, table: Table) -> Table:
        """The table with scaled numbers."""
        guard = table.column(self.of) if self.of else None

        def change(row: int, value: Value) -> Value:
            if guard is not None and guard[row] not in self.is_:
                return value
            return round(value * self.factor, self.digits) if isinstance(value, int | float) else value

        return table.map(self.column, change)


class Text(Record):
    """Numbers as text in a format of Python's `str.format`, e.g. `{:.1f}%` or `{:,.0f}`; missing ones stay missing."""

    do: Literal["text"]
    columns: tuple[str, ...]
    format: str
    factor: float = 1.0

    def apply(self, table: Table) -> Table:
        """The table with texts."""

        def change(_: int, value: Value) -> Value:
            return self.format.format(value * self.factor) if isinstance(value, int | float) else value

        for name in self.columns:
            table = table.map(name, change)
        return table


class Date(Record):
    """Dates or times written in another way (`strptime` and `strftime` formats)."""

    do: Literal["date"]
    column: str
    read: str = "%Y-%m-%d"
    write: str

    def apply(self, table: Table) -> Table:
        """The table with other dates."""

        def change(_: int, value: Value) -> Value:
            if value is None:
                return None
            return datetime.strptime(str(value), self.read).strftime(self.write)  # noqa: DTZ007 - calendar dates

        return table.map(self.column, change)


class Replace(Record):
    """Other words for a column's values; values not named stay."""

    do: Literal["replace"]
    column: str
    values: dict[str, Scalar]

    def apply(self, table: Table) -> Table:
        """The table with other words."""
        return table.map(self.column, lambda _, value: self.values.get(str(value), value))


class Smudge(Record):
    """Texts typed by hand: by row number in capitals, in small letters, with spaces around, or as they are."""

    do: Literal["smudge"]
    column: str

    def apply(self, table: Table) -> Table:
        """The table with smudged texts."""

        def change(row: int, value: Value) -> Value:
            if not isinstance(value, str):
                return value
            return (value, value.upper(), f" {value}", value.lower(), f"{value} ", value, value)[row % 7]

        return table.map(self.column, change)


class Number(Record):
    """A column of row numbers, with a prefix where given."""

    do: Literal["number"]
    name: str
    start: int = 1
    format: str = ""

    def apply(self, table: Table) -> Table:
        """The table with numbers at the left."""
        numbers = range(self.start, self.start + len(table))
        values: list[Value] = [self.format.format(number) if self.format else number for number in numbers]
        return Table((self.name, *table.names), (values, *table.columns))


class Constant(Record):
    """One more column with one value."""

    do: Literal["constant"]
    name: str
    value: Scalar

    def apply(self, table: Table) -> Table:
        """The table with that column."""
        return table.with_column(self.name, [self.value] * len(table))


class Label(Record):
    """One more column: words by another column's value."""

    do: Literal["label"]
    name: str
    of: str
    values: dict[str, Scalar]
    default: Scalar | None = None

    def apply(self, table: Table) -> Table:
        """The table with those labels."""
        words: Mapping[str, Scalar] = self.values
        return table.with_column(self.name, [words.get(str(value), self.default) for value in table.column(self.of)])


Change = Annotated[
    Keep
    | Drop
    | Rename
    | Name
    | Where
    | Rows
    | Sort
    | Distinct
    | Fill
    | Put
    | Repeat
    | Scale
    | Text
    | Date
    | Replace
    | Smudge
    | Number
    | Constant
    | Label,
    Field(discriminator="do"),
]


def apply_all(table: Table, changes: tuple[Change, ...]) -> Table:
    """The table after every change, in order."""
    for change in changes:
        table = change.apply(table)
    return table
