"""Where the lake's fillers go, in which format, and which have a stale copy: by rule, from a hash of the name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.files import sha256
from benchwright.suites.lake.changes import Change, Put, Rename, Rows
from benchwright.suites.lake.plan import FilePlan, FillPlan
from benchwright.suites.lake.table import Table

_Format = tuple[str, dict[str, str]]
# A filler's format: its ending and its style. Repeated entries are more frequent.
_FORMATS: tuple[_Format, ...] = (
    ("csv", {}),
    ("csv", {}),
    ("csv", {}),
    ("csv", {"missing": "NA"}),
    ("csv", {"delimiter": ";", "decimal": ",", "encoding": "cp1252"}),
    ("csv", {"delimiter": ";", "encoding": "latin-1"}),
    ("tsv", {}),
    ("tsv", {"encoding": "utf-16"}),
    ("txt", {"delimiter": "|", "missing": "NULL"}),
    ("csv.gz", {}),
    ("json", {}),
    ("jsonl", {}),
    ("jsonl.gz", {}),
    ("parquet", {}),
    ("parquet", {}),
    ("xlsx", {}),
    ("sqlite", {}),
)
_PLAIN: _Format = ("csv", {})
_LARGE: _Format = ("csv.gz", {})
_WORKBOOK_CELLS, _JSON_CELLS, _LARGE_CELLS = 8_000, 40_000, 150_000
_STALE_NAMES = ("{}_old", "{}_backup", "{}_v1", "{}_2019", "copy_of_{}", "{}_draft")


def fillers(fill: FillPlan, source: str, table: Table) -> Iterator[tuple[FilePlan, Table]]:
    """The file of a filler and, for some, its stale copy, each with its table."""
    folder, name = _folder(fill, source), _name(source)
    suffix, style = _format(source, table)
    yield _file(f"{folder}/{name}.{suffix}", source, style), table
    if _draw(source, "stale", 100) < fill.stale_percent and len(table) > 5:
        stem = _STALE_NAMES[_draw(source, "stale name", len(_STALE_NAMES))].format(name)
        suffix, style = _PLAIN if len(table) * len(table.names) < _LARGE_CELLS else _LARGE
        yield _file(f"{folder}/{stem}.{suffix}", source, style), stale(table, source)


def stale(table: Table, salt: str) -> Table:
    """An older extract: fewer rows, a column under another name, and a gap here and there."""
    last = table.names[-1]
    changes: list[Change] = [Rows(do="rows", stop=max(3, len(table) * 4 // 5), without=7 + _draw(salt, "gap", 9))]
    if _draw(salt, "rename", 2):
        changes.append(Rename(do="rename", names={last: f"{last}_raw"}))
    else:
        changes.append(Put(do="put", column=last, every=11, first=3))
    for change in changes:
        table = change.apply(table)
    return table


def _draw(text: str, salt: str, size: int) -> int:
    return int(sha256(f"{salt}:{text}")[:12], 16) % size


def _folder(fill: FillPlan, source: str) -> str:
    package = source.partition("/")[0]
    for shelf, packages in fill.shelves.items():
        if package in packages:
            return f"{shelf}/{_slug(package)}"
    return fill.folders[_draw(source, "folder", len(fill.folders))]


def _name(source: str) -> str:
    item = re.split(r"[/:]", source)[-1]
    return _slug(re.sub(r"\.(csv|json|zip)$", "", item))


def _slug(text: str) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text)
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


def _format(source: str, table: Table) -> _Format:
    cells = len(table) * len(table.names)
    suffix, style = _FORMATS[_draw(source, "format", len(_FORMATS))]
    if suffix == "xlsx" and cells > _WORKBOOK_CELLS:
        return _PLAIN
    if "json" in suffix and cells > _JSON_CELLS:
        return _LARGE
    return (suffix, style) if cells < _LARGE_CELLS or suffix == "parquet" else _LARGE


def _file(path: str, source: str, style: dict[str, str]) -> FilePlan:
    return FilePlan.model_validate({"path": path, "source": source, **style})
