"""A page about a folder for people: one HTML file that works offline, without a script."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.profiles.base import Column
from benchwright.profiles.entries import Count, FileProfile
from benchwright.profiles.families import FileFamily, file_families

if TYPE_CHECKING:
    from jinja2 import Template

_COLUMNS = 200


def as_page(entries: Iterable[FileProfile], title: str) -> str:
    """The files as HTML, families as one; everything of the data is escaped."""
    told = file_families(entries)
    return _template().render(title=title, told=told, most=_COLUMNS)


@cache
def _template() -> Template:
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    environment.filters["visible"] = _visible
    environment.filters["count"] = _count
    environment.filters["content"] = _content
    environment.tests["family"] = lambda each: isinstance(each, FileFamily)
    return environment.from_string((Path(__file__).parent / "page.html.j2").read_text(encoding="utf-8"))


def _visible(value: Any) -> str:
    """A value as text in which nothing is hidden: control characters and marks of direction are written out."""
    text = "" if value is None else str(value)
    return "".join(char if char.isprintable() or char == "\n" else f"\\u{ord(char):04x}" for char in text)


def _count(count: Count | None) -> str:
    return "" if count is None else f"{'' if count.exact else 'about '}{count.value:,}"


def _content(column: Column) -> str:
    if column.numbers is not None:
        told = column.numbers
        about = "" if told.exact else "about "
        return f"{told.min:g} to {told.max:g}, mean {told.mean:.4g}, median {about}{told.median:.4g}"
    if column.dates is not None:
        return f"{column.dates.start} to {column.dates.end}"
    if column.counts:
        return ", ".join(f"{value} ({count:,})" for value, count in column.counts[:5])
    return ", ".join(map(str, column.first))
