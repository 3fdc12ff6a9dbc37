"""`benchwright profile FOLDER`: every file with its format and what it holds."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.cli.output import print_json, print_table, progress, shortened

if TYPE_CHECKING:
    from benchwright.profiles.entries import FileProfile

_SECONDS = 2.0
_COLUMNS = 8


def show_entries(paths: Sequence[Path], *, sample: bool, as_json: bool) -> None:
    """Look at every file, with progress on stderr; print a table, or `{"files": [...]}`.

    Without `sample` nothing that shows single values of the data is told.
    """
    from benchwright.profiles.folders import Looking, profile_paths

    entries = list(profile_paths(paths, Looking(told=_Progress())))
    if as_json:
        print_json({"files": [json_of(entry, sample=sample) for entry in entries]})
        return
    rows = ((_plain(entry.path), entry.format, f"{entry.bytes:,}", _rows(entry), _content(entry)) for entry in entries)
    print_table(f"{len(entries):,} files", ("file", "format", "bytes", "rows", "content"), rows)


def json_of(entry: FileProfile, *, sample: bool) -> dict[str, Any]:
    """An entry as JSON; `sample` as of `show_entries`."""
    from benchwright.profiles.entries import entry_text, without_values

    document: dict[str, Any] = json.loads(entry_text(entry if sample else without_values(entry)))
    return document


class _Progress:
    """Tells how many files are done, every other second."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, done: int, of: int) -> None:
        if time.monotonic() - self._last > _SECONDS:
            self._last = time.monotonic()
            progress(f"profiled {done:,} of {of:,} files")


def _rows(entry: FileProfile) -> str:
    if entry.rows is None:
        return ""
    return f"{entry.rows.value:,}" if entry.rows.exact else f"about {entry.rows.value:,}"


def _content(entry: FileProfile) -> str:
    if entry.error:
        return _plain(shortened(f"error: {entry.error}"))
    if entry.format == "unknown":
        return f"begins with {entry.magic}"
    if entry.inner:
        return _plain(shortened(f"{len(entry.inner)} files: {', '.join(each.path for each in entry.inner)}"))
    told = [
        (f"{table.name}: " if table.name else "") + ", ".join(column.name for column in table.columns[:_COLUMNS])
        for table in entry.tables
    ]
    return _plain(shortened("; ".join(told) or json.dumps(entry.facts, ensure_ascii=False)))


def _plain(text: str) -> str:
    """A text without control characters, which would steer the terminal."""
    encoding = sys.stdout.encoding or "utf-8"
    shown = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return shown.encode(encoding, "backslashreplace").decode(encoding)
