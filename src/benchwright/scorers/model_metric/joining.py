"""Which predicted row stands for which labelled row: by id, or by place where there are no ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

Rows = Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Join:
    """Pairs (labelled row, predicted row), and what did not come out even.

    `of` is how many pairs there should be; `missing` labelled rows have no prediction, `duplicates` are ids predicted
    more often than they are labelled, `repeated` the rows too many of those whose values agree, and `unknown` predicted
    rows have an id without a label.
    """

    pairs: tuple[tuple[int, int], ...]
    of: int
    missing: int = 0
    duplicates: int = 0
    unknown: int = 0
    repeated: int = 0


def join_by_place(gold: int, found: int) -> Join:
    """Rows by their place; rows too many count like rows too few."""
    paired = min(gold, found)
    return Join(tuple((row, row) for row in range(paired)), max(gold, found), gold - paired, unknown=found - paired)


def join_by_id(
    gold_ids: Sequence[Hashable], found_ids: Sequence[Hashable], gold_values: Rows, found_values: Rows
) -> Join:
    """Rows by id. One predicted more often than it is labelled, with different values, has no prediction: which of
    them is meant is not known; with the same values it has one, and rows too many. Rows that share an id in the gold
    pair in the order of their values.
    """
    gold_rows, found_rows = _by_id(gold_ids), _by_id(found_ids)
    pairs: list[tuple[int, int]] = []
    duplicates = repeated = 0
    for key, rows in gold_rows.items():
        predicted = found_rows.get(key, [])
        if len(predicted) > len(rows):
            duplicates += 1
            if len({found_values[row] for row in predicted}) > 1:
                predicted = []
            repeated += max(0, len(predicted) - len(rows))
            predicted = predicted[: len(rows)]
        if len(rows) > 1:
            rows.sort(key=lambda row: _order(gold_values[row]))
            predicted.sort(key=lambda row: _order(found_values[row]))
        pairs += zip(rows, predicted, strict=False)
    unknown = sum(len(rows) for key, rows in found_rows.items() if key not in gold_rows)
    return Join(tuple(sorted(pairs)), len(gold_ids), len(gold_ids) - len(pairs), duplicates, unknown, repeated)


def _by_id(ids: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    rows: dict[Hashable, list[int]] = defaultdict(list)
    for row, key in enumerate(ids):
        rows[key].append(row)
    return rows


def _order(values: tuple[str, ...]) -> list[tuple[float, str]]:
    """Numbers by size, texts by their letters."""
    return [(_size(value), value) for value in values]


def _size(text: str) -> float:
    try:
        size = float(text)
    except ValueError:
        return 0.0
    return size if size == size else 0.0  # noqa: PLR0124 - only NaN differs from itself
