"""How a delimited text is laid out: where its table begins, what cuts its cells, and whether names stand above them."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise

from benchwright.dialects import DELIMITERS

SPACES = " "
"""The delimiter of texts whose cells stand apart by any number of spaces."""

_LINES = 200
_BODY = 60
_LEAST_LINES = 3
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)*|\.\d+)(?:[eE][+-]?\d+)?%?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?|\d{1,2}:\d{2}(?::\d{2})?")
_MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "?", "-", "."))
_DIRECTIVE = re.compile('"?sep=([' + re.escape("".join(DELIMITERS)) + '])"?')
"""A first line by which spreadsheets are told what cuts cells."""
_GAP = re.compile(r"\t|\s{2,}")
_YEARS = range(1800, 2101)
_SHORTEST_RUN = 3


@dataclass(frozen=True, slots=True)
class Layout:
    """`names` are None where no row names the columns; `skipped` lines stand before the first row of data.

    `preamble` are the lines that belong neither to the names nor to the data, as they stand. Without `quoting` a quote
    is a character like any other: inches, say.
    """

    delimiter: str
    names: tuple[str, ...] | None
    skipped: int
    preamble: tuple[str, ...] = ()
    quoting: bool = True


@dataclass(frozen=True, slots=True)
class _Row:
    cells: tuple[str, ...]
    line: int
    end: int


def layout_of(head: str) -> Layout:
    """The layout of a text, from its first lines (the last one whole)."""
    lines = list(io.StringIO(head, newline=""))[:_LINES]
    if lines and (told := _DIRECTIVE.fullmatch(lines[0].strip())):
        below = _with_quoting(lines[1:], told[1], _rows(lines[1:], told[1]))
        return replace(below, skipped=below.skipped + 1, preamble=(lines[0].strip(), *below.preamble))
    return _with_quoting(lines, *_cut(lines))


def _with_quoting(lines: Sequence[str], delimiter: str, rows: Sequence[_Row]) -> Layout:
    bare = any('"' in cell for row in rows for cell in row.cells) and not any('""' in line for line in lines)
    return replace(_laid_out(lines, delimiter, rows), quoting=not bare)


def _laid_out(lines: Sequence[str], delimiter: str, rows: Sequence[_Row]) -> Layout:
    if not rows:
        return Layout(delimiter, None, 0)
    width = _usual_width(rows)
    first = next(place for place, row in enumerate(rows) if len(row.cells) == width)
    sparse = _past_sparse(rows, first)
    first = next((place for place in range(sparse, len(rows)) if len(rows[place].cells) == width), first)
    body = [row.cells for row in rows[first + 1 :] if len(row.cells) == width][:_BODY]
    names = _names_above(rows, first, [rows[first].cells, *body]) if first else None
    if names is not None:
        above = rows[first - 1]
        return Layout(delimiter, names, above.end, _texts(lines[: above.line]))
    row = rows[first]
    if is_header(row.cells, body):
        return Layout(delimiter, row.cells, row.end, _texts(lines[: row.line]))
    return Layout(delimiter, None, row.line, _texts(lines[: row.line]))


def _texts(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line.strip() for line in lines if line.strip())


def _cut(lines: Sequence[str]) -> tuple[str, list[_Row]]:
    """The delimiter under which most rows are as wide as each other, the wider the better; and the rows."""
    found = [(delimiter, _rows(lines, delimiter)) for delimiter in DELIMITERS]
    best = max(found, key=lambda each: _evenness(each[1]))
    if _evenness(best[1])[1] > 1:
        return best
    spaced = [_Row(tuple(line.split()), number, number + 1) for number, line in enumerate(lines) if line.strip()]
    return (SPACES, spaced) if _stands_in_columns(spaced) and not _in_fixed_places(lines, spaced) else found[0]


def _in_fixed_places(lines: Sequence[str], spaced: Sequence[_Row]) -> bool:
    """Whether wide gaps cut all lines alike and single spaces do not: these are part of cells, and cut wrongly."""
    wide = {len(_GAP.split(line.strip())) for line in lines if line.strip()}
    return len(wide) == 1 and max(wide) > 1 and len({len(row.cells) for row in spaced}) > 1


def _rows(lines: Sequence[str], delimiter: str) -> list[_Row]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    reader = csv.reader(lines, delimiter=delimiter)
    rows: list[_Row] = []
    start = 0
    with suppress(csv.Error):
        for cells in reader:
            if cells:
                rows.append(_Row(tuple(cells), start, reader.line_num))
            start = reader.line_num
    return rows


def _evenness(rows: Sequence[_Row]) -> tuple[float, int]:
    if not rows:
        return 0.0, 0
    width = _usual_width(rows)
    share = sum(len(row.cells) == width for row in rows) / len(rows)
    return (round(share, 2), width) if width > 1 else (0.0, 1)


def _usual_width(rows: Sequence[_Row]) -> int:
    """The commonest width; of two as common, the greater."""
    widths = Counter(len(row.cells) for row in rows)
    return max(widths, key=lambda width: (widths[width], width))


def _stands_in_columns(rows: Sequence[_Row]) -> bool:
    """Whether words in lines are a table: alike in number, and one place holds nothing but numbers."""
    if len(rows) < _LEAST_LINES:
        return False
    width = _usual_width(rows)
    alike = [row.cells for row in rows if len(row.cells) == width]
    if width < 2 or len(alike) + 1 < 0.9 * len(rows):
        return False
    return any(all(kind_of_cell(row[place]) == "number" for row in alike[1:]) for place in range(width))


def _past_sparse(rows: Sequence[_Row], first: int) -> int:
    """The first row with more than one cell filled, where fuller ones follow: a title fills but one."""
    filled = [sum(bool(cell.strip()) for cell in row.cells) for row in rows[: first + _BODY]]
    place = first
    titled = [bool(row.cells[0].strip()) == bool(count) for row, count in zip(rows, filled, strict=False)]
    while place + 1 < len(filled) and filled[place] < 2 < max(filled[place + 1 :]) and titled[place]:
        place += 1
    return place


def _names_above(rows: Sequence[_Row], first: int, body: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
    """Names in a row of another width than the data's: without one for the row labels, or for cells that no row has."""
    above, width = rows[first - 1].cells, len(body[0])
    plain = len(above) > 1 and len(set(above)) == len(above)
    if not plain or any(kind_of_cell(cell) != "text" for cell in above):
        return None
    if len(above) > width:
        return above if first == 1 else None
    if len(above) != width - 1 or is_header(body[0], body[1:]):
        return None
    return (*above, "") if all(not row[-1].strip() for row in body) else ("", *above)


def is_header(row: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether a row names the columns of the rows below it.

    Text above numbers or dates does; numbers above numbers do not, unless they are years, or count up, as those below
    do not. Where all is text, names are all different, and none stands again in its column.
    """
    kinds = [kind_of_cell(cell) for cell in row]
    if not body:
        return "text" in kinds and "number" not in kinds
    below = [[cells[place] for cells in body] for place in range(len(row))]
    usual = [_usual_kind(column) for column in below]
    if any(mine == "text" and theirs in ("number", "date") for mine, theirs in zip(kinds, usual, strict=True)):
        return True
    typed = [place for place, kind in enumerate(kinds) if kind in ("number", "date")]
    if typed:
        return _counts_up([row[place] for place in typed], [[cells[place] for place in typed] for cells in body])
    named = [cell.strip() for cell in row if cell.strip()]
    again = any(cell.strip() and cell in column for cell, column in zip(row, below, strict=True))
    return len(set(named)) == len(named) and len(named) >= len(row) - 1 and bool(named) and not again


def _counts_up(cells: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether numbers are names: all of them years or steps of one run, which the rows below are not."""
    if _steady(cells) and not any(_steady(row) for row in body):
        return len(cells) >= _SHORTEST_RUN or _years(cells)
    return _years(cells) and sum(_years(row) for row in body) < 0.5 * len(body)


def _steady(cells: Sequence[str]) -> bool:
    if len(cells) < 2 or not all(cell.strip().isdecimal() for cell in cells):
        return False
    numbers = [int(cell) for cell in cells]
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    return len(steps) == 1 and steps != {0}


def _years(cells: Sequence[str]) -> bool:
    return all(cell.strip().isdecimal() and len(cell.strip()) == 4 and int(cell) in _YEARS for cell in cells)


def _usual_kind(column: Sequence[str]) -> str:
    kinds = Counter(kind_of_cell(cell) for cell in column)
    del kinds["missing"]
    if not kinds:
        return "missing"
    kind, count = kinds.most_common(1)[0]
    return kind if count >= 0.9 * kinds.total() else "text"


def kind_of_cell(cell: str) -> str:
    """One of number, date, missing and text."""
    text = cell.strip()
    if text.casefold() in _MISSING:
        return "missing"
    if _NUMBER.fullmatch(text):
        return "number"
    return "date" if _DATE.fullmatch(text) else "text"
