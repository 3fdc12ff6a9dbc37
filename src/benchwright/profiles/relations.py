"""How data files belong together, as values: columns that join, files that repeat, times and units that differ."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from benchwright.errors import InputError
from benchwright.files import Tagged, read_jsonl
from benchwright.profiles.fuzzy import Fuzzy


class Join(Tagged):
    """Two columns that may join. `contained`: the share of the left one's different values that the right one has.

    `chance`: the probability that so many whole numbers of the left one's range are among the right one's by accident;
    0 for text and dates. `names`: how alike the names are, from 0 to 1, a table's name belonging to its columns'.
    `score`: contained, times the probability that it is no accident, by Bayes' rule: before the values are looked at,
    one pair in two with the same words is taken for a join, and one in two thousand without a word in common.
    `shape` tells on which side values are keys; `exact` is false where values of a long column were sampled.
    `accepted` is a reviewer's.
    """

    kind: Literal["join"] = "join"
    left: str
    left_column: str
    right: str
    right_column: str
    values: Literal["integer", "text", "date"]
    contained: float = Field(ge=0, le=1)
    chance: float = Field(ge=0, le=1)
    names: float = Field(ge=0, le=1)
    score: float = Field(ge=0, le=1)
    shape: Literal["one to one", "many to one", "one to many", "many to many"]
    exact: bool
    accepted: bool | None = None


class Repeat(Tagged):
    """Two files with the same columns and rows in common: shares of each one's different rows that the other has."""

    kind: Literal["repeat"] = "repeat"
    left: str
    right: str
    left_in_right: float = Field(ge=0, le=1)
    right_in_left: float = Field(ge=0, le=1)
    exact: bool
    accepted: bool | None = None


class UnitGap(Tagged):
    """Two columns that name the same quantity in two units of it."""

    kind: Literal["units"] = "units"
    left: str
    left_column: str
    left_unit: str
    right: str
    right_column: str
    right_unit: str
    accepted: bool | None = None


class Overlap(Tagged):
    """Two columns of dates: the days that both span (ISO dates), and the median days from date to date in each."""

    kind: Literal["time"] = "time"
    left: str
    left_column: str
    left_step: float
    right: str
    right_column: str
    right_step: float
    start: str
    end: str
    accepted: bool | None = None


Relation = Join | Repeat | UnitGap | Overlap | Fuzzy
KINDS: Mapping[str, type[Relation]] = {
    "join": Join,
    "repeat": Repeat,
    "units": UnitGap,
    "time": Overlap,
    "fuzzy": Fuzzy,
}


def read_relations(path: Path) -> tuple[Relation, ...]:
    """Relations as they were written and reviewed: `accepted` true or false, or null where nobody looked."""
    found: list[Relation] = []
    for number, row in read_jsonl(path):
        where = f"{path}, line {number}"
        kind = KINDS.get(str(row.get("kind"))) if isinstance(row, dict) else None
        if kind is None:
            raise InputError(f"{where}: no relation", expected=f'"kind": one of {", ".join(KINDS)}')
        found.append(kind.from_json(row, where))
    return tuple(found)
