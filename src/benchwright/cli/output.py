"""Printing results: one JSON document, or tables for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table


def print_json(document: Any) -> None:
    """One strict JSON document on stdout (UTF-8, two spaces of indent, no NaN)."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.buffer.write(text.encode("utf-8", errors="surrogatepass") + b"\n")
    sys.stdout.flush()


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A table for people; cells that look like numbers stand to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    listed = [[_cell(value) for value in row] for row in rows]
    shown = Table(title=title or None, box=SIMPLE_HEAD, title_justify="left", title_style="bold")
    for index, name in enumerate(columns):
        numeric = bool(listed) and all(_is_number(row[index]) for row in listed)
        shown.add_column(name, justify="right" if numeric else "left")
    for row in listed:
        shown.add_row(*row)
    return shown


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table on stdout, never cut where stdout is no terminal."""
    from rich.console import Console

    console = Console() if sys.stdout.isatty() else Console(width=200)
    console.print(table(title, columns, rows))


def progress(text: str) -> None:
    """One line of progress on stderr."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _cell(value: object) -> str:
    from rich.markup import escape

    return "-" if value is None else escape(str(value))


def _is_number(text: str) -> bool:
    return text[:1].isdigit() or (text[:1] in "-<" and len(text) < 12) or text == ""
