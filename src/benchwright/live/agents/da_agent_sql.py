"""Runs one SQL statement on a database file: a program for the sandbox's Python, with its request on stdin.

Request: JSON with `path`, `command` and `output` (`direct`, or a file that ends in .csv, .xlsx, .parquet or .json).
"""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

_SHOWN_ROWS = 200
_AS_FRAME = {".xlsx": "to_excel", ".parquet": "to_parquet"}

Result = tuple[list[str], list[tuple[Any, ...]]]
"""The names of columns, none where the statement gives no rows, and the rows."""


def _result(path: str, command: str) -> Result:
    if not os.path.isfile(path):
        raise SystemExit(f"no such database file: {path}")
    with open(path, "rb") as file:
        head = file.read(16)
    if head[8:12] == b"DUCK":
        return _duckdb(path, command)
    if head.startswith(b"SQLite format 3") or not head:
        return _sqlite(path, command)
    raise SystemExit(f"{path} is neither an SQLite nor a DuckDB database")


def _sqlite(path: str, command: str) -> Result:
    writable = os.access(path, os.W_OK) and os.access(os.path.dirname(path) or ".", os.W_OK)
    way = "rw" if writable else "ro&immutable=1"
    with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode={way}", uri=True)) as connection:
        cursor = connection.execute(command)
        rows = cursor.fetchall()
        connection.commit()
        return [column[0] for column in cursor.description or ()], rows


def _duckdb(path: str, command: str) -> Result:
    import duckdb

    with duckdb.connect(path, read_only=not os.access(path, os.W_OK)) as connection:
        result = connection.execute(command)
        return [str(column[0]) for column in result.description or ()], result.fetchall()


def _show(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    lines = [" | ".join(map(str, row)) for row in (names, *rows[:_SHOWN_ROWS])]
    more = f", of which {_SHOWN_ROWS} are shown" if len(rows) > _SHOWN_ROWS else ""
    sys.stdout.write("\n".join([*lines, f"[{len(rows)} rows{more}]\n"]))


def _write(names: Sequence[str], rows: Sequence[Sequence[Any]], output: str) -> None:
    ending = os.path.splitext(output)[1].lower()
    if ending not in (".csv", ".json", *_AS_FRAME):
        raise SystemExit(f"cannot write {output}: output is direct, or a .csv, .json, .xlsx or .parquet file")
    os.makedirs(os.path.dirname(output) or ".", exist_ok=True)
    if ending in _AS_FRAME:
        import pandas as pd

        getattr(pd.DataFrame.from_records(rows, columns=list(names)), _AS_FRAME[ending])(output, index=False)
    else:
        with open(output, "w", newline="", encoding="utf-8") as file:
            if ending == ".csv":
                csv.writer(file, lineterminator="\n").writerows([names, *rows])
            else:
                json.dump([dict(zip(names, row, strict=True)) for row in rows], file, default=str)
    sys.stdout.write(f"{len(rows)} rows written to {output}\n")


def main() -> None:
    """Run the statement; what is wrong with it goes to stderr in one line."""
    request = json.load(sys.stdin)
    output = request["output"]
    try:
        names, rows = _result(request["path"], request["command"])
        if not names:
            sys.stdout.write("done; the statement gives no rows\n")
        elif output.lower() == "direct":
            _show(names, rows)
        else:
            _write(names, rows, output)
    except Exception as error:  # noqa: BLE001 - databases raise what they like, and the agent is to see it
        raise SystemExit(f"{type(error).__name__}: {error}") from None


if __name__ == "__main__":
    main()
