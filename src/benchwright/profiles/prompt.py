"""What a model is told of a folder: short, families as one line, and nothing of the data that could pass for more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from benchwright.profiles.base import Column
from benchwright.profiles.entries import Count, FileProfile, Table
from benchwright.profiles.families import FileFamily, column_families, file_families

MOST_CHARACTERS = 12_000
"""What a prompt holds of a folder; more than that is told with less detail, and in the end left out and counted."""

_NAME, _VALUE = 80, 40
_VALUES = 3
_COLUMNS = 80
_Line = Callable[[Column], str]


def as_prompt(entries: Iterable[FileProfile], most: int = MOST_CHARACTERS, *, sample: bool = True) -> str:
    """The files as lines of text, of at most `most` characters.

    Names and values stand in quotes, cut, with control characters escaped: none can begin a line. Put the whole
    between fences all the same. Without `sample` no value of the data is told.
    """
    told = file_families(entries)
    describers: list[_Line | None] = [
        partial(_described, sample=sample),
        partial(_described, sample=False),
        _named,
        None,
    ]
    for describe in describers:
        lines = list(_lines(told, describe))
        if sum(len(line) + 1 for line in lines) <= most:
            return "\n".join(lines)
    return _cut(lines, most)


def _cut(lines: Sequence[str], most: int) -> str:
    kept: list[str] = []
    left = most - 40
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join([*kept, f"[{len(lines) - len(kept):,} more lines left out]"])


def quoted(text: str, most: int = _NAME) -> str:
    """Text of others in quotes: cut, on one line, and without a character that does not show."""
    shown = text if len(text) <= most else f"{text[: most - 3]}..."
    escaped = shown.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in escaped) + '"'


def _lines(told: Sequence[FileProfile | FileFamily], describe: _Line | None) -> Iterator[str]:
    for each in told:
        entry = each.files[0] if isinstance(each, FileFamily) else each
        yield f"{_family(each)}" if isinstance(each, FileFamily) else _file(each)
        if describe is None:
            continue
        for table in entry.tables:
            yield from _table(table, describe, named=len(entry.tables) > 1 or bool(table.name))
        yield from (f"  holds {_file(inner)}" for inner in entry.inner)
        for inner in entry.inner:
            for table in inner.tables:
                yield from _table(table, describe, named=bool(table.name))


def _file(entry: FileProfile) -> str:
    parts = [f"{quoted(entry.path, 200)}: {entry.format}", f"{entry.bytes:,} bytes"]
    if entry.rows is not None:
        parts.append(f"{_count(entry.rows)} rows")
    if entry.format == "unknown":
        parts.append(f"begins with {entry.magic}")
    if entry.error:
        parts.append(f"cannot be read: {quoted(entry.error)}")
    return ", ".join(parts)


def _family(family: FileFamily) -> str:
    first, last = family.files[0], family.files[-1]
    rows = f", {_count(family.rows)} rows in all" if family.rows is not None else ""
    alike = ", all with these columns (values are those of the first)" if first.tables else ""
    ends = f"{quoted(first.path, 200)} to {quoted(last.path, 200)}"
    return f"{quoted(family.pattern, 200)}: {len(family.files):,} files of {first.format} ({ends}){rows}{alike}"


def _count(count: Count) -> str:
    return f"{count.value:,}" if count.exact else f"about {count.value:,}"


def _table(table: Table, describe: _Line, *, named: bool) -> Iterator[str]:
    if named:
        yield f"  table {quoted(table.name)}: {_count(table.rows)} rows"
    alone, families = column_families(table.columns)
    shown = [*map(describe, alone[:_COLUMNS])]
    if len(alone) > _COLUMNS:
        shown.append(f"[{len(alone) - _COLUMNS:,} more columns]")
    for family in families:
        kinds = "/".join(sorted({column.kind for column in family.columns}))
        first, last = family.columns[0].name, family.columns[-1].name
        pattern = quoted(family.pattern)
        shown.append(f"{pattern} ({len(family.columns):,} columns, {quoted(first)} to {quoted(last)}) {kinds}")
    yield from (f"  - {line}" for line in shown) if describe is not _named else ("  " + ", ".join(shown),)


def _named(column: Column) -> str:
    return f"{quoted(column.name)} {column.kind}"


def _described(column: Column, *, sample: bool) -> str:
    parts = [_named(column)]
    if column.nulls:
        parts.append(f"{column.nulls:,} missing")
    if column.kind != "nested":
        parts.append(f"{'' if column.distinct_exact else 'about '}{column.distinct:,} different")
    if sample:
        parts.append(_content(column))
    return ", ".join(filter(None, parts))


def _content(column: Column) -> str:
    if column.numbers is not None:
        return f"{column.numbers.min:g} to {column.numbers.max:g}"
    if column.dates is not None:
        return f"{column.dates.start} to {column.dates.end}"
    values = [value for value, _ in column.counts] if column.counts else list(column.first)
    shown = ", ".join(quoted(str(value), _VALUE) for value in values[:_VALUES])
    dates = f"dates as text {quoted(column.text_dates.format)}, " if column.text_dates else ""
    return f"{dates}such as {shown}" if shown else dates.rstrip(", ")
