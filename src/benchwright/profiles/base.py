"""The values of a profile: a file, its columns, and whether each number is exact or estimated."""

from __future__ import annotations

from typing import Any, Literal

from benchwright.files import Record

Kind = Literal["integer", "float", "boolean", "datetime", "text", "nested", "empty"]


class Numbers(Record):
    """The distribution of a numeric column; quartiles of long columns are those of a sample (`exact` is false)."""

    min: float
    max: float
    mean: float
    median: float
    q25: float
    q75: float
    exact: bool = True


class Dates(Record):
    """First and last moment as ISO text, whether all steps are equal, and the step in seconds where they are."""

    start: str
    end: str
    uniform: bool
    step_seconds: float | None = None


class TextDates(Record):
    """A text column that holds dates: the format that reads most of it, and how much it reads.

    `ambiguous`: day and month could be swapped without any value becoming invalid. `unread` are values that are no
    dates in that format, commonest first (e.g. 9999-99-99).
    """

    format: str
    read: int
    of: int
    ambiguous: bool
    unread: tuple[str, ...] = ()


class Column(Record):
    """One column. `ascending`: no value is smaller than the one before, and none is missing.

    `distinct` counts values without nulls; nested values are not counted (0, and `distinct_exact` is false). Where
    there are too many to keep it is estimated (`distinct_exact` is false, too). `counts` are value counts, commonest
    first, ties in order of appearance; None where there are more than `MOST_COUNTED` values. `first` are the first ten
    distinct values.
    """

    name: str
    kind: Kind
    nulls: int
    distinct: int
    distinct_exact: bool = True
    ascending: bool = False
    counts: tuple[tuple[Any, int], ...] | None = None
    first: tuple[Any, ...] = ()
    numbers: Numbers | None = None
    dates: Dates | None = None
    text_dates: TextDates | None = None


class Profile(Record):
    """One data file: `rows` by `columns`, the first rows as they are, and notes on how it was read."""

    file: str
    format: str
    rows: int
    columns: tuple[Column, ...]
    index_ordered: bool
    sample: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()


MOST_COUNTED = 1000
"""Columns with more distinct values keep no counts."""
