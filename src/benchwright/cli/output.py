"""Printing results: one JSON document, or tables for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from benchwright.errors import visible

if TYPE_CHECKING:
    from rich.table import Table


NOT_MEASURED: Final = "not\nmeasured"
"""How a table says that nothing is known, which is never 0."""

_CELL: Final = 110
_NAME_WIDTH: Final = 16
"""What a row is called stays in one line up to this width; the other columns fold."""


def print_json(document: Any) -> None:
    """One strict JSON document on stdout (UTF-8, two spaces of indent, no NaN)."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.buffer.write(text.encode("utf-8", errors="surrogatepass") + b"\n")
    sys.stdout.flush()


def print_json_list(name: str, items: Iterable[Any]) -> None:
    """The document `{name: [item, ...]}` as `print_json` prints it, each item as it comes: none is kept in memory."""
    out = sys.stdout.buffer
    before = f"{{\n  {json.dumps(name)}: ["
    empty = True
    for item in items:
        text = json.dumps(item, indent=2, ensure_ascii=False, allow_nan=False).replace("\n", "\n    ")
        out.write(f"{before}\n    {text}".encode("utf-8", errors="surrogatepass"))
        before, empty = ",", False
    out.write((f"{before}]\n}}\n" if empty else "\n  ]\n}\n").encode())
    out.flush()


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A table for people: numbers stand to the right, and a narrow terminal folds cells but cuts nothing."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    listed = [[_cell(value) for value in row] for row in rows]
    shown = Table(box=SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    for index, name in enumerate(columns):
        cells = [row[index] for row in listed]
        numeric = bool(listed) and all(_is_number(cell) for cell in cells)
        width = max((len(line) for cell in cells for line in cell.splitlines()), default=0)
        shown.add_column(
            _cell(name),
            justify="right" if numeric else "left",
            no_wrap=index == 0 and width <= _NAME_WIDTH,
            overflow="fold",
        )
    for row in listed:
        shown.add_row(*row)
    return shown


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on stdout, never cut where stdout is no terminal."""
    from rich.console import Console

    console = Console(emoji=False) if sys.stdout.isatty() else Console(width=200, emoji=False)
    if title:
        console.print(f"[bold]{_cell(title)}[/bold]", soft_wrap=True)  # a title of the table's own is as narrow as that
    console.print(table(columns, rows))


def shortened(text: str) -> str:
    """A text that fits a table's cell."""
    return text if len(text) <= _CELL else f"{text[: _CELL - 4]} ..."


def progress(text: str) -> None:
    """One line of progress on stderr."""
    sys.stderr.write(f"{visible(text)}\n")
    sys.stderr.flush()


def _cell(value: object) -> str:
    from rich.markup import escape

    return "-" if value is None else escape(visible(str(value)))


def _is_number(text: str) -> bool:
    return text[:1].isdigit() or (text[:1] in "-<" and len(text) < 12) or text in ("", NOT_MEASURED)
