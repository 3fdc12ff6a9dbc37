"""What was asked of models, in one SQLite file: every call with its tokens, and every question with its answer."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from benchwright.errors import EnvironmentFault, InputError
from benchwright.files import Record, canonical_json
from benchwright.trajectory import Usage

Status = Literal["done", "failed"]
R = TypeVar("R", bound=Record)

_TABLES = """
CREATE TABLE IF NOT EXISTS calls (
  number INTEGER PRIMARY KEY, stage TEXT NOT NULL, key TEXT NOT NULL, model TEXT NOT NULL,
  usage TEXT NOT NULL, complaint TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS calls_of_question ON calls (stage, key);
CREATE TABLE IF NOT EXISTS answers (
  stage TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, status TEXT NOT NULL,
  value TEXT, reason TEXT NOT NULL, PRIMARY KEY (stage, key)) WITHOUT ROWID;
"""


class Asked(Record):
    """What became of a question.

    `value` is the answer as JSON, None where it failed; `attempts` and `usage` are of all calls for it, those of
    earlier runs and rejected ones included; `asked_now` is False where the answer was kept from an earlier run.
    """

    status: Status
    value: dict[str, Any] | None = None
    reason: str = ""
    attempts: int = 0
    usage: Usage = Usage()
    asked_now: bool = True

    def read(self, form: type[R]) -> R:
        """The answer as the record that was asked for; InputError where there is none."""
        return form.from_json(self.value, "an answer")


@dataclass(frozen=True, slots=True)
class Spending:
    """What all calls in a ledger used; `usd` is None as soon as one call's cost is not known."""

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0

    def plus(self, usage: Usage) -> Spending:
        """With one more call."""
        usd = None if self.usd is None or usage.cost_usd is None else self.usd + usage.cost_usd
        return Spending(self.calls + 1, self.tokens + tokens_of(usage), usd)


def tokens_of(usage: Usage) -> int:
    """All tokens of a call, cached ones included."""
    return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens


class Ledger:
    """One SQLite file with the answers of any number of stages; one process at a time works with it.

    Each call and each answer is one transaction: a process that is killed loses what was in flight, and nothing else.
    One thread at a time.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._sqlite = connection

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[Self]:
        """The ledger in a file, which is made where there is none.

        Errors: InputError where the file is no ledger, or another process has it open.
        """
        make_folder(path.parent)
        connection = sqlite3.connect(path, timeout=1.0, isolation_level=None, check_same_thread=False)
        try:
            with trouble(path):
                connection.execute("PRAGMA locking_mode=EXCLUSIVE")
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
            yield cls(path, connection)
        finally:
            connection.close()

    def answer(self, stage: str, key: str, digest: str = "") -> Asked | None:
        """What is kept for a question; with a digest, only if the same was asked."""
        row = self._sqlite.execute(
            "SELECT status, value, reason, digest FROM answers WHERE stage = ? AND key = ?", (stage, key)
        ).fetchone()
        if row is None or (digest and row[3] != digest):
            return None
        value = None if row[1] is None else json.loads(row[1])
        usage, attempts = self._used(stage, key)
        return Asked(status=row[0], value=value, reason=row[2], attempts=attempts, usage=usage, asked_now=False)

    def keep_call(self, stage: str, key: str, model: str, usage: Usage, complaint: str) -> None:
        """Keep what one call used, and what was wrong with its reply (empty: nothing)."""
        with trouble(self.path):
            self._sqlite.execute(
                "INSERT INTO calls (stage, key, model, usage, complaint) VALUES (?, ?, ?, ?, ?)",
                (stage, key, model, canonical_json(usage.to_json()), _storable(complaint)),
            )

    def keep_answer(self, stage: str, key: str, digest: str, value: dict[str, Any] | None, reason: str = "") -> Asked:
        """Keep the answer of a question, or with None why it failed; an earlier one is replaced."""
        status: Status = "failed" if value is None else "done"
        text = None if value is None else _storable(canonical_json(value))
        row = (stage, key, digest, status, text, _storable(reason))
        with trouble(self.path):
            self._sqlite.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", row)
        usage, attempts = self._used(stage, key)
        return Asked(status=status, value=value, reason=reason, attempts=attempts, usage=usage)

    def spending(self) -> Spending:
        """What all calls used, of all stages."""
        spent = Spending()
        for (text,) in self._sqlite.execute("SELECT usage FROM calls"):
            spent = spent.plus(Usage.model_validate_json(text))
        return spent

    def _used(self, stage: str, key: str) -> tuple[Usage, int]:
        rows = self._sqlite.execute("SELECT usage FROM calls WHERE stage = ? AND key = ?", (stage, key)).fetchall()
        usage = Usage(cost_usd=0.0)
        for (text,) in rows:
            usage = usage.plus(Usage.model_validate_json(text))
        return usage, len(rows)


def require_own(folder: Path, written: str, ledger: str) -> None:
    """InputError where what is to be written lies in a folder without the ledger of the work that it came of."""
    if (folder / written).exists() and not (folder / ledger).exists():
        found, expected = f"{written} without {ledger}", "a new folder, or one of this work"
        raise InputError(f"{folder} holds what was not made here", found=found, expected=expected)


def make_folder(folder: Path) -> None:
    """Make a folder where there is none; InputError where none can be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        raise InputError(
            f"{folder} cannot be used", found=error.strerror or str(error), expected="a folder that can be made"
        ) from error


def _storable(text: str) -> str:
    """Text that SQLite takes: half of a surrogate pair, which a reply may hold, has no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


@contextmanager
def trouble(path: Path) -> Iterator[None]:
    """What SQLite raises, as an error of ours that says what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "full" in str(error):
            hint = "make room; what was answered is kept, and the same command goes on"
            raise EnvironmentFault(f"{path} cannot be written", found=str(error), hint=hint) from error
        hint = "wait for the other process that works with it, or choose another folder"
        raise InputError(f"{path} cannot be used", found=str(error), hint=hint) from error
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path} cannot be used", found=str(error), expected="a ledger of ours, or no file") from error
