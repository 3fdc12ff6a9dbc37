"""Dates that a file holds as text: which format reads them, and what it leaves unread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright.profiles.base import TextDates

if TYPE_CHECKING:
    import polars as pl

_DATES = ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%Y", "%Y/%m/%d", "%Y%m%d", "%d %b %Y")
_TIMES = ("", " %H:%M:%S", " %H:%M", "T%H:%M:%S", "T%H:%M:%S%.fZ", " %H:%M:%S%.f")
FORMATS = tuple(date + time for date in (*_DATES, "%b %d, %Y", "%B %d, %Y", "%d %B %Y") for time in _TIMES)
"""Formats that are tried; of two that read as much, the first counts."""

_LOOKED_AT = 500
_LEAST_SHARE = 0.5
_LIKELY = r"^\s*(?:\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}|\d{8}|\d{1,2} [A-Za-z]{3,9} \d{4}|[A-Za-z]{3,9} \d{1,2}, \d{4})"
_SHOWN = 5


class DateReader:
    """Reads the values of a text column as dates while any format reads half of its first distinct values."""

    def __init__(self) -> None:
        self._formats: tuple[str, ...] | None = None
        self._read: dict[str, int] = {}
        self._of = 0
        self._unread: dict[str, int] = {}

    def add(self, values: pl.Series) -> None:
        """Take in values without nulls."""
        if not values.len():
            return
        if self._formats is None:
            self._formats = _fitting(values)
            self._read = dict.fromkeys(self._formats, 0)
        if not self._formats:
            return
        counted = values.value_counts(name="count")
        different, counts = counted.to_series(0), counted.to_series(1)
        self._of += values.len()
        for number, form in enumerate(self._formats):
            unread = different.str.to_datetime(form, strict=False).is_null()
            self._read[form] += values.len() - int(counts.filter(unread).sum())
            if not number:
                for text, count in zip(different.filter(unread).head(100), counts.filter(unread), strict=False):
                    self._unread[text] = self._unread.get(text, 0) + count

    def found(self) -> TextDates | None:
        """The format that reads most, or None where none reads much."""
        if not self._formats or not self._read:
            return None
        form = max(self._formats, key=lambda each: self._read[each])
        rivals = [each for each in self._formats if each != form and self._read[each] == self._read[form]]
        unread = sorted(self._unread, key=lambda text: -self._unread[text])[:_SHOWN] if form == self._formats[0] else ()
        return TextDates(
            format=form,
            read=self._read[form],
            of=self._of,
            ambiguous=any(_swapped(form) == each for each in rivals),
            unread=tuple(unread),
        )


def format_of(values: pl.Series) -> str | None:
    """The format that reads most of the first distinct values as dates, or None where none reads half of them."""
    return next(iter(_fitting(values)), None) if values.len() else None


def _fitting(values: pl.Series) -> tuple[str, ...]:
    """The formats that read half of the first distinct values, the best first."""
    first = values.unique(maintain_order=True).head(_LOOKED_AT)
    if first.str.contains(_LIKELY).mean() in (None, 0.0) or _likely_share(first) < _LEAST_SHARE:
        return ()
    shares = {form: 1.0 - _share_unread(first, form) for form in FORMATS}
    fitting = [form for form in FORMATS if shares[form] >= _LEAST_SHARE]
    return tuple(sorted(fitting, key=lambda form: -shares[form]))


def _likely_share(first: pl.Series) -> float:
    return float(first.str.contains(_LIKELY).sum()) / max(1, first.len())


def _share_unread(first: pl.Series, form: str) -> float:
    return first.str.to_datetime(form, strict=False).null_count() / first.len()


def _swapped(form: str) -> str:
    """The format with day and month changed over."""
    return form.replace("%d", "%\0").replace("%m", "%d").replace("%\0", "%m")
