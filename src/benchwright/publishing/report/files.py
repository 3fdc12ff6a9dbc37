"""A report's numbers for programs: all of them in one tidy file, or a folder with a file a table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from benchwright.errors import InputError
from benchwright.files import arriving, require_place, write_atomic
from benchwright.publishing.report.contents import Report
from benchwright.publishing.tables import Table

if TYPE_CHECKING:
    import polars as pl

Form = Literal["csv", "parquet"]
_TIDY = {"table": "String", "row": "Int64", "of": "String", "column": "String", "value": "Float64", "text": "String"}
_RUN = r"^[=+@\t\r\n\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}-]"
"""How a text begins that a spreadsheet takes for a formula; the wide signs of East Asian keyboards, too."""
_SIGNED = r"^[+-][0-9][0-9,]*(\.[0-9]+)?$"


def frame(table: Table) -> pl.DataFrame:
    """The rows of a table, all columns, in the order in which `Number.row` counts them."""
    import polars as pl

    kinds = table.kinds
    types = {name: _type(name, kinds.get(name, "text"), table) for name in table.names}
    rows = [{name: row.get(name) for name in types} for row in table.rows]
    return pl.DataFrame(rows, schema={name: getattr(pl, kind) for name, kind in types.items()})


def _type(name: str, kind: str, table: Table) -> str:
    """Counts are whole numbers; a column that no page shows has the type of its values."""
    if name in table.kinds:
        return {"text": "String", "count": "Int64"}.get(kind, "Float64")
    found = next((row[name] for row in table.rows if row.get(name) is not None), "")
    return {int: "Int64", float: "Float64"}.get(type(found), "String")


def tidy(report: Report) -> pl.DataFrame:
    """Every number of the report in a row of its own: which table, row and column, and what the row is of."""
    import polars as pl

    rows = [row for table in report.tables for row in _tidy_rows(table)]
    return pl.DataFrame(rows, schema={name: getattr(pl, kind) for name, kind in _TIDY.items()})


def _tidy_rows(table: Table) -> Iterator[dict[str, Any]]:
    kinds = table.kinds
    texts = [name for name in table.names if kinds.get(name, "") == "text"]
    for number, row in enumerate(table.rows):
        of = " / ".join(str(row[name]) for name in texts if row.get(name) is not None)
        for name in table.names:
            if kinds.get(name, "text") != "text" and row.get(name) is not None:
                shown = table.number(number, name).text
                yield {"table": table.name, "row": number, "of": of, "column": name, "value": row[name], "text": shown}


def write_file(report: Report, path: Path, form: Form) -> None:
    """Every number in one file."""
    write_frame(tidy(report), path, form)


def write_folder(report: Report, folder: Path, form: Form) -> tuple[Path, ...]:
    """A file a table, named by it. Errors: InputError where a file is in the place of the folder."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file", expected="a folder, or a name that ends in .csv or .parquet")
    tables = tuple(report.tables)
    require_place(folder, f"{tables[0].name}.{form}" if tables else "")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in tables:
        written.append(folder / f"{table.name}.{form}")
        write_frame(frame(table), written[-1], form)
    return tuple(written)


def write_frame(made: pl.DataFrame, path: Path, form: Form) -> None:
    """The whole file, or nothing. Texts that a spreadsheet would run are quoted with an apostrophe in CSV."""
    import polars as pl

    if form == "csv":
        texts = pl.col(pl.String)
        runs = texts.str.contains(_RUN) & ~texts.str.contains(_SIGNED)
        safe = made.with_columns(pl.when(runs).then("'" + texts).otherwise(texts).name.keep())
        write_atomic(path, safe.write_csv())
        return
    with arriving(path) as partial:
        made.write_parquet(partial, compression="zstd")
