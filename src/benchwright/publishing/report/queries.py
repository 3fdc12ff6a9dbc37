"""How each number of a report comes from the runs' own tables: queries in SQL, one file a table."""

from __future__ import annotations

from pathlib import Path

from benchwright.publishing.report.source import OTHER
from benchwright.publishing.tables import Table
from benchwright.scoring.verdicts import Mode

_FOLDER = Path(__file__).parent / "queries"


def query(table: Table, mode: Mode) -> str:
    """The query of a table, for DuckDB in the folder that `report --format parquet` writes; empty: none is needed."""
    path = _FOLDER / f"{table.query}.sql"
    if not table.query or not path.is_file():
        return ""
    kind = table.name.removeprefix("by_").replace("_", " ")
    text = path.read_text(encoding="utf-8")
    for name, value in (("$mode", mode), ("$other", OTHER[mode]), ("$kind", kind)):
        text = text.replace(name, value)
    return text
