"""HTML: headings, elements and tables, read without fetching or running anything."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

from benchwright.dialects import decode
from benchwright.profiles.entries import Table
from benchwright.profiles.formats.base import Found, Source
from benchwright.profiles.layout import is_header
from benchwright.profiles.tables import cut, table_of, text_frame

_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_COUNTED = frozenset(("table", "p", "a", "img", "ul", "ol", "form", "script", "style", "iframe", "div"))
_SHOWN = 20
_MOST_CELLS = 2_000_000
_WIDEST_SPAN = 1000


class _Grid:
    """A table's cells as they stand, spans filled in."""

    def __init__(self) -> None:
        self.rows: list[list[str | None]] = []
        self.heads = 0
        self._below: dict[int, tuple[str, int]] = {}

    def new_row(self) -> None:
        """Begin a row with what spans into it from above."""
        self.rows.append([])
        self._spans_in()

    def add(self, text: str, across: int, down: int) -> None:
        """The next cell of the row."""
        if not self.rows:
            self.new_row()
        for _ in range(across):
            if down > 1:
                self._below[len(self.rows[-1])] = (text, down - 1)
            self.rows[-1].append(text)
        self._spans_in()

    def _spans_in(self) -> None:
        row = self.rows[-1]
        while (span := self._below.get(len(row))) is not None and not self._just_set(len(row)):
            text, left = span
            if left > 1:
                self._below[len(row)] = (text, left - 1)
            else:
                del self._below[len(row)]
            row.append(text)

    def _just_set(self, place: int) -> bool:
        return place < len(self.rows[-1])


class _Page(HTMLParser):
    """What stands in a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.counts: Counter[str] = Counter()
        self.headings: list[str] = []
        self.title = ""
        self.tables: list[_Grid] = []
        self._open: list[_Grid] = []
        self._text: list[str] | None = None
        self._span = (1, 1)
        self._cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a table, a row, a cell or a heading."""
        self.counts[tag] += tag in _COUNTED
        if tag == "table":
            self._open.append(_Grid())
            self.tables.append(self._open[-1])
        elif tag == "tr" and self._open:
            self._close_cell()
            self._open[-1].new_row()
        elif tag in ("td", "th") and self._open:
            self._close_cell()
            told = dict(attrs)
            self._span = (_number(told.get("colspan")), _number(told.get("rowspan")))
            self._text = []
        elif tag in _HEADINGS or tag == "title":
            self._text = []

    def handle_endtag(self, tag: str) -> None:
        """Close what is open."""
        if tag in ("td", "th"):
            self._close_cell()
        elif tag == "table" and self._open:
            self._close_cell()
            self._open.pop()
        elif tag in _HEADINGS or tag == "title":
            text = cut(" ".join("".join(self._text or ()).split()))
            self._text = None
            if tag == "title":
                self.title = text
            else:
                self.headings.append(text)

    def handle_data(self, data: str) -> None:
        """Text of what is open."""
        if self._text is not None:
            self._text.append(data)

    def _close_cell(self) -> None:
        if self._text is not None and self._open and self._cells < _MOST_CELLS:
            across, down = self._span
            self._open[-1].add(" ".join("".join(self._text).split()), across, down)
            self._cells += across
        self._text = None


def _number(span: str | None) -> int:
    return min(max(1, int(span)), _WIDEST_SPAN) if span and span.strip().isdecimal() and len(span) < 6 else 1


def read(source: Source) -> Found:
    """The page's tables and headings."""
    page = _Page()
    page.feed(decode(source.whole())[0])
    page.close()
    grids = [grid for grid in page.tables if grid.rows and any(grid.rows)]
    tables = tuple(_table(grid, number) for number, grid in enumerate(grids[: source.bounds.tables], 1))
    facts = {
        "title": page.title,
        "headings": page.headings[:_SHOWN],
        "elements": {tag: count for tag, count in sorted(page.counts.items()) if count},
        "tables": len(grids),
    }
    return Found(tables=tables, facts=facts, rows=tables[0].rows if len(tables) == 1 else None)


def _table(grid: _Grid, number: int) -> Table:
    rows = [row for row in grid.rows if row]
    width = max(map(len, rows))
    full = [[cell or "" for cell in [*row, *[""] * (width - len(row))]] for row in rows]
    named = is_header(full[0], full[1:60])
    names = full[0] if named else [None] * width
    return table_of([text_frame(names, [[cell or None for cell in row] for row in full[named:]])], f"table {number}")
