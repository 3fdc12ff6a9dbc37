"""The leaderboard's database: SQLite in a file, or PostgreSQL by its address, brought up to date when it is opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

from benchwright.closing import Closing
from benchwright.errors import EnvironmentFault, InputError
from benchwright.leaderboard.models import Base

MIGRATIONS = Path(__file__).parent / "migrations"
_UPGRADING = 0x62656E6368
"""The number of PostgreSQL's lock under which one server at a time brings the tables up to date."""
_SERVING = 0x7365727665
"""The number of the lock that a server holds as long as it runs."""
_LOCK_NOT_AVAILABLE = "55P03"
"""What PostgreSQL says of a lock that was not had in time."""
_WAIT = 30.0
"""Seconds that a writer waits for another one."""
_PATIENCE = 10.0
"""Seconds within which PostgreSQL has noticed that the connection of a killed server is closed."""


class Database(Closing):
    """An open database. Any thread may begin a transaction."""

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        try:
            with self.engine.connect() as connection:
                _bring_up_to_date(connection)
        except SQLAlchemyError as error:
            self.engine.dispose()
            raise EnvironmentFault(
                f"the database at {_without_password(url)} cannot be used",
                found=str(getattr(error, "orig", error)).strip()[:400],
                expected="sqlite:///FILE, or postgresql://USER:PASSWORD@HOST/NAME of a server that is reached",
            ) from error

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that changes nothing; what it gave may be read after its end."""
        with Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that is written whole at the end of the block, and is on disk then, or not at all.

        On SQLite it has the database for itself from its begin on: what it reads does not change before it writes.
        """
        with Session(self.engine, expire_on_commit=False) as session:
            if self.engine.dialect.name == "sqlite":
                session.execute(text("BEGIN IMMEDIATE"))
            yield session
            session.commit()

    @contextmanager
    def alone(self, patience: float = _PATIENCE) -> Iterator[None]:
        """Hold a PostgreSQL database against a second server; SQLite's lies in a store, which is held itself.

        One that was killed a moment ago still has it until PostgreSQL notices: that is waited for, `patience` seconds.
        Errors: InputError where another has it.
        """
        if self.engine.dialect.name == "sqlite":
            yield
            return
        with self.engine.connect() as connection:
            connection.detach()  # it is closed at its end, and goes to no pool
            _take(connection, patience)
            try:
                yield
            finally:
                # The end of the connection gives it back as well, but at some time after it is closed here.
                with suppress(SQLAlchemyError):  # the connection was lost, and the lock with it
                    connection.execute(text("SELECT pg_advisory_unlock(:number)"), {"number": _SERVING})
                    connection.commit()

    def differences(self) -> list[Any]:
        """What the tables lack, or have more than the models say; empty: they agree."""
        with self.engine.connect() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            return list(compare_metadata(context, Base.metadata))

    def close(self) -> None:
        """Give up the connections. Idempotent."""
        self.engine.dispose()


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise InputError("not the address of a database", expected="sqlite:///FILE or postgresql://...") from error
    kind = parsed.get_backend_name()
    if kind == "postgresql":
        engine = create_engine(parsed.set(drivername="postgresql+psycopg"), pool_size=20, pool_pre_ping=True)
    elif kind == "sqlite" and parsed.database and parsed.database != ":memory:":
        engine = create_engine(parsed, pool_size=20, connect_args={"timeout": _WAIT})
        event.listen(engine, "connect", _prepare_sqlite)
    else:
        raise InputError(
            "not a database that the leaderboard can be kept in",
            found=kind,
            expected="sqlite:///FILE or postgresql://...",
        )
    return engine


def _take(connection: Connection, patience: float) -> None:
    """Take the lock of a server. Errors: InputError where another one has it that long."""
    bound = {"bound": f"{max(1, round(patience * 1000))}ms"}  # 0 would be no bound
    connection.execute(text("SELECT set_config('lock_timeout', :bound, true)"), bound)
    try:
        connection.execute(text("SELECT pg_advisory_lock(:number)"), {"number": _SERVING})
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", None) != _LOCK_NOT_AVAILABLE:
            raise
        raise InputError("another leaderboard server uses this database", hint="end it first") from error
    connection.commit()


def _prepare_sqlite(connection: Any, _: object) -> None:
    """Readers beside one writer, every commit on disk, and transactions that begin when we say so."""
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _bring_up_to_date(connection: Connection) -> None:
    """Run the migrations that are missing, in one transaction, one server at a time."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("BEGIN IMMEDIATE"))
    else:
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _UPGRADING})
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    connection.commit()


def _without_password(url: str) -> str:
    return make_url(url).render_as_string(hide_password=True)
