"""ARFF: attributes and rows, read by hand, because broken files are common."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from typing import Any

from benchwright.dialects import decode
from benchwright.profiles.formats.base import Found, Source, Unreadable
from benchwright.profiles.tables import cut, table_of, text_frame

_ATTRIBUTE = re.compile(r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(.+)""", re.IGNORECASE)
_SPARSE = re.compile(r"\s*(\d+)\s+(.*)")
_SHOWN = 200


def read(source: Source) -> Found:
    """The table, with each attribute's declared type; rows that do not fit are padded or cut, and counted."""
    lines = iter(decode(source.whole())[0].splitlines())
    relation, names, kinds = _head(lines)
    if not names:
        raise Unreadable("no attribute is declared")
    unfit: list[int] = []
    frame = text_frame(names, list(_rows(lines, len(names), unfit)))
    table = table_of([frame])
    attributes = [{"name": cut(name), "type": cut(kind)} for name, kind in zip(names, kinds, strict=True)]
    facts = {"relation": cut(relation), "attributes": attributes[:_SHOWN], "rows_that_do_not_fit": len(unfit)}
    return Found(tables=(table,), rows=table.rows, facts=facts)


def _head(lines: Iterator[str]) -> tuple[str, list[str], list[str]]:
    relation = ""
    names: list[str] = []
    kinds: list[str] = []
    for line in lines:
        text = line.strip()
        if text[:5].lower() == "@data":
            break
        if text[:9].lower() == "@relation":
            relation = text[9:].strip().strip("'\"")
        elif declared := _ATTRIBUTE.match(text):
            names.append(next(name for name in declared.groups()[:3] if name is not None))
            kinds.append(declared[4].strip())
    return relation, names, kinds


def _rows(lines: Iterable[str], width: int, unfit: list[int]) -> Iterator[list[str | None]]:
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if text.startswith("{"):
            yield _sparse(text, width)
            continue
        cells = next(csv.reader([text], quotechar="'" if "'" in text else '"', skipinitialspace=True), [])
        if len(cells) != width:
            unfit.append(number)
        yield [_cell(cell) for cell in [*cells, *["?"] * width][:width]]


def _sparse(text: str, width: int) -> list[str | None]:
    """A sparse row: what is not named is 0."""
    row: list[Any] = ["0"] * width
    for part in text.strip("{}").split(","):
        if (match := _SPARSE.match(part)) and int(match[1][:9]) < width:
            row[int(match[1])] = _cell(match[2])
    return row


def _cell(cell: str) -> str | None:
    return None if cell.strip() in ("?", "") else cell.strip()
