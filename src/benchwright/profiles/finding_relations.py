"""How relations are found: every table is read once, batch by batch, and its columns are held against all others'."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from benchwright.errors import InputError
from benchwright.profiles.batches import READERS, batches
from benchwright.profiles.delimited_rows import LaterRowsDiffer
from benchwright.profiles.distinct import Distinct
from benchwright.profiles.relations import Join, Overlap, Relation, Repeat, UnitGap
from benchwright.profiles.text_dates import format_of
from benchwright.profiles.units import Unit, unit_of
from benchwright.profiles.value_sets import Gathering, ValueSet, meeting

if TYPE_CHECKING:
    import polars as pl

LEAST_SHARE = 0.5
"""A column whose values the other has to a lower share is no candidate."""

_KEY = 0.95
_UNLIKE = 0.001
_FEW = 5
"""Columns with fewer different values join only where values of one of the two are keys."""

_ALIKE = 0.5
_SAME_ROWS = 0.5
_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


class Table:
    """What relations are found from: one table's columns, taken in batch by batch."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.columns: dict[str, Gathering] = {}
        self.numeric: set[str] = set()
        self.rows = Distinct()
        self.days: dict[str, set[int]] = {}
        self._formats: dict[str, str | None] = {}

    def add(self, frame: pl.DataFrame) -> None:
        """Take in the next rows."""
        for series in frame:
            self.columns.setdefault(series.name, Gathering(self.name, series.name)).add(series)
            if series.dtype.is_numeric():
                self.numeric.add(series.name)
            self._take_days(series)
        self.rows.add(_row_texts(frame))

    def value_sets(self) -> list[ValueSet]:
        """The columns that may join."""
        return [values for column in self.columns.values() if (values := column.found()) is not None]

    def _take_days(self, series: pl.Series) -> None:
        import polars as pl

        if series.dtype == pl.String:
            form = self._formats.setdefault(series.name, format_of(series.drop_nulls()))
            series = series.str.to_datetime(form, strict=False) if form else series
        if series.dtype in (pl.Date, pl.Datetime):
            days = series.drop_nulls().cast(pl.Date).to_physical().unique()
            self.days.setdefault(series.name, set()).update(days.to_list())


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of files, and by path what is wrong with those that could not be read."""

    read: tuple[Table, ...]
    unread: Mapping[str, str]


def read_tables(paths: Iterable[Path], only: Collection[str] | None = None) -> Tables:
    """The tables of these files, and of those in these folders, by their paths; what is no table is passed over.

    Links in folders are not followed. With `only`, files of folders whose paths below them are not in it are left out.
    Raises InputError for a path that is not there, and for a file that was named and cannot be read.
    """
    read: list[Table] = []
    unread: dict[str, str] = {}
    for root in paths:
        if not root.exists():
            raise InputError(f"no such file or folder: {root}")
        if not root.is_dir():
            read.append(_table(root, root.name))
            continue
        for path in sorted(path for path in root.rglob("*") if _may_be_table(path)):
            name = path.relative_to(root).as_posix()
            if only is not None and name not in only:
                continue
            try:
                read.append(_table(path, name))
            except InputError as error:
                unread[name] = str(error)
    return Tables(tuple(read), unread)


def _may_be_table(path: Path) -> bool:
    return path.suffix.lower() in READERS and path.is_file() and not path.is_symlink()


def _table(path: Path, name: str) -> Table:
    for thorough in (False, True):
        table = Table(name)
        try:
            with ExitStack() as held:
                for batch in batches(path, thorough=thorough, held=held):
                    table.add(batch)
        except LaterRowsDiffer:
            continue
        return table
    raise InputError(f"{path} cannot be read")


def find_relations(tables: Sequence[Table]) -> tuple[Relation, ...]:
    """All relations between different tables: joins with the best score first, then repeats, units and times.

    Tables that repeat each other's rows are told as such, and not as joins of all their columns.
    """
    repeats = _repeats(tables)
    copies = {frozenset((repeat.left, repeat.right)) for repeat in repeats}
    joins = (join for join in _joins(tables) if frozenset((join.left, join.right)) not in copies)
    return (*joins, *repeats, *_unit_gaps(tables), *_overlaps(tables))


def _joins(tables: Sequence[Table]) -> list[Join]:
    sets = [values for table in tables for values in table.value_sets()]
    ordered = sorted(sets, key=lambda values: (values.distinct, values.table, values.column))
    joins = [join for few, many in meeting(ordered) if (join := _join(few, many)) is not None]
    return sorted(joins, key=lambda join: (-join.score, -join.names, join.left, join.left_column, join.right))


def _join(few: ValueSet, many: ValueSet) -> Join | None:
    """The smaller set in the larger: the other way the share cannot be higher."""
    if few.table == many.table or few.kind != many.kind:
        return None
    keyed = max(few.uniqueness, many.uniqueness) >= _KEY
    if not (keyed or few.distinct >= _FEW):
        return None
    if few.kind == "integer" and not (keyed or _share_a_word(few, many)):
        return None  # counts and amounts of whatever kind share their numbers
    contained = few.share_in(many)
    if contained is None or contained < LEAST_SHARE:
        return None
    join = join_of(few, many)
    return join if join.score >= LEAST_SHARE else None


def join_of(few: ValueSet, many: ValueSet) -> Join:
    """Two columns held against each other, whatever comes of it."""
    contained = few.share_in(many) or 0.0
    names, chance = name_likeness(few, many), _by_chance(few, many, contained)
    before = _ALIKE * _UNLIKE ** (1 - names)
    score = contained * before / (before + chance * (1 - before))
    return Join(
        left=few.table,
        left_column=few.column,
        right=many.table,
        right_column=many.column,
        values=few.kind,
        contained=contained,
        chance=chance,
        names=names,
        score=score,
        shape=_SHAPES[few.uniqueness >= _KEY, many.uniqueness >= _KEY],
        exact=few.exact and many.exact,
    )


def _by_chance(few: ValueSet, many: ValueSet, contained: float) -> float:
    density = few.chance_in(many)
    if not density:
        return 0.0
    from scipy.special import bdtrc  # scipy.stats would take a second to import

    common = round(contained * few.distinct)
    return float(bdtrc(common - 1, few.distinct, min(1.0, density))) if common else 1.0


_SHAPES: Mapping[tuple[bool, bool], Literal["one to one", "many to one", "one to many", "many to many"]] = {
    (True, True): "one to one",
    (False, True): "many to one",
    (True, False): "one to many",
    (False, False): "many to many",
}


def name_likeness(left: ValueSet, right: ValueSet) -> float:
    """Words that two columns' names share over all their words; `id` of `customers` is also `customer id`."""
    ours, theirs = _words(left.column), _words(right.column)
    full = (ours | _table_words(left.table), theirs | _table_words(right.table))
    return max(_jaccard(ours, theirs), _jaccard(full[0], theirs), _jaccard(ours, full[1]))


def _share_a_word(left: ValueSet, right: ValueSet) -> bool:
    """Whether names are alike at all, at a fraction of the cost: most pairs of columns are turned away by it."""
    ours, theirs = _words(left.column), _words(right.column)
    strange = ours.isdisjoint(theirs) and theirs.isdisjoint(_table_words(left.table))
    return not (strange and ours.isdisjoint(_table_words(right.table)))


@lru_cache(maxsize=1 << 16)
def _words(name: str) -> frozenset[str]:
    return frozenset(word.lower().removesuffix("s") or word.lower() for word in _TOKEN.findall(name))


@lru_cache(maxsize=1 << 14)
def _table_words(table: str) -> frozenset[str]:
    return _words(Path(table).stem)


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right) if left | right else 0.0


def _row_texts(frame: pl.DataFrame) -> pl.Series:
    """Each row as one text, whatever the order of the columns."""
    import polars as pl

    texts = {name: pl.col(name).hash() if dtype.is_nested() else pl.col(name) for name, dtype in frame.schema.items()}
    parts = [texts[name].cast(pl.String, strict=False).fill_null("\0") for name in sorted(texts)]
    return frame.select(pl.concat_str(parts, separator="\x1f").alias("row")).to_series() if parts else pl.Series([""])


def _repeats(tables: Sequence[Table]) -> list[Repeat]:
    found = []
    alike: dict[frozenset[str], list[Table]] = {}
    for table in tables:
        alike.setdefault(frozenset(table.columns), []).append(table)
    for left, right in (pair for group in alike.values() for pair in combinations(group, 2)):
        rows = [ValueSet(t.name, "", "text", 1, t.rows.count(), t.rows.exact, t.rows.hashes) for t in (left, right)]
        there, back = rows[0].share_in(rows[1]), rows[1].share_in(rows[0])
        if max(there or 0.0, back or 0.0) >= _SAME_ROWS:
            exact = rows[0].exact and rows[1].exact
            found.append(
                Repeat(
                    left=left.name, right=right.name, left_in_right=there or 0.0, right_in_left=back or 0.0, exact=exact
                )
            )
    return sorted(found, key=lambda repeat: -max(repeat.left_in_right, repeat.right_in_left))


def _unit_gaps(tables: Sequence[Table]) -> Iterator[UnitGap]:
    columns = [(table, name, unit) for table in tables for name in sorted(table.numeric) if (unit := unit_of(name))]
    for (left, left_name, ours), (right, right_name, theirs) in combinations(columns, 2):
        if left.name != right.name and _differ(ours, theirs):
            yield UnitGap(
                left=left.name,
                left_column=left_name,
                left_unit=ours.name,
                right=right.name,
                right_column=right_name,
                right_unit=theirs.name,
            )


def _differ(ours: Unit, theirs: Unit) -> bool:
    return ours.of == theirs.of and ours.quantity == theirs.quantity and ours.name != theirs.name


def _overlaps(tables: Sequence[Table]) -> Iterator[Overlap]:
    from datetime import date, timedelta

    first = date(1970, 1, 1)
    columns = [(table, name, sorted(days)) for table in tables for name, days in table.days.items() if len(days) > 1]
    for (left, left_name, ours), (right, right_name, theirs) in combinations(columns, 2):
        start, end = max(ours[0], theirs[0]), min(ours[-1], theirs[-1])
        if left.name != right.name and start <= end:
            yield Overlap(
                left=left.name,
                left_column=left_name,
                left_step=_step(ours),
                right=right.name,
                right_column=right_name,
                right_step=_step(theirs),
                start=str(first + timedelta(days=start)),
                end=str(first + timedelta(days=end)),
            )


def _step(days: Sequence[int]) -> float:
    from statistics import median

    return float(median(later - earlier for earlier, later in pairwise(days)))
