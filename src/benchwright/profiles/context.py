"""What a model is told of a data file instead of the file: DSBC's structures, from a profile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchwright.profiles.base import Column, Profile

PAPER_SAMPLE = 5
LOW_COUNT = 20
"""Columns with fewer distinct values are summarised by their counts (paper, Table 3)."""

_CODE_COUNTED, _CODE_TOP = 50, 10
_CODE_TYPES = {"integer": "int64", "float": "float64", "boolean": "bool", "datetime": "datetime64[ns]"}
_NONE = "Not Applicable"


def as_paper(profile: Profile, *, sample: bool = True) -> dict[str, Any]:
    """The structure of the paper's Table 3 as nested JSON; `sample=False` leaves all rows out, for private data.

    Dates that are held as text are no datetime columns, and stand under `datetime_as_text` with the format that reads
    them. Values of categorical summaries stay: they are counts of columns with few values.
    """
    columns = profile.columns
    structure = {
        "rows": {"count": profile.rows, "index_ordered": profile.index_ordered},
        "columns": {"count": len(columns), "names": [column.name for column in columns]},
        "data_types": {column.name: column.kind for column in columns},
        "null_counts": {column.name: column.nulls for column in columns},
        "numeric_summary": {column.name: _paper_numbers(column) for column in columns if column.numbers},
        "categorical_summary": {
            column.name: {_key(value): count for value, count in column.counts or ()}
            for column in columns
            if column.counts is not None and column.distinct < LOW_COUNT and column.kind != "empty"
        },
        "datetime_summary": {
            column.name: column.dates.model_dump(exclude_none=True) for column in columns if column.dates
        },
        "datetime_as_text": {
            column.name: _text_dates(column, sample=sample) for column in columns if column.text_dates
        },
    }
    return structure | ({"sample_rows": list(profile.sample[:PAPER_SAMPLE])} if sample else {})


def as_code(profile: Profile, *, sample: bool = True) -> dict[str, Any]:
    """The nine keys of the published code, with type names that do not depend on a library's version.

    `sample=False` leaves out the rows and the sample values of text columns.
    """
    columns = profile.columns
    dated = [column for column in columns if column.dates]
    return {
        "number_of_rows": profile.rows,
        "number_of_columns": len(columns),
        "columns": {column.name: _code_type(column) for column in columns},
        "sample_rows": [_code_row(row, profile) for row in profile.sample] if sample else [],
        "frequency": {column.name: _frequency(column) for column in dated} or _NONE,
        "null_counts": {column.name: column.nulls for column in columns if column.nulls},
        "numeric_stats": {column.name: _code_numbers(column) for column in columns if column.numbers},
        "categorical_info": {
            column.name: _code_counts(column, sample=sample) for column in columns if column.kind in ("text", "nested")
        },
        "date_ranges": {
            column.name: {"min": column.dates.start, "max": column.dates.end} for column in columns if column.dates
        },
    }


STRUCTURES: Mapping[str, Callable[..., dict[str, Any]]] = {"dsbc-paper": as_paper, "dsbc-code": as_code}


def _paper_numbers(column: Column) -> dict[str, Any]:
    numbers = column.numbers
    assert numbers is not None
    told = numbers.model_dump(exclude={"exact"})
    return told if numbers.exact else {**told, "quartiles": "estimated from a sample of rows"}


def _text_dates(column: Column, *, sample: bool) -> dict[str, Any]:
    assert column.text_dates is not None
    return column.text_dates.model_dump(exclude=None if sample else {"unread"})


def _key(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def _code_type(column: Column) -> str:
    if column.kind == "integer" and column.nulls:
        return "float64"
    return "float64" if column.kind == "empty" else _CODE_TYPES.get(column.kind, "object")


def _code_row(row: dict[str, Any], profile: Profile) -> dict[str, Any]:
    """A row as pandas holds it: whole numbers are floats in a column that misses some."""
    floats = {column.name for column in profile.columns if _code_type(column) == "float64"}
    return {
        name: float(value) if name in floats and isinstance(value, int) and not isinstance(value, bool) else value
        for name, value in row.items()
    }


def _code_numbers(column: Column) -> dict[str, float]:
    numbers = column.numbers
    assert numbers is not None
    return {"min": numbers.min, "max": numbers.max, "mean": round(numbers.mean, 2), "median": numbers.median}


def _code_counts(column: Column, *, sample: bool) -> dict[str, Any]:
    if column.counts is not None and column.distinct <= _CODE_COUNTED:
        return {"unique_count": column.distinct, "top_values": dict(column.counts[:_CODE_TOP])}
    return {"unique_count": column.distinct, "sample_values": list(column.first) if sample else []}


_FREQUENCIES = {60.0: "min", 3600.0: "h", 86400.0: "D", 604800.0: "W", 1.0: "s"}


def _frequency(column: Column) -> str:
    step = column.dates.step_seconds if column.dates else None
    return _NONE if step is None else _FREQUENCIES.get(step, f"{step:g} s")
