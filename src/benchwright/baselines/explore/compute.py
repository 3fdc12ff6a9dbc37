"""Compute what a question asks on one table, and lay it out in the parts of the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .ask import Asked, group_words, how_many_first, operations, ranks_by_count, wants_label
from .filters import Condition, all_matches, conditions, select
from .shape import Slot
from .tables import is_text
from .words import Match, Question

if TYPE_CHECKING:
    import pandas as pd

_NUMERIC = ("integer", "decimal", "percent")
_EXTREMES = ("max", "min")
_PLAIN: Mapping[str, Callable[[Any], Any]] = {
    "mean": lambda column: column.mean(),
    "median": lambda column: column.median(),
    "sum": lambda column: column.sum(),
    "max": lambda column: column.max(),
    "min": lambda column: column.min(),
    "std": lambda column: column.std(),
    "count": len,
    "distinct": lambda column: column.nunique(),
}


@dataclass(frozen=True)
class Reading:
    """A question read against one table: which columns it speaks of, which rows, and what it asks."""

    frame: pd.DataFrame
    question: Question
    matches: Mapping[str, Match]
    wanted: Sequence[Condition]
    asked: Sequence[Asked]

    @property
    def rows(self) -> pd.DataFrame:
        """The rows that the question speaks of."""
        return select(self.frame, list(self.wanted))

    @property
    def filtered(self) -> set[str]:
        """The columns that conditions are about."""
        return {condition.column for condition in self.wanted}


def read(frame: pd.DataFrame, question: Question) -> Reading:
    """Read a question against a table."""
    matches = all_matches(frame, question)
    asked = operations(question.text) or [Asked("count", 0)]
    return Reading(frame, question, matches, conditions(frame, question, matches), asked)


def answer(frame: pd.DataFrame, question: Question, slots: Sequence[Slot]) -> str | None:
    """The answer in the guideline's shape; None where the table does not tell."""
    reading = read(frame, question)
    names = {asked.operation for asked in reading.asked}
    by_group = wants_label(question.text) and names & set(_EXTREMES) and any(s.kind not in _NUMERIC for s in slots)
    values = _ranked(reading, slots) if by_group else _totals(reading, slots)
    if values is None or len(values) != len(slots):
        return None
    return "; ".join(slot.show(_plain(value)) for slot, value in zip(slots, values, strict=True))


# --- one number or several over the rows


def _totals(reading: Reading, slots: Sequence[Slot]) -> list[Any] | None:
    """One value a part: the operations in the question's order, over the columns named nearest to them."""
    asked = _fitting(reading, slots)
    if asked is None:
        return None
    values = [_total(reading, item, number) for number, item in enumerate(asked)]
    return None if any(value is None for value in values) else values


def _fitting(reading: Reading, slots: Sequence[Slot]) -> Sequence[Asked] | None:
    """As many operations as the answer has parts."""
    asked = list(reading.asked)
    if len(slots) == 1:
        kinds = {"percent": "share"}
        preferred = [item for item in asked if item.operation == kinds.get(slots[0].kind)]
        return (preferred or asked)[:1]
    if len(asked) >= len(slots):
        return asked[: len(slots)]
    return asked * len(slots) if len(asked) == 1 else None


def _total(reading: Reading, asked: Asked, number: int) -> Any:
    rows = reading.rows
    if asked.operation == "count":
        return len(rows)
    if asked.operation == "share":
        return _share(reading)
    if asked.operation == "correlation":
        pair = _measures(reading, asked, 2)
        return rows[pair[0]].corr(rows[pair[1]]) if len(pair) == 2 else None
    columns = _countable(reading, asked) if asked.operation == "distinct" else _measures(reading, asked, number + 1)
    if not columns:
        return None
    column = columns[number] if number < len(columns) and len({a.operation for a in reading.asked}) == 1 else columns[0]
    return _PLAIN[asked.operation](rows[column])


def _share(reading: Reading) -> float | None:
    """The share of rows that satisfy the last condition, among those that satisfy the others."""
    if not reading.wanted:
        return None
    *base, last = sorted(reading.wanted, key=lambda condition: condition.at)
    rows = select(reading.frame, base)
    return 100.0 * float(last.holds(rows).mean()) if len(rows) else None


def _measures(reading: Reading, asked: Asked, count: int) -> list[str]:
    """Numeric columns that the question names, those near the operation's word first."""
    names = [str(name) for name in reading.frame.select_dtypes("number").columns if name not in reading.filtered]
    return _nearest(reading, names, asked.at, count)


def _countable(reading: Reading, asked: Asked) -> list[str]:
    names = [str(name) for name in reading.frame.columns if name not in reading.filtered]
    return _nearest(reading, names, asked.at, 1)


def _nearest(reading: Reading, names: Sequence[str], at: int, count: int) -> list[str]:
    def fit(name: str) -> float:
        hit = reading.matches[name]
        distance = hit.at - at
        return hit.score - 0.03 * (distance if distance >= 0 else 2.0 * -distance)

    told = [name for name in names if reading.matches[name].score >= 0.5]
    return sorted(told, key=lambda name: (-fit(name), name))[: max(count, 1)]


# --- which one is the first


def _ranked(reading: Reading, slots: Sequence[Slot]) -> list[Any] | None:
    """Labels and values of the first (or first n) by what the question ranks by."""
    label = _label(reading)
    if label is None:
        return None
    scores = _scores(reading, label)
    if scores is None or not len(scores):
        return None
    labels = iter(scores.index)
    values = iter(scores)
    count = how_many_first(reading.question.text)
    if count > 1 and len(slots) == 1:
        return ["; ".join(str(_plain(name)) for name in list(scores.index)[:count])]
    return [
        next(values, None) if slot.kind in _NUMERIC and not _is_label(scores, slot) else next(labels, None)
        for slot in slots
    ]


def _is_label(scores: pd.Series[Any], slot: Slot) -> bool:
    """Whether an integer part of the answer is a label, as a year is."""
    return slot.kind == "integer" and slot.decimals == 0 and not is_text(scores.index.to_series()) and len(scores) > 1


def _label(reading: Reading) -> str | None:
    """The column that says which: named after which, what, per, each or by."""
    at = group_words(reading.question.text)
    numeric = set(reading.frame.select_dtypes("floating").columns)
    names = [str(name) for name in reading.frame.columns if name not in numeric and name not in reading.filtered]
    told = [name for name in names if reading.matches[name].score >= 0.5]
    if told:
        return min(
            told, key=lambda name: (min((abs(reading.matches[name].at - place) for place in at), default=9), name)
        )
    unique = [name for name in names if is_text(reading.frame[name]) and reading.frame[name].is_unique]
    return unique[0] if unique else next((name for name in names if is_text(reading.frame[name])), None)


def _scores(reading: Reading, label: str) -> pd.Series[Any] | None:
    """What each label is ranked by, the first at the top."""
    extreme = next(item for item in reading.asked if item.operation in _EXTREMES)
    how = next(
        (item for item in reading.asked if item.operation in ("mean", "median", "sum", "count", "distinct", "std")),
        None,
    )
    rows = reading.rows
    measures = [name for name in _measures(reading, how or extreme, 3) if name != label]
    groups = rows.groupby(label, sort=True)
    if how is not None and how.operation == "count":
        scores = groups.size()
    elif not measures:
        scores = groups.size() if how is None and ranks_by_count(reading.question.text) else None
    else:
        scores = groups[measures[0]].agg(_aggregate(how))
    return None if scores is None else scores.dropna().sort_values(ascending=extreme.operation == "min", kind="stable")


def _aggregate(how: Asked | None) -> str:
    return {"distinct": "nunique"}.get(how.operation, how.operation) if how else "max"


# --- tables


def table(frame: pd.DataFrame, question: Question, columns: Sequence[str]) -> pd.DataFrame | None:
    """One row a group, where the question asks for something of each; named as the task wants them."""
    reading = read(frame, question)
    label = _label(reading)
    how = next((item for item in reading.asked if item.operation in _PLAIN), Asked("count", 0))
    if label is None or len(columns) < 2:
        return None
    groups = reading.rows.groupby(label, sort=True)
    found = {columns[0]: []} | {name: list(values) for name, values in _columns(reading, groups, how, columns[1:])}
    found[columns[0]] = list(groups.groups)
    import pandas as pd

    return pd.DataFrame(found) if len({len(values) for values in found.values()}) == 1 else None


def _columns(reading: Reading, groups: Any, how: Asked, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for name in names:
        own = Question.of(name)
        asked = next((item for item in operations(name.replace("_", " ")) if item.operation in _PLAIN), how)
        matched = {column: all_matches(reading.frame[[column]], own)[column].score for column in _numeric(reading)}
        best = max(matched, key=lambda column: matched[column], default=None)
        if best is None or matched[best] < 0.5:
            best = next(iter(_measures(reading, how, 1)), None)
        yield name, groups.size() if best is None or asked.operation == "count" else groups[best].agg(_aggregate(asked))


def _numeric(reading: Reading) -> list[str]:
    return [str(name) for name in reading.frame.select_dtypes("number").columns]


def _plain(value: Any) -> Any:
    """A value of numpy's or pandas' as Python's own."""
    value = value.item() if hasattr(value, "item") else value
    return str(value.date()) if hasattr(value, "date") else value
