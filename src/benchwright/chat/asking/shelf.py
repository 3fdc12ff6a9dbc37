"""Values by key in an SQLite file, kept as soon as they are there."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path

from benchwright.chat.asking.ledger import make_folder, trouble
from benchwright.closing import Closing


class Shelf(Closing):
    """One table of an SQLite file; every `put` is one transaction, from any thread. Errors as those of a ledger."""

    def __init__(self, path: Path, table: str) -> None:
        self._path, self._table = path, table
        make_folder(path.parent)
        self._database = sqlite3.connect(path, timeout=60, check_same_thread=False)
        self._lock = threading.Lock()
        with trouble(path), self._database:
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute(
                f"CREATE TABLE IF NOT EXISTS {table} (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
            )

    def close(self) -> None:
        """Give up what is held. Idempotent."""
        self._database.close()

    def get(self, key: str) -> bytes | None:
        """The value of a key, None where there is none."""
        with trouble(self._path), self._lock:
            query = f"SELECT value FROM {self._table} WHERE key = ?"  # noqa: S608 - the table is named in our code
            row = self._database.execute(query, (key,)).fetchone()
        return None if row is None else bytes(row[0])

    def put(self, values: Iterable[tuple[str, bytes]]) -> None:
        """Keep values; earlier ones of the same keys are replaced."""
        with trouble(self._path), self._lock, self._database:
            query = f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?)"  # noqa: S608 - the table is named in our code
            self._database.executemany(query, values)
