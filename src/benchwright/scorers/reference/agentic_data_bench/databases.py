"""The published comparison of SQLite databases: each table is written as CSV and compared in order."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from benchwright.scorers.reference.agentic_data_bench.calls import Call, Verdict
from benchwright.scorers.reference.agentic_data_bench.tables import TableRule, compare_table

_ROWS = 10_000
_BESIDE = ("", "-wal", "-journal")
"""What SQLite keeps beside a database that was not closed, and reads with it."""

Schema = Mapping[str, list[str] | None]


def compare_sqlite(call: Call) -> Verdict:
    """The mean over tables, the best gold counting. `ignore_order` is taken and not looked at, as published.

    Nothing is written beside either database: the output is copied, and tables are compared in a temporary folder.
    """
    unknown = sorted(call.arguments.keys() - {"specified_schema", "ignore_order"})
    if unknown:
        raise AssertionError(f"unexpected options: {unknown}")
    if call.output is None or not call.output.exists():
        return Verdict(0.0, "no such file")
    with tempfile.TemporaryDirectory(prefix="benchwright-") as name, _opened(_copy(call, Path(name))) as output:
        names = _tables(output)
        if not names:
            return Verdict(0.0, "a database without tables")
        verdicts = [_against(call, output, place, Path(name)) for place in range(len(call.golds))]
    return max(verdicts, key=lambda verdict: verdict.value, default=Verdict(0.0, "no gold"))


def _copy(call: Call, folder: Path) -> Path:
    copy = folder / "output.db"
    for ending in _BESIDE:
        source = call.files.get(call.name + ending)
        if source is not None and source.exists():
            shutil.copyfile(source, f"{copy}{ending}")
    return copy


@contextmanager
def _opened(path: Path, options: str = "") -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}{options}", uri=True)) as connection:
        literals = getattr(sqlite3, "SQLITE_DBCONFIG_DQS_DML", None)
        if literals is not None:  # Python 3.12; older ones come with SQLite's default, which is the same
            connection.setconfig(literals, True)  # type: ignore[attr-defined,unused-ignore]
        yield connection


def _tables(connection: sqlite3.Connection) -> list[str]:
    return [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")]


def _schema(call: Call, place: int) -> Schema:
    """What counts of a gold. One schema for several golds is a KeyError, too few are an IndexError: as published."""
    schemas: Any = call.arguments.get("specified_schema")
    if schemas is None:
        return {}
    if isinstance(schemas, dict) and len(call.golds) > 1:
        raise KeyError(place)
    stated: Schema = (schemas if isinstance(schemas, dict) else schemas[place]) or {}
    return stated


def _against(call: Call, output: sqlite3.Connection, place: int, folder: Path) -> Verdict:
    gold = call.golds[place]
    if not gold.exists():
        return Verdict(0.0, "no such gold")
    with _opened(gold, "?mode=ro&immutable=1") as wanted:
        golds, founds = _tables(wanted), _tables(output)
        if not golds:
            return Verdict(0.0, "the gold has no tables")
        schema = _schema(call, place)
        missing = [name for name in schema if name not in golds or name not in founds]
        if missing:
            return Verdict(0.0, f"no table {', '.join(missing)}")
        compared = dict(schema) if schema else dict.fromkeys(sorted({*golds} & {*founds}))
        sides = folder / "gold", folder / "output"
        written = [_write(*side, compared) for side in zip(sides, (wanted, output), strict=True)]
    if not compared or len(written[0]) != len(written[1]) or not written[1]:
        return Verdict(0.0, "no tables that can be compared")
    if _one_folder(call, gold):  # then the published files of the gold are overwritten with those of the output
        written[0] = written[1]
    verdicts = [
        # an IndexError where neither side's table could be read, as published
        (name, compare_table(written[1][number], written[0][number], TableRule(columns or (), any_order=False)))
        for number, (name, columns) in enumerate(compared.items())
    ]
    reasons = "; ".join(f"{name}: {verdict.reason}" for name, verdict in verdicts if verdict.reason)
    evidence = tuple(
        item.model_copy(update={"part": f"{name}: {item.part}"})
        for name, verdict in verdicts
        for item in verdict.evidence
    )
    return Verdict(sum(verdict.value for _, verdict in verdicts) / len(verdicts), reasons, evidence)


def _one_folder(call: Call, gold: Path) -> bool:
    return call.output is not None and call.output.parent.resolve() == gold.parent.resolve()


def _write(folder: Path, connection: sqlite3.Connection, schema: Schema) -> list[Path]:
    """Each table of the schema as CSV, up to the first that cannot be read."""
    import pandas as pd

    folder.mkdir(exist_ok=True)
    written: list[Path] = []
    for number, (name, columns) in enumerate(schema.items()):
        # Names come from the suite. A column that is not there is, in double quotes, a text to SQLite: as published.
        wanted = "*" if columns is None else ", ".join(f'"{column}"' for column in columns)
        path = folder / f"{number}.csv"
        try:
            frame: Any = pd.read_sql_query(f"SELECT {wanted} FROM {name} LIMIT {_ROWS}", connection)  # noqa: S608
            frame.to_csv(path, index=False)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - whatever it is, the published rule leaves out this table and the rest
            return written
        written.append(path)
    return written
