"""`benchwright profile FOLDER`: every file with its format and what it holds."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchwright.cli.clusters import spread_of
from benchwright.cli.output import print_json_list, print_table, progress, shortened

if TYPE_CHECKING:
    from benchwright.profiles.entries import FileProfile

Form = Literal["table", "json", "prompt"]
_SECONDS = 2.0
_COLUMNS = 8


def show_entries(paths: Sequence[Path], form: Form, page: Path | None, ray: str, *, sample: bool) -> None:
    """Look at every file, with progress on stderr; print a table, `{"files": [...]}` or a prompt; write the `page`.

    Without `sample` nothing that shows single values of the data is told.
    """
    from benchwright.files import write_atomic
    from benchwright.profiles.entries import without_values
    from benchwright.profiles.folders import Looking, profile_paths

    found: Iterable[FileProfile] = profile_paths(paths, Looking(told=_Progress()))
    if ray:
        with spread_of(ray) as spread:
            found = list(profile_paths(paths, Looking(told=_Progress(), spread=spread)))
    entries: Iterable[FileProfile] = (entry if sample else without_values(entry) for entry in found)
    if page is not None or form == "prompt":  # both tell families: all files have to be known
        entries = list(entries)
    if page is not None:
        from benchwright.profiles.page import as_page

        write_atomic(page, as_page(entries, ", ".join(path.name or str(path) for path in paths)))
    if form == "json":
        print_json_list("files", map(json_of, entries))
    elif form == "prompt":
        sys.stdout.write(_prompt(list(entries), sample=sample))
    else:
        rows = [(_plain(each.path), each.format, f"{each.bytes:,}", _rows(each), _content(each)) for each in entries]
        print_table(f"{len(rows):,} files", ("file", "format", "bytes", "rows", "content"), rows)


def _prompt(entries: Sequence[FileProfile], *, sample: bool) -> str:
    from benchwright.chat.fencing import fence
    from benchwright.profiles.prompt import as_prompt

    text = as_prompt(entries, sample=sample)
    line = fence(text)
    return f"{line}\n{text}\n{line}\n"


def json_of(entry: FileProfile) -> dict[str, Any]:
    """An entry as JSON."""
    from benchwright.profiles.entries import entry_text

    document: dict[str, Any] = json.loads(entry_text(entry))
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
