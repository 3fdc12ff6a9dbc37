"""Relations that people reviewed: what they accepted, refused and added is honoured when data are measured again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.files import Record, read_jsonl
from benchwright.profiles.finding_relations import Table, join_of
from benchwright.profiles.fuzzy import Fuzzy
from benchwright.profiles.relations import KINDS, Join, Relation

Key = tuple[str, ...]


class Added(Record):
    """A join that a reviewer wrote down: its columns alone; what else a line says is measured anew."""

    left: str
    left_column: str
    right: str
    right_column: str
    accepted: bool | None = True


@dataclass(frozen=True, slots=True)
class Review:
    """What reviewers said of each relation (None: nobody looked), and joins to measure where they are not found."""

    said: Mapping[Key, bool | None]
    joins: Mapping[Key, Added]
    fuzzy: Mapping[Key, Fuzzy] = field(default_factory=dict)

    def inside(self, folder: str) -> Review:
        """What is about files of one folder alone, by their paths below it."""
        lead = f"{folder}/"
        keys = {key: _below(key, lead) for key in {**self.said, **self.joins} if _is_below(key, lead)}
        joins = {
            keys[key]: each.model_copy(update={"left": each.left[len(lead) :], "right": each.right[len(lead) :]})
            for key, each in self.joins.items()
            if key in keys
        }
        fuzzy = {
            keys[key]: each.model_copy(update={"left": each.left[len(lead) :], "right": each.right[len(lead) :]})
            for key, each in self.fuzzy.items()
            if key in keys
        }
        return Review({keys[key]: said for key, said in self.said.items() if key in keys}, joins, fuzzy)


def read_review(path: Path) -> Review:
    """The lines of a reviewed file. A line for a join may hold nothing but its kind and columns: it was added.

    Raises InputError that names the line which is no relation, or contradicts another.
    """
    said: dict[Key, bool | None] = {}
    joins: dict[Key, Added] = {}
    fuzzy: dict[Key, Fuzzy] = {}
    for number, row in read_jsonl(path):
        where = f"{path}, line {number}"
        kind = KINDS.get(str(row.get("kind"))) if isinstance(row, dict) else None
        if kind is None:
            raise InputError(f"{where}: no relation", expected=f'"kind": one of {", ".join(KINDS)}')
        names = {name: row.get(name) for name in Added.model_fields if name in row}
        bare = kind is Join and set(row) <= {*Added.model_fields, "kind"}
        relation: Relation | Added = Added.from_json(names, where) if bare else kind.from_json(row, where)
        key = key_of(relation)
        if key in said and said[key] is not relation.accepted and None not in (said[key], relation.accepted):
            raise InputError(f"{where}: contradicts an earlier line", found=" ".join(key))
        said[key] = relation.accepted if said.get(key) is None else said[key]
        if isinstance(relation, Fuzzy):
            fuzzy[key] = relation.model_copy(update={"accepted": said[key]})
        if kind is Join:
            joins[key] = Added.from_json({**names, "accepted": said[key]}, where)
    return Review(said, joins, fuzzy)


def honoured(tables: Sequence[Table], found: Iterable[Relation], review: Review) -> tuple[Relation, ...]:
    """What was found with what reviewers said of it; then joins that they accepted and that were not found, measured.

    Fuzzy relations that they accepted stay as they were measured, where their columns are still there.
    Raises InputError for an accepted join of tables or columns that are not there, or hold nothing that joins.
    """
    kept = tuple(each.model_copy(update={"accepted": review.said.get(key_of(each), each.accepted)}) for each in found)
    there = {key_of(each) for each in kept}
    missing = (each for key, each in review.joins.items() if key not in there and each.accepted)
    columns = {(table.name, column) for table in tables for column in table.columns}
    fuzzy = (each for key, each in review.fuzzy.items() if key not in there and each.accepted)
    still = (each for each in fuzzy if {(each.left, each.left_column), (each.right, each.right_column)} <= columns)
    return (*kept, *(_measured(tables, each) for each in missing), *still)


def usable(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """The relations that nobody refused."""
    return tuple(each for each in relations if each.accepted is not False)


def key_of(relation: Relation | Added) -> Key:
    """What tells a relation from others: its kind, files and columns, whichever of the two stands first."""
    kind = "join" if isinstance(relation, Added) else relation.kind
    sides = [
        (relation.left, getattr(relation, "left_column", "")),
        (relation.right, getattr(relation, "right_column", "")),
    ]
    return (kind, *(part for side in sorted(sides) for part in side))


def _measured(tables: Sequence[Table], added: Added) -> Join:
    sets: list[Any] = []
    for name, column in ((added.left, added.left_column), (added.right, added.right_column)):
        table = next((table for table in tables if table.name == name), None)
        if table is None or column not in table.columns:
            known = ", ".join(table.columns) if table else ", ".join(sorted(each.name for each in tables))
            raise InputError(
                f"a join that was accepted cannot be: no {'column' if table else 'table'} {column if table else name}",
                expected=f"one of {known[:500]}",
            )
        values = table.columns[column].found()
        if values is None:
            raise InputError(
                f"a join that was accepted cannot be: {name}: {column}",
                found="fractions, one value, or values of several types",
                expected="whole numbers, text or dates",
            )
        sets.append(values)
    return join_of(sets[0], sets[1]).model_copy(update={"accepted": True})


def _is_below(key: Key, lead: str) -> bool:
    return all(name.startswith(lead) for name in (key[1], key[3]))


def _below(key: Key, lead: str) -> Key:
    return (key[0], key[1][len(lead) :], key[2], key[3][len(lead) :], key[4])
