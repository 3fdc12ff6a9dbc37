"""What gold files hold, as far as rules look at it: columns of text, documents, and the data of charts."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from benchwright.scorers.compare.npy import UnreadableArray, read_npy

_SEPARATORS: Final = {".csv": ",", ".tsv": "\t"}
_MISSING: Final = frozenset(("", "na", "n/a", "nan", "null", "none", "<na>", "nat", "#n/a"))
_NUMBER: Final = re.compile(r"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?|[-+]?inf(?:inity)?", re.IGNORECASE)
_LARGEST_ARRAY: Final = 1 << 28


@dataclass(frozen=True, slots=True)
class GoldTable:
    """A gold table in text form: its cells by column, as they are written. Of columns of one name the first counts."""

    columns: Mapping[str, tuple[str, ...]]
    rows: int

    def scored(self, asked: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """The columns that are compared: those asked for, else all."""
        if not asked:
            return dict(self.columns)
        return {name: self.columns[name] for name in asked if name in self.columns}


def read_table(path: Path) -> GoldTable | None:
    """A gold table; None where it is missing, cannot be read, or is another kind of file."""
    separator = _SEPARATORS.get(path.suffix.lower())
    if separator is None or not path.is_file():
        return None
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
            rows = [row for row in csv.reader(stream, delimiter=separator) if row]
    except (OSError, csv.Error):
        return None
    header, body = (rows[0], rows[1:]) if rows else ([], [])
    columns = zip(*body, strict=False) if len({len(row) for row in rows}) == 1 else _padded(body, len(header))
    cells = [*columns] or [()] * len(header)
    return GoldTable(dict(reversed([*zip(header, cells, strict=False)])), len(body))


def _padded(rows: list[list[str]], width: int) -> Iterator[tuple[str, ...]]:
    for place in range(width):
        yield tuple(row[place] if place < len(row) else "" for row in rows)


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What rules ask of a table's scored columns: how many rows there are, which columns are lacking, whether any cell
    holds something, whether every column repeats one value, and the first text in each column that holds numbers for
    the most part.
    """

    rows: int
    lacking: tuple[str, ...]
    filled: bool
    constant: bool
    stray_texts: Mapping[str, str]


def table_facts(path: Path, asked: object) -> TableFacts | None:
    """The facts of a gold table; None where it cannot be read, or is another kind of file.

    Kept, for several rules ask for them one after the other, and tables may be large.
    """
    if path.suffix.lower() not in _SEPARATORS or not path.is_file():
        return None
    columns = tuple(asked) if isinstance(asked, list) and all(isinstance(name, str) for name in asked) else ()
    stat = path.stat()
    return _facts(path, columns, (stat.st_mtime_ns, stat.st_size))


@lru_cache(maxsize=4096)
def _facts(path: Path, asked: tuple[str, ...], _: tuple[int, int]) -> TableFacts | None:
    table = read_table(path)
    if table is None:
        return None
    scored = {name: Counter(map(str.strip, cells)) for name, cells in table.scored(asked).items()}
    strays = {name: text for name, counts in scored.items() if (text := _stray_text(counts)) is not None}
    return TableFacts(
        rows=table.rows,
        lacking=tuple(name for name in asked if name not in scored),
        filled=any(cell.lower() not in _MISSING for counts in scored.values() for cell in counts),
        constant=bool(scored) and all(len(counts) == 1 for counts in scored.values()),
        stray_texts=strays,
    )


def _stray_text(counts: Counter[str]) -> str | None:
    """The first text in a column that holds numbers for the most part; None where it does not, or holds none."""
    kinds = {cell: is_number(cell) for cell in counts if cell.lower() not in _MISSING}
    texts = sum(counts[cell] for cell, number in kinds.items() if not number)
    numbers = sum(counts[cell] for cell, number in kinds.items() if number)
    return next((cell for cell, number in kinds.items() if not number), None) if texts < numbers else None


def is_number(cell: str) -> bool:
    """Whether a cell holds a number."""
    return bool(_NUMBER.fullmatch(cell))


def read_document(path: Path) -> tuple[Any] | None:
    """The value of a JSON gold, in a tuple of one; None where it cannot be read, or is another kind of file."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return None
    try:
        return (json.loads(path.read_bytes().decode("utf-8-sig")),)
    except (OSError, ValueError, RecursionError):
        return None


def leaves(value: Any) -> Iterator[Any]:
    """Every value in a document that is neither an object nor a list."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    else:
        yield value


def chart_arrays(picture: Path) -> dict[str, Any]:
    """The numeric data of a gold chart by sub-plot, from the array file beside it; empty where there is none."""
    path = picture.with_suffix(".npy")
    try:
        held = read_npy(path.read_bytes()) if path.stat().st_size <= _LARGEST_ARRAY else None
    except (OSError, UnreadableArray):
        return {}
    plots = held if isinstance(held, dict) else {}
    return {str(name): array for name, value in plots.items() if (array := _numeric(value)) is not None}


def _numeric(value: Any) -> Any:
    import numpy as np

    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None
