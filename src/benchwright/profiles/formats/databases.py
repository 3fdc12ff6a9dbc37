"""Databases in one file, SQLite and DuckDB: opened read-only, every name quoted, nothing of them run."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from benchwright.profiles.batches import arrow_frames
from benchwright.profiles.entries import Count, Table
from benchwright.profiles.formats.base import Found, Source
from benchwright.profiles.tables import cut, names_once, table_of

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_BATCH = 50_000


def read_sqlite(source: Source) -> Found:
    """Tables with their keys, indexes and foreign keys; views are listed and never run."""
    place = f"file:{quote(str(source.path.absolute()))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(place, uri=True)) as database:
        database.execute("PRAGMA trusted_schema=OFF")
        database.text_factory = lambda raw: raw.decode("utf-8", "replace")
        listed = database.execute("SELECT type, name, sql FROM sqlite_master ORDER BY rowid").fetchall()
        # Virtual tables would run what module they name.
        names = [name for kind, name, sql in listed if kind == "table" and not _virtual(sql) and not _internal(name)]
        tables = tuple(_sqlite_table(database, name) for name in names[: source.bounds.tables])
        facts = {
            "tables": len(names),
            "views": [cut(str(name)) for kind, name, _ in listed if kind == "view"],
            "virtual_tables": [cut(str(name)) for kind, name, sql in listed if kind == "table" and _virtual(sql)],
            "indexes": [cut(str(name)) for kind, name, _ in listed if kind == "index"],
            "triggers": [cut(str(name)) for kind, name, _ in listed if kind == "trigger"],
        }
    return Found(tables=tables, facts=facts, rows=_only(tables)).with_notes(_left_out(names, source))


def _virtual(sql: Any) -> bool:
    return str(sql or "").lstrip().upper().startswith("CREATE VIRTUAL")


def _internal(name: Any) -> bool:
    return str(name).startswith("sqlite_")


def _sqlite_table(database: sqlite3.Connection, name: str) -> Table:
    quoted = quoted_name(name)
    columns = database.execute("SELECT name, type, pk, hidden FROM pragma_table_xinfo(?)", (name,)).fetchall()
    links = database.execute('SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)', (name,)).fetchall()
    rows = int(database.execute(f"SELECT count(*) FROM {quoted}").fetchone()[0])  # noqa: S608 - quoted
    facts: dict[str, Any] = {
        "types": {cut(column): cut(kind) for column, kind, _, _ in columns},
        "primary_key": [cut(column) for column, _, key, _ in sorted(columns, key=lambda each: each[2]) if key],
        "foreign_keys": [{"column": cut(a), "table": cut(b), "to": cut(str(c))} for a, b, c in links],
    }
    # Generated columns are expressions of the file's author, which are not run.
    shown = [column for column, _, _, hidden in columns if not hidden]
    return table_of(_sqlite_frames(database, quoted, shown), name, facts, rows=Count(value=rows))


def _sqlite_frames(database: sqlite3.Connection, quoted: str, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The rows in batches of one type a column: SQLite's cells have types of their own, whatever their column's is."""
    import polars as pl

    if not columns:
        return
    names = names_once(columns)
    held = ", ".join(f"group_concat(DISTINCT typeof({quoted_name(column)}))" for column in columns)
    found = database.execute(f"SELECT {held} FROM {quoted}").fetchone()  # noqa: S608 - quoted
    kinds = [_kind_of_cells(set(str(each or "").split(",")) - {"null", ""}) for each in found]
    schema = {
        name: {"integer": pl.Int64(), "real": pl.Float64()}.get(kind, pl.String())
        for name, kind in zip(names, kinds, strict=True)
    }
    cursor = database.execute(f"SELECT {', '.join(map(quoted_name, columns))} FROM {quoted}")  # noqa: S608 - quoted
    while rows := cursor.fetchmany(_BATCH):
        cells = [[_cell(value, kind) for value, kind in zip(row, kinds, strict=True)] for row in rows]
        yield pl.DataFrame(cells, schema=schema, orient="row")


def _kind_of_cells(kinds: set[str]) -> str:
    if kinds == {"integer"}:
        return "integer"
    return "real" if kinds and kinds <= {"integer", "real"} else "text"


def _cell(value: Any, kind: str) -> Any:
    if isinstance(value, bytes):
        return f"[{len(value)} bytes {hashlib.sha256(value).hexdigest()[:12]}]"  # different ones stay different
    return value if value is None or kind == "integer" else float(value) if kind == "real" else str(value)


def read_duckdb(source: Source) -> Found:
    """Tables with their constraints; views are listed and never run."""
    import duckdb

    limits: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": "false",
        "autoload_known_extensions": "false",
        "threads": "1",
    }
    with duckdb.connect(str(source.path), read_only=True, config=limits) as database:
        database.execute("SET autoinstall_known_extensions=false")
        database.execute("SET lock_configuration=true")
        listed = database.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal ORDER BY 1, 2"
        ).fetchall()
        views = database.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1").fetchall()
        tables = tuple(_duckdb_table(database, *each) for each in listed[: source.bounds.tables])
    facts = {"tables": len(listed), "views": [cut(name) for (name,) in views]}
    return Found(tables=tables, facts=facts, rows=_only(tables)).with_notes(_left_out(listed, source))


def _duckdb_table(database: duckdb.DuckDBPyConnection, schema: str, name: str) -> Table:
    columns = database.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE schema_name = ? AND table_name = ?", (schema, name)
    ).fetchall()
    rules = database.execute(
        "SELECT constraint_text FROM duckdb_constraints() WHERE schema_name = ? AND table_name = ?", (schema, name)
    ).fetchall()
    facts = {"types": {cut(a): cut(b) for a, b in columns}, "constraints": [cut(str(rule)) for (rule,) in rules]}
    called = name if schema == "main" else f"{schema}.{name}"
    cursor = database.execute(f"SELECT * FROM {quoted_name(schema)}.{quoted_name(name)}")  # noqa: S608 - quoted
    return table_of(_duckdb_frames(cursor), called, facts)


def _duckdb_frames(cursor: duckdb.DuckDBPyConnection) -> Iterator[pl.DataFrame]:
    yield from arrow_frames(cursor.to_arrow_reader(_BATCH))


def quoted_name(name: str) -> str:
    """A name in SQL, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def _only(tables: Sequence[Table]) -> Count | None:
    return tables[0].rows if len(tables) == 1 else None


def _left_out(names: Sequence[object], source: Source) -> str:
    more = len(names) - source.bounds.tables
    return f"{more} more tables are not shown" if more > 0 else ""
