"""How easily the files of a room are taken for each other: files near one another, and an index from 0 to 1."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import prod
from statistics import fmean
from typing import TYPE_CHECKING, Literal

from benchwright.files import Record
from benchwright.generation.rooms.likeness import Contents, shares_of_sets, stem_words
from benchwright.profiles.relations import Join, Repeat

if TYPE_CHECKING:
    from benchwright.generation.rooms.likeness import Matrix

NEAR = 0.5
"""Files that are less near than that are not taken for each other."""

_TOLD = 10
_Near = tuple[int, float, str]
"""The place of a near file, how near it is, and by what."""


class NearFile(Record):
    """Another file, how near it is, from `NEAR` to 1, and by what: its name, its columns' names, or its values."""

    path: str
    nearness: float
    by: Literal["name", "schema", "values"]


class FileConfusion(Record):
    """How easily one file is missed.

    `near` counts files of the room that are near it, of which `nearest` are the first ten; files with the same content
    are as good as the file itself, and never near. `joining`: the share of the room's other tables that have a column
    that joins with one of this. `index` = S / (1 + S), where S is the sum of nearness over the near files: the
    probability to take a wrong file, if one picks among the file (1) and those near it in proportion to nearness.
    """

    path: str
    near: int = 0
    nearest: tuple[NearFile, ...] = ()
    joining: float = 0.0
    index: float = 0.0


class RoomConfusion(Record):
    """A room: its files, those that are tables, and means over its tables (over all files, where none is a table)."""

    room: str
    files: int
    tables: int
    index: float
    near: float
    joining: float


class TaskConfusion(Record):
    """A task: `index` is the probability to take at least one wrong file, if each required one is picked by itself.

    `near` counts files near a required one that are not required, `joining` is the share of other tables that join with
    a required one.
    """

    task: str
    required: int
    near: int
    joining: float
    index: float


class Confusions:
    """The files of one room held against each other; `paths` are keys of the contents."""

    def __init__(self, paths: Sequence[str], contents: Contents) -> None:
        self.paths = list(paths)
        self._place = {path: place for place, path in enumerate(self.paths)}
        self._by_kind = _nearness(self.paths, contents)
        self._joined = _joined(self.paths, contents)
        self._tables = {path for path in self.paths if contents.columns(path)}
        # Copies of one file have one content; what is not known is like no other.
        known = (contents.entries.get(path) for path in self.paths)
        self._content = [entry.sha256 or path if entry else path for path, entry in zip(self.paths, known, strict=True)]

    def files(self) -> tuple[FileConfusion, ...]:
        """Every file among the others, in their order."""
        return tuple(map(self._file, self.paths))

    def room(self, name: str, files: Sequence[FileConfusion]) -> RoomConfusion:
        """What `files()` say together."""
        counted = [each for each in files if each.path in self._tables] or list(files)
        return RoomConfusion(
            room=name,
            files=len(files),
            tables=len(self._tables),
            index=fmean(each.index for each in counted) if counted else 0.0,
            near=fmean(each.near for each in counted) if counted else 0.0,
            joining=fmean(each.joining for each in counted) if counted else 0.0,
        )

    def task(self, task: str, required: Iterable[str]) -> TaskConfusion:
        """How easily the required files of a task are missed; one required file is never taken for another."""
        wanted = [path for path in dict.fromkeys(required) if path in self._place]
        near = [[each for each in self._near(path) if self.paths[each[0]] not in wanted] for path in wanted]
        tables = self._tables.difference(wanted)
        reached = frozenset[str]().union(*(self._joined[path] for path in wanted)) & tables
        return TaskConfusion(
            task=task,
            required=len(wanted),
            near=len({other for each in near for other, _, _ in each}),
            joining=len(reached) / len(tables) if tables else 0.0,
            index=1 - prod(1 - _index(each) for each in near),
        )

    def _file(self, path: str) -> FileConfusion:
        near = self._near(path)
        others = len(self._tables.difference((path,)))
        return FileConfusion(
            path=path,
            near=len(near),
            nearest=tuple(
                NearFile.model_validate({"path": self.paths[other], "nearness": round(nearness, 4), "by": kind})
                for other, nearness, kind in near[:_TOLD]
            ),
            joining=len(self._joined[path]) / others if others else 0.0,
            index=_index(near),
        )

    def _near(self, path: str) -> list[_Near]:
        """The near files, the nearest first."""
        place = self._place[path]
        found: dict[int, tuple[float, str]] = {}
        for kind, matrix in self._by_kind.items():
            row = matrix[place]
            for other in (row >= NEAR).nonzero()[0].tolist():
                if self._content[other] != self._content[place]:
                    found[other] = max(found.get(other, (0.0, "")), (float(row[other]), kind))
        return sorted(((other, *each) for other, each in found.items()), key=lambda each: (-each[1], each[0]))


def _index(near: Iterable[_Near]) -> float:
    total = sum(nearness for _, nearness, _ in near)
    return total / (1 + total)


def _nearness(paths: Sequence[str], contents: Contents) -> dict[str, Matrix]:
    """How near each file is to each, by name, by columns' names, and by values (the row's in the column's)."""
    import numpy as np

    values = np.zeros((len(paths), len(paths)))
    place = {path: number for number, path in enumerate(paths)}
    shared: dict[tuple[str, str], set[str]] = defaultdict(set)
    for relation in contents.relations:
        if not isinstance(relation, Join | Repeat) or relation.left not in place or relation.right not in place:
            continue
        left, right = relation.left, relation.right
        if isinstance(relation, Repeat):
            values[place[left], place[right]] = relation.left_in_right
            values[place[right], place[left]] = relation.right_in_left
        elif relation.accepted is not False:
            shared[left, right].add(relation.left_column)
            shared[right, left].add(relation.right_column)
    for (one, other), columns in shared.items():
        of = len(contents.columns(one))
        share = len(columns) / of if of else 0.0
        values[place[one], place[other]] = max(values[place[one], place[other]], min(1.0, share))
    return {
        "name": shares_of_sets([stem_words(path) for path in paths]),
        "schema": shares_of_sets([contents.columns(path) for path in paths]),
        "values": values,
    }


def _joined(paths: Iterable[str], contents: Contents) -> dict[str, set[str]]:
    """The files whose tables join with each file's."""
    inside = set(paths)
    joined: dict[str, set[str]] = {path: set() for path in inside}
    for relation in contents.relations:
        if isinstance(relation, Join) and relation.accepted is not False and {relation.left, relation.right} <= inside:
            joined[relation.left].add(relation.right)
            joined[relation.right].add(relation.left)
    return joined
