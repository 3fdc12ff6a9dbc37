"""The tables of a room as templates use them: columns by what they can do, and code that reads a table whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchwright.generation.templates.meanings import adds_up, meaning, nearly_the_same
from benchwright.generation.templates.readers import reader, stated_names
from benchwright.generation.templates.wording import plain, single, subject
from benchwright.generation.workflow import Material
from benchwright.profiles.base import Column
from benchwright.profiles.entries import FileProfile, Table
from benchwright.profiles.relations import Repeat

LEAST_ROWS = 20
MOST_ROWS = 120_000
MOST_COLUMNS = 80

_NULL_LIKE = frozenset(("na", "n/a", "nan", "null", "none", "nil", "missing", "unknown", "", "-", "?", "true", "false"))
_STALE = re.compile(
    r"(?i)(?:^|[\W_])(?:copy|draft|backup|old|sample|part|partial|preliminary|superseded|test|v\d+|only)(?:$|[\W_])"
)
_PUT_AWAY = re.compile(r"(?i)(?:^|/)(?:old|archive|previous|superseded|backup|drafts?|other_source)/")


@dataclass(frozen=True, slots=True)
class Field:
    """One column that a template may name. `q` is its name as a Python literal: whatever it holds, it stays data."""

    column: Column

    @property
    def name(self) -> str:
        """The name as it stands in the file; questions may show it."""
        return self.column.name

    @property
    def q(self) -> str:
        """The name as code."""
        return repr(self.column.name)

    @property
    def shown(self) -> str:
        """The name as it stands in questions."""
        return f"'{self.column.name}'"

    @property
    def decimals(self) -> int:
        """Decimals that tell means of this column apart: fewer for large numbers."""
        numbers = self.column.numbers
        size = max(abs(numbers.q25), abs(numbers.q75), (numbers.max - numbers.min) / 10) if numbers else 1.0
        return 1 if size >= 10_000 else 2 if size >= 10 else 3 if size >= 0.5 else 5

    @property
    def levels(self) -> tuple[tuple[object, int], ...]:
        """Value counts, commonest first; empty where they were not kept."""
        return self.column.counts or ()


@dataclass(frozen=True)
class Source:
    """One table of one file: what it is about, how it is read, and its columns by what they can do."""

    path: str
    profile: FileProfile
    table: Table
    several: bool
    rows: int

    @cached_property
    def about(self) -> str:
        """The words of its name."""
        return subject(self.path, self.table.name if self.several else "")

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The columns that may be named in a question: harmless names that no other column of the table is like."""
        told = stated_names(self.profile, self.table)
        alike = Counter(name.strip().casefold() for name in told)
        return tuple(
            Field(column)
            for column, name in zip(self.table.columns, told, strict=True)
            if plain(column.name) and len(column.name) >= 2 and name and alike[name.strip().casefold()] == 1
        )

    @cached_property
    def measures(self) -> tuple[Field, ...]:
        """Columns of measured numbers (see `meanings`), of columns that are copies of each other the first."""
        found: list[Field] = []
        for field in self.fields:
            measured = meaning(field.column, self.rows).kind == "measure" and field.column.nulls <= 0.4 * self.rows
            if measured and not any(nearly_the_same(field.column, other.column) for other in found):
                found.append(field)
        return tuple(found)

    @cached_property
    def complete_measures(self) -> tuple[Field, ...]:
        """Measures without missing values."""
        return tuple(field for field in self.measures if not field.column.nulls)

    @cached_property
    def totals(self) -> tuple[Field, ...]:
        """Measures of which a sum says something: amounts and counts, none below 0."""
        return tuple(
            field
            for field in self.measures
            if field.column.numbers is not None and adds_up(field.name, field.column.numbers)
        )

    @cached_property
    def complete_totals(self) -> tuple[Field, ...]:
        """Such measures without missing values."""
        return tuple(field for field in self.totals if not field.column.nulls)

    @cached_property
    def groups(self) -> tuple[Field, ...]:
        """Columns of 2 to 20 names, each at least five times and harmless to show."""
        return tuple(field for field in self.fields if self._groups(field, 2, 20, 5))

    def _groups(self, field: Field, least: int, most: int, often: int) -> bool:
        column, levels = field.column, field.levels
        return (
            column.kind == "text"
            and least <= column.distinct <= most
            and len(levels) == column.distinct
            and min(count for _, count in levels) >= often
            and all(single(value) and str(value).casefold() not in _NULL_LIKE for value, _ in levels)
            and len({str(value).casefold().strip() for value, _ in levels}) == len(levels)
            and column.text_dates is None
        )

    @cached_property
    def labels(self) -> tuple[Field, ...]:
        """Columns of 8 and more names that come again and again, shown or not."""
        return tuple(field for field in self.fields if self._labels(field.column))

    def _labels(self, column: Column) -> bool:
        names = [value for value, _ in column.counts or ()]
        return (
            column.kind == "text"
            and 8 <= column.distinct <= 1000
            and column.distinct * 2 <= self.rows
            and not column.text_dates
            and bool(names)
            and all(single(value) and str(value).casefold() not in _NULL_LIKE for value in names)
        )

    @cached_property
    def names(self) -> tuple[Field, ...]:
        """Columns that name each row, harmless to show."""
        return tuple(
            field
            for field in self.fields
            if field.column.kind == "text"
            and field.column.distinct == self.rows
            and field.column.distinct_exact
            and field.column.text_dates is None
            and not field.column.nulls
            and all(single(value) for value in (*field.column.first, *(value for value, _ in field.levels)))
        )

    @cached_property
    def dates(self) -> tuple[Field, ...]:
        """Columns of dates: real ones, or texts that one format alone reads."""
        return tuple(field for field in self.fields if self._dates(field.column))

    def _dates(self, column: Column) -> bool:
        texts = column.text_dates
        if column.kind == "datetime":
            return not column.nulls and column.dates is not None
        if texts is None or texts.ambiguous or not texts.read == texts.of == self.rows:
            return False
        return all(re.search(r"\d{4}", str(value)) for value in column.first)

    @cached_property
    def years(self) -> tuple[Field, ...]:
        """Columns of whole years."""
        return tuple(field for field in self.fields if _years(field.column))

    def date_code(self, field: Field, frame: str) -> str:
        """Code for the dates of a column."""
        texts = field.column.text_dates
        if texts and texts.format.endswith("Z"):
            return f"pd.to_datetime({frame}[{field.q}], format='ISO8601').dt.tz_localize(None)"
        form = f", format={texts.format.replace('%.f', '.%f')!r}" if texts else ""
        return f"pd.to_datetime({frame}[{field.q}]{form})"

    def __str__(self) -> str:
        return f"{self.path}:{self.table.name}"

    @property
    def literal(self) -> str:
        """Its path in the sandbox, as code."""
        return repr(f"/data/{self.path}")

    @cached_property
    def reader(self) -> str:
        """An expression that reads the whole table with pandas; empty where templates cannot."""
        return reader(self.path, self.profile, self.table)

    def read(self, **options: str) -> str:
        """The reader with further arguments, given as code."""
        return self.reader[:-1] + "".join(f", {name}={value}" for name, value in options.items()) + ")"

    @property
    def has_rows(self) -> str:
        """How questions name it."""
        return f"the data on {self.about} ({self.rows:,} rows)"


def _years(column: Column) -> bool:
    numbers = column.numbers
    return (
        column.kind == "integer"
        and re.search(r"(?i)(?:^|[\W_])(?:year|yr|season)(?:$|[\W_])", column.name) is not None
        and numbers is not None
        and not column.nulls
        and 1500 <= numbers.min < numbers.max <= 2100
    )


def sources_of(material: Material) -> tuple[Source, ...]:
    """The tables that templates can ask about: readable, named, of some size, no extract of another, unmistakable."""
    stale = _extracts(material)
    found = [source for profile in material.profiles for source in _sources(profile) if profile.path not in stale]
    twins = Counter((source.about, source.rows) for source in found)
    by = {source.about: source for source in found}
    return tuple(source for source in found if twins[source.about, source.rows] == 1 and not _dated(source, by))


def _dated(source: Source, by: Mapping[str, Source]) -> bool:
    """Whether another table has its name but for a number at the end, more rows, and most of its columns."""
    whole = by.get(re.sub(r"(?: \d+)+$", "", source.about))
    if whole is None or whole is source or whole.rows <= source.rows:
        return False
    own = {column.name for column in source.table.columns}
    return 2 * len(own & {column.name for column in whole.table.columns}) >= len(own)


def _sources(profile: FileProfile) -> Iterator[Source]:
    tables = profile.inner[0].tables if len(profile.inner) == 1 else profile.tables
    for table in tables:
        names = [column.name for column in table.columns]
        fits = LEAST_ROWS <= table.rows.value <= MOST_ROWS and table.rows.exact and 2 <= len(names) <= MOST_COLUMNS
        source = Source(profile.path, profile, table, len(tables) > 1, table.rows.value)
        if fits and len(set(names)) == len(names) and source.about and source.reader and not profile.error:
            yield source


def _extracts(material: Material) -> set[str]:
    """Files that an other one holds nearly whole, and files whose names say that they are no originals."""
    found = {
        profile.path
        for profile in material.profiles
        if _STALE.search(profile.path.rpartition("/")[2]) or _PUT_AWAY.search(profile.path)
    }
    for relation in material.relations:
        if isinstance(relation, Repeat):
            found.add(relation.left if relation.left_in_right >= relation.right_in_left else relation.right)
    return found


def lookalike(source: Source, others: Sequence[Source], used: Sequence[str]) -> bool:
    """Whether another table has the same number of rows and all used columns, so that a reader could take it."""
    return any(
        other is not source and other.rows == source.rows and set(used) <= {c.name for c in other.table.columns}
        for other in others
    )
