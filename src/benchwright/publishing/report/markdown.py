"""A report's tables as Markdown: for issues, pages of a repository, notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.publishing.pages.words import clean
from benchwright.publishing.report.contents import Report, Section, plain
from benchwright.publishing.tables import Table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$^=-])")


def escaped(text: str) -> str:
    """A text that Markdown shows as it is: on one line, nothing of it formats, links or makes a tag."""
    return _SPECIAL.sub(r"\\\1", " ".join(clean(text).split()))


def markdown(report: Report) -> str:
    """The verdict, then every section's tables."""
    lines = [f"# {escaped(report.title)}", "", escaped(report.about), ""]
    for sentence in report.verdict:
        lines += [escaped(plain(sentence)), ""]
    for section in report.sections:
        lines += _section(section)
    return "\n".join(lines).rstrip() + "\n"


def _section(section: Section) -> Iterator[str]:
    yield from (f"## {escaped(section.title)}", "")
    for note in section.notes:
        yield from (escaped(note), "")
    if section.facts:
        yield from (f"- {escaped(fact.name)}: {escaped(fact.value)}" for fact in section.facts)
        yield ""
    for table in section.tables:
        yield from (f"### {escaped(table.title)}", "", *_table(table), "")
        if table.note:
            yield from (escaped(table.note), "")


def _table(table: Table) -> Iterator[str]:
    grid = table.grid
    yield _line(head.title for head in grid.heads)
    yield "|" + "|".join("---:" if head.numeric else "---" for head in grid.heads) + "|"
    for line in grid.lines:
        yield _line(cell.plain for cell in line)


def _line(texts: Iterator[str]) -> str:
    return "| " + " | ".join(map(escaped, texts)) + " |"
