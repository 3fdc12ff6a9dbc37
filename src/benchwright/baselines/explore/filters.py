"""The rows that a question speaks of: values it names, numbers it compares with, years and months."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .ask import comparisons, word_index
from .tables import is_text
from .words import Match, Question, match

if TYPE_CHECKING:
    import pandas as pd

_MOST_VALUES = 5000
_YEAR = re.compile(r"(?<!\d)((?:1[789]|20)\d\d)(?![\d-])")
_DAY = re.compile(r"(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)")
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = re.compile(rf"\b({'|'.join(name.title() for name in _MONTHS)})\b")


_COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "in": lambda column, values: column.astype(str).str.strip().isin(values),
    "year": lambda column, year: _dates(column).dt.year == year,
    "month": lambda column, month: _dates(column).dt.month == month,
    "day": lambda column, day: _dates(column).dt.strftime("%Y-%m-%d") == day,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}


@dataclass(frozen=True)
class Condition:
    """One column that must hold one of some values, or satisfy a comparison; `at` is where the question says so."""

    column: str
    sign: str
    value: Any
    at: int

    def holds(self, frame: pd.DataFrame) -> pd.Series[bool]:
        """Which rows satisfy it."""
        column = frame[self.column]
        held: pd.Series[bool] = _COMPARE[self.sign](column, self.value)
        return held


def conditions(frame: pd.DataFrame, question: Question, matches: Mapping[str, Match]) -> list[Condition]:
    """Every condition on the rows that the question states and the table can answer."""
    named = list(_named_values(frame, question, matches))
    numbers = [*_compared(frame, question, matches), *_adjacent(frame, question, matches)]
    times = list(_times(frame, question, matches))
    return [*named, *(item for item in numbers if item.column not in {time.column for time in times}), *times]


def select(frame: pd.DataFrame, wanted: list[Condition]) -> pd.DataFrame:
    """The rows that satisfy all conditions; one that would leave none is passed over."""
    for condition in wanted:
        kept = frame[condition.holds(frame).fillna(value=False)]
        if len(kept):
            frame = kept
    return frame


def date_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that hold dates, or text that is dates."""
    return [name for name in frame.columns if _is_date(frame[name])]


def _is_date(column: pd.Series[Any]) -> bool:
    if str(column.dtype).startswith("datetime"):
        return True
    if not is_text(column):
        return False
    head = column.dropna().astype(str).head(50)
    return bool(len(head)) and bool(
        head.str.match(r"\d{4}-\d\d-\d\d|\d{1,2}/\d{1,2}/\d{4}|\d{4}/\d\d/\d\d").mean() > 0.9
    )


def _dates(column: pd.Series[Any]) -> pd.Series[Any]:
    import pandas as pd

    return column if str(column.dtype).startswith("datetime") else pd.to_datetime(column, errors="coerce")


def _named_values(frame: pd.DataFrame, question: Question, matches: Mapping[str, Match]) -> Iterator[Condition]:
    """Values of text columns that the question names: the longest first, each stretch of text once."""
    hits: list[tuple[int, float, int, str, str]] = []
    for name in frame.columns:
        if not is_text(frame[name]) or _is_date(frame[name]):
            continue
        values = frame[name].dropna().astype(str).str.strip().unique()
        for value in values[:_MOST_VALUES]:
            place = _place(value, question.text)
            hits += [(len(value), matches[name].score, place.start(), name, value)] if place else []
    taken: list[range] = []
    chosen: dict[str, tuple[int, list[str]]] = {}
    for length, _, start, name, value in sorted(hits, key=lambda hit: (-hit[0], -hit[1], hit[2], hit[3])):
        span = range(start, start + length)
        if any(start < other.stop and other.start < span.stop for other in taken):
            continue
        taken.append(span)
        chosen.setdefault(name, (word_index(question.text, start), []))[1].append(value)
    for name, (at, values) in chosen.items():
        yield Condition(name, "in", values, at)


def _place(value: str, text: str) -> re.Match[str] | None:
    """Where the text names a value: short or lower-case ones only as they are spelled, and in quotes if very short."""
    if not value or len(value) > 80 or value.replace(".", "").isdigit():
        return None
    escaped = re.escape(value)
    if len(value) <= 2:
        return re.search(rf"(?<=['\"‘“]){escaped}(?=['\"’”])", text) or (
            re.search(rf"(?<!\w){escaped}(?!\w)", text) if value.isupper() and len(value) == 2 else None
        )
    loose = re.IGNORECASE if len(value) > 4 else 0
    return re.search(rf"(?<!\w){escaped}(?:s|es)?(?!\w)", text, loose)


def _numeric(frame: pd.DataFrame) -> list[str]:
    return [str(name) for name in frame.select_dtypes("number").columns]


def _compared(frame: pd.DataFrame, question: Question, matches: Mapping[str, Match]) -> Iterator[Condition]:
    for bound in comparisons(question.text):
        close = [
            (matches[name].score - 0.04 * abs(matches[name].at - bound.at), name)
            for name in _numeric(frame)
            if matches[name].score >= 0.5
        ]
        if close:
            yield Condition(max(close)[1], bound.sign, bound.number, bound.at)


def _adjacent(frame: pd.DataFrame, question: Question, matches: Mapping[str, Match]) -> Iterator[Condition]:
    """A small number beside the name of a column that holds it: "4 cylinders", "class 3"."""
    for hit in re.finditer(r"(?<![\w.,-])(\d{1,3})(?![\w.,%-])", question.text):
        at = word_index(question.text, hit.start())
        for name in _numeric(frame):
            beside = matches[name].score >= 0.6 and 0 < abs(matches[name].at - at) <= 1
            if beside and frame[name].nunique() <= 40 and (frame[name] == float(hit.group(1))).any():
                yield Condition(name, "==", float(hit.group(1)), at)


def _times(frame: pd.DataFrame, question: Question, matches: Mapping[str, Match]) -> Iterator[Condition]:
    dates = date_columns(frame)
    years = [name for name in _numeric(frame) if _holds_years(frame[name], name)]
    for hit in list(_YEAR.finditer(question.text))[:1]:
        at = word_index(question.text, hit.start())
        for name in [name for name in years if (frame[name] == int(hit.group())).any()][:1]:
            yield Condition(name, "==", int(hit.group()), at)
        if not years and dates:
            yield Condition(_best(dates, matches), "year", int(hit.group()), at)
    if dates and (day := _DAY.search(question.text)):
        yield Condition(_best(dates, matches), "day", day.group(1), word_index(question.text, day.start()))
    elif dates and (month := _MONTH.search(question.text)):
        number = _MONTHS.index(month.group(1).lower()) + 1
        yield Condition(_best(dates, matches), "month", number, word_index(question.text, month.start()))


def _best(names: list[str], matches: Mapping[str, Match]) -> str:
    return max(names, key=lambda name: matches[name].score)


def _holds_years(column: pd.Series[Any], name: str) -> bool:
    values = column.dropna()
    if not len(values) or not ("year" in name.lower() or name.lower() in ("yr", "season", "time")):
        return False
    return bool(values.between(1500, 2100).mean() > 0.95)


def all_matches(frame: pd.DataFrame, question: Question) -> dict[str, Match]:
    """How well the question speaks of each column."""
    return {str(name): match(str(name), question) for name in frame.columns}
