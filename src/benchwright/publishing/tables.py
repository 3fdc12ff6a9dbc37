"""Tables as values: the same numbers for HTML, Markdown, LaTeX, CSV and Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from benchwright.publishing import numbers

Kind = Literal["text", "count", "share", "points", "usd", "seconds", "number", "p_value"]
Row = Mapping[str, Any]
_WRITTEN: Final = {kind: getattr(numbers, kind) for kind in numbers.FILTERS}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in Parquet, its head, and how its values are written.

    `low` and `high` name the columns of the interval that stands beside the value, `link` what holds where the text
    leads to. `words` are shown in place of the texts that they stand for.
    """

    name: str
    title: str
    kind: Kind = "text"
    low: str = ""
    high: str = ""
    about: str = ""
    link: str = ""
    words: Mapping[str, str] = field(default_factory=dict)

    def shown(self, text: str) -> str:
        """A text of this column as people see it."""
        return self.words.get(text, text)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the row that are shown here."""
        return tuple(name for name in (self.name, self.low, self.high) if name)


@dataclass(frozen=True, slots=True)
class Pivot:
    """Rows that are shown as a grid: one line a value of `line`, one column a value of `across`.

    `beside` are columns that are equal in all rows of a line, shown once.
    """

    line: str
    across: str
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Number:
    """One value as it is shown, and where it stands: its table, its row (from 0) and its column."""

    table: str
    row: int
    column: str
    kind: Kind
    value: float | None

    @property
    def text(self) -> str:
        """The value as people read it."""
        return str(_WRITTEN[self.kind](self.value))


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: a text, or a number with the ends of its interval.

    `link` says what the text leads to, `about` is the whole text where a shorter one is shown.
    """

    text: str = ""
    number: Number | None = None
    low: Number | None = None
    high: Number | None = None
    link: str = ""
    about: str = ""

    @property
    def plain(self) -> str:
        """The whole cell in words."""
        if self.number is None:
            return self.text
        known = self.low and self.high and self.low.value is not None and self.high.value is not None
        return f"{self.number.text} [{self.low.text}, {self.high.text}]" if known else self.number.text  # type: ignore[union-attr]


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a shown column."""

    title: str
    numeric: bool
    about: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as it is shown."""

    heads: tuple[Head, ...]
    lines: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of plain values under one name; `columns` are shown, in this order, and rows may hold more.

    `note` says what the reader must know; `query` names the query by which the values come from the runs' own tables.
    Rows are as they go to Parquet: one thing a row.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    query: str = ""
    pivot: Pivot | None = None
    hidden: tuple[str, ...] = field(default=())
    """Further columns that files hold and no page shows: keys to join by."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the files made from it."""
        shown = [name for column in self.columns for name in column.names]
        return tuple(dict.fromkeys((*self.hidden, *shown)))

    @property
    def kinds(self) -> dict[str, Kind]:
        """By the name of a column, how its values are written."""
        return {name: column.kind for column in self.columns for name in column.names}

    def number(self, row: int, column: str) -> Number:
        """One value of the table, to be shown elsewhere too."""
        return Number(self.name, row, column, self.kinds[column], self.rows[row].get(column))

    @property
    def grid(self) -> Grid:
        """As it is shown."""
        return self._pivoted(self.pivot) if self.pivot else self._plain()

    def _plain(self) -> Grid:
        shown = [column for column in self.columns if self._filled(column)]
        heads = tuple(Head(column.title, column.kind != "text", column.about) for column in shown)
        return Grid(heads, tuple(tuple(self._cell(at, column) for column in shown) for at in range(len(self.rows))))

    def _filled(self, column: Column) -> bool:
        """A column without any value is not shown."""
        return not self.rows or any(row.get(column.name) not in (None, "") for row in self.rows)

    def _cell(self, at: int, column: Column) -> Cell:
        if column.kind == "text":
            value, link = self.rows[at].get(column.name), self.rows[at].get(column.link, "")
            if value in (None, ""):
                return Cell(numbers.UNKNOWN, link=link)
            shown = column.shown(str(value))
            return Cell(shown, link=link, about="" if shown == value else str(value))
        low, high = (self.number(at, name) if name else None for name in (column.low, column.high))
        return Cell("", self.number(at, column.name), low, high)

    def _whole(self, pivot: Pivot, name: object) -> str:
        """What a column of a grid is called, where a shorter name is shown."""
        column = next(column for column in self.columns if column.name == pivot.across)
        return "" if column.shown(str(name)) == name else str(name)

    def _pivoted(self, pivot: Pivot) -> Grid:
        by_name = {column.name: column for column in self.columns}
        (value,) = (name for name in by_name if name not in (pivot.line, pivot.across, *pivot.beside))
        across = list(dict.fromkeys(row[pivot.across] for row in self.rows))
        lines = dict.fromkeys(row[pivot.line] for row in self.rows)
        place = {(row[pivot.line], row[pivot.across]): at for at, row in enumerate(self.rows)}
        first = {line: next(place[line, name] for name in across if (line, name) in place) for line in lines}
        beside = [by_name[name] for name in (pivot.line, *pivot.beside)]
        numeric = by_name[value].kind != "text"
        heads = (
            *(Head(column.title, column.kind != "text", column.about) for column in beside),
            *(Head(by_name[pivot.across].shown(str(name)), numeric, self._whole(pivot, name)) for name in across),
        )
        return Grid(
            heads,
            tuple(
                (
                    *(self._cell(first[line], column) for column in beside),
                    *(
                        self._cell(place[line, name], by_name[value])
                        if (line, name) in place
                        else Cell(numbers.UNKNOWN)
                        for name in across
                    ),
                )
                for line in lines
            ),
        )
