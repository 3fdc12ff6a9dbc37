"""Tables of hostile SQLite and DuckDB files, without running anything that such a file holds."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from benchwright.scorers.compare.cell_texts import UNREADABLE, cell_text, text_series
from benchwright.scorers.compare.duckdb_blocks import comes_back, is_whole
from benchwright.scorers.compare.opening import UnreadableOutput, read_head
from benchwright.scorers.compare.tables import MAX_CELLS, MAX_COLUMNS, Table, UnreadableTable

if TYPE_CHECKING:
    import polars as pl

MAX_BYTES = 512 << 20
MAX_TABLES = 1000
_MAX_CELL_BYTES = 1 << 20
_MAX_TEXT_BYTES = 400 << 20
_SECONDS = 60.0
_CHUNK = 50_000
_SQLITE, _DUCKDB = b"SQLite format 3\x00", b"DUCK"
_ODD_KINDS = ("INTERVAL", "TIMESTAMP WITH", "TIMESTAMP_", "TIME WITH")
_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})


class Database(Protocol):
    """The tables of a database by name; views are none, for they run what the file says."""

    def names(self) -> Sequence[str]:
        """The names of its tables."""

    def table(self, name: str) -> Table:
        """One table, by a name out of `names`; UnreadableTable says why it cannot be read."""


@contextmanager
def open_database(path: Path) -> Iterator[Database]:
    """Open a regular file read-only, by its content; UnreadableTable says why it is no database."""
    try:
        head, size = read_head(path, 16)
    except UnreadableOutput as error:
        raise UnreadableTable(str(error)) from error
    if size > MAX_BYTES:
        raise UnreadableTable(f"more than {MAX_BYTES:,} bytes")
    if head == _SQLITE:
        with _opened_sqlite(path) as database:
            yield database
    elif head[8:12] == _DUCKDB:
        with _opened_duckdb(path) as database:
            yield database
    else:
        raise UnreadableTable("neither an SQLite nor a DuckDB file")


@contextmanager
def _opened_sqlite(path: Path) -> Iterator[Database]:
    """`immutable`: no journal beside the file is read, and nothing is ever written."""
    try:
        connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error as error:
        raise UnreadableTable(f"not a readable database: {error}") from error
    with closing(connection):
        yield _Sqlite(connection)


class _Sqlite:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.text_factory = _decoded
        for setting in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
            connection.execute(f"PRAGMA {setting}")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 16 * _MAX_CELL_BYTES)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        # From here on a statement can read tables and do nothing else: no functions, no ATTACH.
        connection.set_authorizer(_authorize)
        end = time.monotonic() + _SECONDS
        connection.set_progress_handler(lambda: int(time.monotonic() > end), 100_000)

    def names(self) -> Sequence[str]:
        try:
            rows = self._connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchmany(
                MAX_TABLES
            )
        except (sqlite3.Error, ValueError) as error:
            raise UnreadableTable(f"not a readable database: {error}") from error
        # The module of a virtual table is code that reads what the file says.
        plain = [str(name) for name, sql in rows if not str(sql or "").lower().lstrip().startswith("create virtual")]
        return [name for name in plain if not name.startswith("sqlite_")]

    def table(self, name: str) -> Table:
        try:
            columns = self._connection.execute(f"PRAGMA table_xinfo({_quoted(name)})").fetchall()
            if any(column[6] for column in columns):
                # Their expressions run whatever functions they name, on every row.
                raise UnreadableTable("computed columns")
            cursor = self._connection.execute(f"SELECT * FROM {_quoted(name)}")  # noqa: S608 - a quoted name
            return _collected([column[0] for column in cursor.description], lambda: cursor.fetchmany(_CHUNK))
        except (sqlite3.Error, ValueError, OverflowError) as error:
            raise UnreadableTable(f"not a readable table: {error}") from error


def _authorize(action: int, first: str | None, *_: str | None) -> int:
    allowed = action in _ALLOWED or (action == sqlite3.SQLITE_PRAGMA and first == "table_xinfo")
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@contextmanager
def _opened_duckdb(path: Path) -> Iterator[Database]:
    try:
        import duckdb
    except ImportError as error:
        raise UnreadableTable("a DuckDB file, and duckdb is not installed") from error
    if not is_whole(path):
        raise UnreadableTable("not a readable database: a block of it is damaged")
    settings: dict[str, Any] = {
        "enable_external_access": "false",
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "memory_limit": "1GB",
        "threads": "1",
    }
    if not comes_back(path, settings, _SECONDS):
        raise UnreadableTable("not a readable database: DuckDB does not come back from it")
    try:
        connection = duckdb.connect(str(path.absolute()), read_only=True, config=settings)
        with suppress(duckdb.Error):  # moments have the same text wherever they are read
            connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET lock_configuration = true")
    except (duckdb.Error, RuntimeError) as error:
        raise UnreadableTable(f"not a readable database: {str(error)[:200]}") from error
    with closing(connection):
        yield _Duckdb(connection, duckdb.Error)


class _Duckdb:
    def __init__(self, connection: Any, fault: type[Exception]) -> None:
        self._connection = connection
        self._fault = fault

    def names(self) -> Sequence[str]:
        query = "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND schema_name = 'main' ORDER BY table_oid"
        try:
            return [str(row[0]) for row in self._connection.execute(query).fetchmany(MAX_TABLES)]
        except (self._fault, RuntimeError) as error:
            raise UnreadableTable(f"not a readable database: {str(error)[:200]}") from error

    def table(self, name: str) -> Table:
        try:
            there = self._connection.execute(f"DESCRIBE main.{_quoted(name)}").fetchall()
            shown = ", ".join(_as_python_takes_it(str(column[0]), str(column[1])) for column in there)
            cursor = self._connection.execute(f"SELECT {shown} FROM main.{_quoted(name)}")  # noqa: S608 - quoted names
            return _collected([str(column[0]) for column in there], lambda: cursor.fetchmany(_CHUNK))
        except (self._fault, RuntimeError, ValueError, OverflowError) as error:
            raise UnreadableTable(f"not a readable table: {str(error)[:200]}") from error


def _as_python_takes_it(name: str, kind: str) -> str:
    """A column; as text, if it is of a kind that Python has no room for, or a library of its own."""
    column = _quoted(name)
    if not kind.startswith(_ODD_KINDS):
        return column
    return f"CASE WHEN {column} IS NOT NULL THEN coalesce(TRY_CAST({column} AS VARCHAR), '{UNREADABLE}') END"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _collected(names: Sequence[str], fetch: Any) -> Table:
    """A table out of chunks of rows, each turned into columns of text before the next is read."""
    if len(names) > MAX_COLUMNS:
        raise UnreadableTable(f"more than {MAX_COLUMNS:,} columns")
    chunks: list[list[pl.Series]] = []
    height = size = 0
    while rows := fetch():
        height += len(rows)
        columns = [text_series([_cell(value) for value in column]) for column in zip(*rows, strict=True)]
        size += sum(int(column.str.len_bytes().sum()) for column in columns)
        if height * len(names) > MAX_CELLS or size > _MAX_TEXT_BYTES:
            raise UnreadableTable(f"more than {MAX_CELLS:,} cells or {_MAX_TEXT_BYTES:,} bytes")
        chunks.append(columns)
    import polars as pl

    whole = [pl.concat([chunk[place] for chunk in chunks]) for place in range(len(names))] if chunks else []
    return Table(tuple(name.strip() for name in names), tuple(whole or [text_series([]) for _ in names]), height)


def _cell(value: object) -> str:
    """A stored value as the text that a CSV file would have; bytes as their digits."""
    if isinstance(value, bytes):
        return value[:_MAX_CELL_BYTES].hex()
    return cell_text(value)
