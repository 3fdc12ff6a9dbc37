"""Tables of labels and predictions column by column, and which column of one is which of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from benchwright.scorers.compare.documents import fold_key
from benchwright.scorers.compare.tables import Table
from benchwright.scorers.model_metric.columns import UnfitLabels
from benchwright.scorers.model_metric.rule import MetricRule


@dataclass(frozen=True, slots=True)
class Cells:
    """The names and the cells of a table, column by column."""

    names: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    height: int

    @classmethod
    def of(cls, table: Table) -> Self:
        """The same table."""
        return cls(table.names, tuple(tuple(column.to_list()) for column in table.columns), table.height)

    def rows(self, places: Sequence[int]) -> list[tuple[str, ...]]:
        """The cells of some columns, row by row."""
        return list(zip(*(self.columns[place] for place in places), strict=True)) or [()] * self.height


@dataclass(frozen=True, slots=True)
class Places:
    """Columns of the gold with their partners in what was found; None where there is none."""

    ids: tuple[tuple[int, int | None], ...]
    values: tuple[tuple[int, int | None], ...]


def find_places(gold: Cells, found: Cells, rule: MetricRule) -> Places:
    """The columns that a rule names. UnfitLabels says which the gold does not have.

    Columns go by name. Where the rule gives positions, one without a partner of that name has the column in its place.
    """
    ids = [_gold_place(gold, name) for name in rule.id_columns]
    named = [_gold_place(gold, name) for name in rule.value_columns]
    values = named or [place for place in range(len(gold.names)) if place not in ids]
    if not values:
        raise UnfitLabels("the gold has no column of labels")
    by_position = any(isinstance(name, int) for name in (*rule.id_columns, *rule.value_columns))

    def partner(place: int) -> int | None:
        named = by_name(gold.names[place], found.names)
        return place if named is None and by_position and place < len(found.names) else named

    return Places(tuple((place, partner(place)) for place in ids), tuple((place, partner(place)) for place in values))


def _gold_place(gold: Cells, name: str | int) -> int:
    place = name if isinstance(name, int) else by_name(name, gold.names)
    if place is None or place >= len(gold.names):
        raise UnfitLabels(f"the gold has no column {name!r}; it has {', '.join(gold.names)[:200]}")
    return place


def by_name(name: str, names: Sequence[str]) -> int | None:
    """The one column that is spelled so, else the one that is equal without case, blanks and underscores."""
    for spelled in (str, fold_key):
        places = [place for place, other in enumerate(names) if spelled(other) == spelled(name)]
        if places:
            return places[0] if len(places) == 1 else None
    return None
