"""A table as the lake's builder handles it: names and columns of plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchwright.errors import SuiteError

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length; None is a missing value. Never changed in place."""

    names: tuple[str, ...]
    columns: tuple[Sequence[Value], ...]

    @classmethod
    def from_rows(cls, names: Iterable[str], rows: Iterable[Sequence[Value]]) -> Table:
        """A table of rows that all are as long as `names`."""
        names, rows = tuple(names), list(rows)
        return cls(names, tuple(list(column) for column in zip(*rows, strict=True)) if rows else ((),) * len(names))

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def index(self, name: str) -> int:
        """The position of a column."""
        if name not in self.names:
            raise SuiteError(f"the lake's plan names an unknown column: {name}", expected=", ".join(self.names))
        return self.names.index(name)

    def column(self, name: str) -> Sequence[Value]:
        """The values of a column."""
        return self.columns[self.index(name)]

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """Row after row."""
        return zip(*self.columns, strict=True)

    def select(self, names: Iterable[str]) -> Table:
        """These columns, in this order."""
        names = tuple(names)
        return Table(names, tuple(self.column(name) for name in names))

    def take(self, positions: Iterable[int]) -> Table:
        """These rows, in this order."""
        positions = list(positions)
        return Table(self.names, tuple([column[i] for i in positions] for column in self.columns))

    def map(self, name: str, change: Callable[[int, Value], Value]) -> Table:
        """One column changed by a function of the row number (from 0) and the value."""
        at = self.index(name)
        changed = [change(row, value) for row, value in enumerate(self.columns[at])]
        return Table(self.names, (*self.columns[:at], changed, *self.columns[at + 1 :]))

    def with_column(self, name: str, values: Sequence[Value]) -> Table:
        """One more column at the right."""
        return Table((*self.names, name), (*self.columns, values))
