"""Code that reads a table whole with pandas, whatever its columns are called."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from benchwright.profiles.entries import FileProfile, Table

_BREAK = re.compile(r"\r\n|\r|\n")
_NAMED_BY_OTHERS = re.compile(r"^[\d.:/ -]*$|^(?:True|False)$|_\d+$|^column_")
"""Names of a sheet that pandas may give otherwise: numbers, dates, truth values, none, and those that stand twice."""
_CUT = re.compile(r"\[\d+ more\]$")
"""How profiles end names that they cut: breaks in the rest are not known."""


def reader(path: str, profile: FileProfile, table: Table) -> str:
    """An expression for the table of a file at this path of the data; empty where templates cannot read it."""
    make = _READERS.get(_format(profile))
    inner = profile.inner[0].facts if profile.inner else profile.facts
    return make(repr(f"/data/{path}"), inner, table) if make else ""


def stated_names(profile: FileProfile, table: Table) -> tuple[str, ...]:
    """The names of columns as the file states them: "" for those without one, one that stands twice each time.

    Profiles name columns once each: size_duplicated_0 in delimited files, column_2 and size_2 in workbooks.
    """
    names = [column.name for column in table.columns]
    if _format(profile) == "workbook":
        return tuple(_in_sheet(name, place, names) for place, name in enumerate(names))
    return tuple(re.sub(r"_duplicated_\d+$", "", name) for name in names)


def _in_sheet(name: str, place: int, names: list[str]) -> str:
    if name == f"column_{place + 1}":
        return ""
    base = re.sub(r"_\d+$", "", name)
    return base if base in names[:place] else name


def _format(profile: FileProfile) -> str:
    if profile.format == "gzip" and len(profile.inner) == 1:
        return {"json": "", "jsonl": "jsonl"}.get(inner := _format(profile.inner[0]), inner)
    return profile.format


def _delimited(path: str, facts: Mapping[str, Any], table: Table) -> str:
    if facts.get("header") is not True or facts.get("delimiter") is None:
        return ""
    options = {} if facts["delimiter"] == "," else {"sep": facts["delimiter"]}
    if facts["delimiter"] == "spaces":
        options["sep"] = r"\s+"
    if facts.get("encoding") not in ("utf-8", "ascii"):
        options["encoding"] = facts["encoding"]
    if above := _lines_above(facts, table):
        if any(_CUT.search(column.name) for column in table.columns):
            return ""
        options["skiprows"] = above
    if table.columns and not table.columns[-1].name:
        options["index_col"] = False
    return f"pd.read_csv({path}" + "".join(f", {name}={value!r}" for name, value in options.items()) + ")"


def _lines_above(facts: Mapping[str, Any], table: Table) -> int:
    """Lines before the names. The names themselves take a line, and one more for each break within their quotes."""
    lines = facts.get("lines_before_data")
    breaks = sum(len(_BREAK.findall(column.name)) for column in table.columns)
    return max(lines - 1 - breaks, 0) if isinstance(lines, int) else 0


def _json(path: str, facts: Mapping[str, Any], _: Table) -> str:
    flat = facts.get("top_level") in ("array", "list")
    return f"pd.DataFrame(json.load(open({path}, encoding='utf-8')))" if flat else ""


def _lines(path: str, _: Mapping[str, Any], __: Table) -> str:
    return f"pd.read_json({path}, lines=True, convert_dates=False, convert_axes=False, dtype=False)"


def _workbook(path: str, _: Mapping[str, Any], table: Table) -> str:
    if table.facts.get("header") is not True or table.facts.get("header_row") != 1:
        return ""
    names = [column.name for column in table.columns]
    given = any(_NAMED_BY_OTHERS.search(name) for name in names)
    return f"pd.read_excel({path}, sheet_name={table.name!r})" + (f".set_axis({names!r}, axis=1)" if given else "")


def _sqlite(path: str, _: Mapping[str, Any], table: Table) -> str:
    name = table.name.replace('"', '""')
    query = f'SELECT * FROM "{name}"'  # noqa: S608 - names are quoted; only the sandbox runs it
    return f"pd.read_sql_query({query!r}, sqlite3.connect({path}))"


_READERS: dict[str, Callable[[str, Mapping[str, Any], Table], str]] = {
    "csv": _delimited,
    "text": _delimited,
    "json": _json,
    "jsonl": _lines,
    "parquet": lambda path, _, __: f"pd.read_parquet({path})",
    "workbook": _workbook,
    "sqlite": _sqlite,
}
