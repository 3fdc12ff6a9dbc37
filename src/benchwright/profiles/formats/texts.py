"""Texts for people: plain text, Markdown, TeX and logs, counted line by line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from benchwright.dialects import whole_lines
from benchwright.profiles.delimited_rows import encoding_found
from benchwright.profiles.entries import Count
from benchwright.profiles.formats import delimited
from benchwright.profiles.formats.base import Found, Source
from benchwright.profiles.layout import layout_of
from benchwright.profiles.tables import cut

SHOWN = 1500
"""Characters of a text that its entry begins with."""

_PIECE = 1 << 20
_HEAD = 64 << 10
_HEADINGS = 20
_LOG_LINES = 100
_KEYED = re.compile(r"\s*[\w .-]{1,60}[=:]\s*\S")
_MARKDOWN = {
    "code_blocks": re.compile(r"^\s*```"),
    "tables": re.compile(r"^\s*\|?\s*:?-{3,}:?\s*\|"),
    "list_items": re.compile(r"^\s*(?:[-*+]|\d+\.)\s"),
    "images": re.compile(r"!\[[^\]]*\]\("),
    "links": re.compile(r"(?<!!)\[[^\]]+\]\("),
}
_SECTION = re.compile(r"\\(?:part|chapter|(?:sub)*section|paragraph)\*?\{([^{}]*)\}")
_ENVIRONMENT = re.compile(r"\\begin\{([^{}]{1,40})\}")
_LEVEL = re.compile(r"\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL|SEVERE)\b", re.IGNORECASE)
_STAMPS = {
    "ISO 8601": re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d"),
    "CLF": re.compile(r"\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d"),
    "syslog": re.compile(r"^(?:<\d+>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"),
    "epoch": re.compile(r"^\W?1\d{9}(?:\d{3}|\.\d+)?\b"),
}


def read_text(source: Source) -> Found:
    """A plain text; one that is laid out as a table is read as one."""
    head = _head(source)
    layout = layout_of(whole_lines(head))
    if delimited.looks_like_a_table(layout, head):
        return delimited.read(source).with_notes("a text that is laid out as a table")
    lines = head.splitlines()
    keyed = sum(bool(_KEYED.match(line)) for line in lines[:20])
    facts = {"layout": "keys and values" if 2 * keyed > len(lines[:20]) > 0 else "text"}
    return _found(source, facts, ())


def read_markdown(source: Source) -> Found:
    """Headings and kinds of elements."""
    counts: Counter[str] = Counter()
    headings: list[str] = []

    def take(line: str) -> None:
        if re.match(r"#{1,6}\s", line) and not counts["code_blocks"] % 2:
            headings.append(cut(line.strip()))
            counts["headings"] += 1
        counts.update(name for name, pattern in _MARKDOWN.items() if pattern.search(line))

    found = _found(source, {}, (take,))
    counts["code_blocks"] = (counts["code_blocks"] + 1) // 2
    found.facts.update(headings=headings[:_HEADINGS], elements=dict(sorted(counts.items())))
    return found


def read_tex(source: Source) -> Found:
    """Headings and environments."""
    counts: Counter[str] = Counter()
    headings: list[str] = []

    def take(line: str) -> None:
        headings.extend(map(cut, _SECTION.findall(line)))
        counts.update(_ENVIRONMENT.findall(line))

    found = _found(source, {}, (take,))
    found.facts.update(headings=headings[:_HEADINGS], environments=dict(counts.most_common(_HEADINGS)))
    return found


def read_log(source: Source) -> Found:
    """How lines are stamped (of most of the first hundred), and how many have which level."""
    levels: Counter[str] = Counter()
    first: list[str] = []

    def take(line: str) -> None:
        if len(first) < _LOG_LINES:
            first.append(line)
        if level := _LEVEL.search(line[:300]):
            levels[level[1].upper().replace("WARNING", "WARN")] += 1

    found = _found(source, {}, (take,))
    stamps = {name: sum(bool(stamp.search(line[:200])) for line in first) for name, stamp in _STAMPS.items()}
    name, count = max(stamps.items(), key=lambda item: item[1])
    found.facts.update(timestamps=name if 2 * count > len(first) else None, levels=dict(levels.most_common()))
    return found


def _head(source: Source) -> str:
    with source.path.open(encoding=encoding_found(source.path), errors="replace", newline="") as stream:
        return stream.read(_HEAD)


def _found(source: Source, facts: dict[str, Any], takers: Iterable[Any]) -> Found:
    encoding = encoding_found(source.path)
    lines = characters = 0
    with source.path.open(encoding=encoding, errors="replace") as stream:
        for piece, ended in _pieces(stream):
            lines += ended
            characters += len(piece)
            for take in takers:
                take(piece)
    counted = {"encoding": encoding, "lines": lines, "characters": characters}
    return Found(rows=Count(value=lines), facts={**counted, **facts}, text=_head(source)[:SHOWN])


def _pieces(stream: Any) -> Iterator[tuple[str, bool]]:
    """The lines of a text, and whether each ended; of an endless one as many pieces as it has megabytes."""
    whole = True
    for line in iter(lambda: stream.readline(_PIECE), ""):
        begun, whole = whole, line.endswith("\n")
        yield line, begun
