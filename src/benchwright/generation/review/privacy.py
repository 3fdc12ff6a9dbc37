"""Personal data and secrets in a task: in what is asked, in its gold, and in the rows that a page shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from benchwright.files import Record
from benchwright.profiles.base import Column
from benchwright.profiles.entries import FileProfile, Table
from benchwright.proving.lint.base import Case
from benchwright.proving.privacy.detectors import masked, matches

_NAME_COLUMN = re.compile(
    r"(?ix)^(?:(?:first|last|middle|given|family|full|maiden|nick)[\s_.-]*name|surname|forename"
    r"|(?:patient|customer|client|employee|student|person|contact|teacher|doctor|user|applicant|member|owner)"
    r"[\s_.-]*(?:full[\s_.-]*)?name|name[\s_.-]*of[\s_.-]*(?:patient|customer|client|employee|student|person))$"
)
_PERSON = re.compile(r"[^\W\d_][\w'’.-]*(?:[ ,]+[^\W\d_][\w'’.-]*){0,3}")
_LEAST_NAMES = 5
_MOSTLY = 0.8


class Private(Record):
    """What was found at one place of a task; `first` is masked."""

    place: str
    kind: str
    count: int
    first: str


def private(case: Case, code: str = "", files: Iterable[FileProfile] = ()) -> tuple[Private, ...]:
    """All that was found in the task's texts, its solution, and the sampled rows and columns of its files."""
    texts = {
        "question": case.task.question,
        "guidelines": case.task.guidelines,
        **{f"variant {name}": text for name, text in case.task.variants.items()},
        "gold": "\n".join((case.answer, *case.gold.alternatives)),
        "solution": code or (case.gold.solution.code if case.gold.solution else ""),
    }
    found = [*_in_texts(texts)]
    for entry in files:
        found.extend(_in_file(entry))
    return tuple(found)


def _in_texts(texts: Mapping[str, str]) -> Iterator[Private]:
    for place, text in texts.items():
        counts: dict[str, int] = {}
        first: dict[str, str] = {}
        for match in matches(text):
            counts[match.kind] = counts.get(match.kind, 0) + 1
            first.setdefault(match.kind, masked(match.text))
        yield from (Private(place=place, kind=kind, count=count, first=first[kind]) for kind, count in counts.items())


def _in_file(entry: FileProfile) -> Iterator[Private]:
    for table in entry.all_tables:
        place = f"{entry.path}{f' ({table.name})' if table.name else ''}"
        shown = "\n".join(str(cell) for row in table.sample for cell in row.values() if isinstance(cell, str))
        values = "\n".join(str(value) for column in table.columns for value in _values(column))
        yield from _in_texts({place: f"{shown}\n{values}"})
        yield from _people(place, table)


def _people(place: str, table: Table) -> Iterator[Private]:
    """Columns that are called as columns of people's names are, and whose values look like names."""
    for column in table.columns:
        values = [str(value).strip() for value in _values(column)]
        named = [value for value in values if _PERSON.fullmatch(value) and value[:1].isupper()]
        enough = len(named) >= _MOSTLY * len(values) and column.distinct >= _LEAST_NAMES
        if column.kind == "text" and _NAME_COLUMN.match(column.name.strip()) and values and enough:
            told = f"{column.name.strip()[:40]}: {named[0][:1]}***"
            yield Private(place=place, kind="person-names", count=column.distinct, first=told)


def _values(column: Column) -> tuple[object, ...]:
    return (*column.first, *(value for value, _ in (column.counts or ())))
