"""Pairs of tables that belong together, by the measured relations of a room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.generation.templates.meanings import words_of
from benchwright.generation.templates.tables import Field, Source
from benchwright.generation.workflow import Material
from benchwright.profiles.relations import Join

LEAST_NAMES = 8
NAMES = " Compare names without regard to capital letters and outer blanks."
_FORMS = frozenset(
    ("name", "names", "code", "codes", "full", "short", "label", "title", "text", "value", "letters", "abbr")
)
"""Words of a column's name that tell how things are written, and not what they are."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A table of many rows and one with a row for each name; `contained`: the share of the names it knows."""

    many: Source
    single: Source
    key: Field
    name: Field
    contained: float
    one_to_one: bool

    def __str__(self) -> str:
        return f"{self.many}|{self.key.name}|{self.single}|{self.name.name}"

    @property
    def unmatched(self) -> bool:
        """Whether some names of `many` are missing in `single`."""
        return self.contained < 1


def pairs_of(material: Material, sources: Sequence[Source]) -> list[Pair]:
    """The pairs of tables whose names were found in each other, in one way alone: a question can mean no other."""
    by = {source.path: source for source in sources if not source.several}
    found = []
    for join in material.relations:
        if isinstance(join, Join) and _surely(join) and join.left in by and join.right in by:
            sides = (by[join.left], join.left_column), (by[join.right], join.right_column)
            for (many, key), (single, name), part in ((*sides, join.contained), (*sides[::-1], _back(join, by))):
                pair = _pair(many, key, single, name, part)
                if pair is not None:
                    found.append(pair)
    ways = Counter((pair.many.path, pair.single.path) for pair in found)
    return [pair for pair in found if ways[pair.many.path, pair.single.path] == 1]


def thing_of(source: Source, field: Field) -> str | None:
    """What a column names, as people call several of them: states for statename. None where its name does not say that.

    None as well where another column of the table names such things, so that a question would mean both.
    """
    thing = _thing(field.name)
    others = [other for other in source.fields if other.name != field.name and _thing(other.name) == thing]
    if thing is None or others:
        return None
    return f"{thing[:-1]}ies" if thing.endswith("y") else thing if thing.endswith("s") else f"{thing}s"


def _thing(name: str) -> str | None:
    words = [word.removesuffix("name").removesuffix("abb") for word in words_of(name)]
    told = [word for word in words if word and word not in _FORMS]
    return told[-1] if told and len(told[-1]) >= 4 and told[-1].isascii() and told[-1].isalpha() else None


def _surely(join: Join) -> bool:
    """Whether texts were compared whole, and most are shared: a few short codes are shared by accident."""
    return join.values == "text" and join.exact and join.contained >= (0.6 if join.names else 0.75)


def _back(join: Join, by: dict[str, Source]) -> float:
    """The share of the right names that the left has: the shared ones over all of the right."""
    left, right = column_of(by[join.left], join.left_column), column_of(by[join.right], join.right_column)
    if left is None or right is None or not right.column.distinct:
        return 0.0
    return min(1.0, join.contained * left.column.distinct / right.column.distinct)


def _pair(many: Source, key: str, single: Source, name: str, contained: float) -> Pair | None:
    key_field, name_field = column_of(many, key), column_of(single, name)
    if key_field is None or name_field is None or contained < 0.5 or key_field.column.distinct < LEAST_NAMES:
        return None
    unique = name_field.column.distinct == single.rows and not name_field.column.nulls
    if not unique or key_field.column.kind != "text" or key_field.column.text_dates:
        return None
    return Pair(many, single, key_field, name_field, contained, key_field.column.distinct == many.rows)


def column_of(source: Source, name: str) -> Field | None:
    """The column of that name, if questions may show it."""
    return next((field for field in source.fields if field.name == name), None)


def own_of_single(pair: Pair, fields: Sequence[Field]) -> list[Field]:
    """Columns of the single table that the other one lacks."""
    others = {column.name.casefold() for column in pair.many.table.columns}
    return [field for field in fields if field.name.casefold() not in others and field.name != pair.name.name]
