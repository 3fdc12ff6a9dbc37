"""The spreadsheet of a review, as a workbook or as CSV: cells are text, and no text can run as a formula."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from benchwright.errors import EnvironmentFault, InputError
from benchwright.files import Record, read_text, write_atomic
from benchwright.skills.corpus.base import cleaned
from benchwright.skills.nodes import Hierarchy, SkillNode
from benchwright.skills.review.suggesting import Suggestion, suggestions
from benchwright.skills.steps import solution_of

COLUMNS = (
    "id",
    "skill",
    "category",
    "description",
    "examples",
    "parents",
    "children",
    "steps",
    "solutions",
    "suggested action",
    "suggested because",
    "action",
    "into",
    "note",
)
NEEDED = ("id", "action")
_SHEET = "skills"
ACTIONS = ("keep", "rename", "merge", "split", "drop")
_WIDTHS = {
    "skill": 34,
    "description": 50,
    "examples": 70,
    "children": 34,
    "suggested because": 26,
    "into": 34,
    "note": 30,
}
_LEADS = ("=", "+", "-", "@", "\t", "\r", "'")
"""What makes a spreadsheet take a text of a CSV file for a formula, and the mark against that itself."""
_NUMERIC = re.compile(r"[\d.,:/ -]+")
"""What a spreadsheet turns into a number or a date: the id 6-12 would come back as 12-Jun."""
_EXAMPLES, _EXAMPLE, _CELL = 5, 600, 8_000
_MOST_BYTES, _MOST_ROWS = 200_000_000, 200_000
_CREATED = datetime(2000, 1, 1)  # noqa: DTZ001 - workbooks know no zones; the same review is the same file


class Row(Record):
    """One row as it came back: `number` counts from 1, the header included. None: the sheet has no such column."""

    number: int
    id: str
    action: str = ""
    into: str = ""
    note: str = ""
    skill: str | None = None
    category: str | None = None


_READ = frozenset(Row.model_fields) - {"number"}


def write_sheet(path: Path, hierarchy: Hierarchy) -> None:
    """Write the top skills for people to decide on, as `.xlsx` or `.csv`; an empty action means keep.

    Errors: InputError where a file of that name says something else.
    """
    suggested = suggestions(hierarchy.tops)
    rows = [_cells(node, hierarchy.nodes, suggested[node.id]) for node in hierarchy.tops]
    if path.suffix.lower() == ".csv":
        write_csv(path, COLUMNS, rows)
    elif path.suffix.lower() == ".xlsx":
        _write_new(path, _workbook(rows))
    else:
        raise InputError("not a spreadsheet", found=str(path), expected="a name that ends in .xlsx or .csv")


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str | int]]) -> None:
    """Write a CSV file that spreadsheets open as it is: with the mark by which they know UTF-8 and no formulas."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\r\n").writerows([columns, *([_neutral(cell) for cell in row] for row in rows)])
    _write_new(path, ("\ufeff" + stream.getvalue()).encode("utf-8", "replace"))


def _write_new(path: Path, data: bytes) -> None:
    """Write a sheet, unless there is one that says something else: somebody's decisions would be gone."""
    if path.exists() and path.read_bytes() != data:
        hint = "it may hold decisions of people; move it away, or choose another name"
        raise InputError(f"{path} is there already, and says something else", hint=hint)
    write_atomic(path, data)


def _cells(node: SkillNode, nodes: Mapping[str, SkillNode], suggested: Suggestion) -> tuple[str | int, ...]:
    named = [", ".join(nodes[other].name for other in others) for others in (node.parents, node.children)]
    action = f"{suggested.action} into {suggested.into}" if suggested.into else suggested.action
    examples = "\n".join(f"- {text[:_EXAMPLE]}" for text in node.examples[:_EXAMPLES])
    texts = (node.id, node.name, node.category, node.description, examples, *named)
    solutions = len({solution_of(step) for step in node.steps})
    told = (action, suggested.reason, "", "", "")
    return (*map(shown, texts), len(node.steps), solutions, *map(shown, told))


def shown(text: str) -> str:
    """A text as a cell shows it: what comes back is compared with that."""
    return cleaned(text)[:_CELL].strip()


def _neutral(cell: str | int) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe before what could begin one."""
    text = str(cell)
    return f"'{text}" if isinstance(cell, str) and _endangered(text) else text


def _plain(text: str) -> str:
    """A cell as it was before `_neutral`."""
    return text[1:] if text.startswith("'") and _endangered(text[1:]) else text


def _endangered(text: str) -> bool:
    return text.startswith(_LEADS) or _NUMERIC.fullmatch(text) is not None


def _workbook(rows: Sequence[Sequence[str | int]]) -> bytes:
    try:
        import xlsxwriter
    except ImportError as error:
        raise EnvironmentFault(
            "workbooks need XlsxWriter", hint="pip install 'benchwright[skills]', or .csv"
        ) from error
    stream = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(stream, options) as book:
        book.set_properties({"created": _CREATED})
        sheet = book.add_worksheet(_SHEET)
        head, body = book.add_format({"bold": True}), book.add_format({"text_wrap": True, "valign": "top"})
        sheet.write_row(0, 0, COLUMNS, head)
        for number, row in enumerate(rows, start=1):
            sheet.write_row(number, 0, row, body)
        sheet.freeze_panes(1, 2)
        for place, name in enumerate(COLUMNS):
            sheet.set_column(place, place, _WIDTHS.get(name, 14))
        place = COLUMNS.index("action")
        sheet.data_validation(1, place, max(len(rows), 1), place, {"validate": "list", "source": list(ACTIONS)})
    return stream.getvalue()


def read_sheet(path: Path) -> list[Row]:
    """What came back, in the sheet's order; rows without anything in them are left out.

    Errors: InputError where the file is no such sheet. What single rows say is not checked here.
    """
    return [
        Row.from_json({"id": "", **cells, "number": number}, f"{path}, row {number}")
        for number, cells in read_table(path, NEEDED, _READ)
    ]


def read_table(path: Path, needed: Sequence[str], read: Collection[str]) -> list[tuple[int, dict[str, str]]]:
    """The rows of a sheet that say something, with their numbers (the header is 1): text by column, of those to read.

    Errors: InputError where the file is no sheet, lacks a needed column, or is too large.
    """
    if not path.is_file():
        raise InputError("no such sheet", found=str(path), expected="a .xlsx or .csv that was written for people")
    _check_size(path, path.stat().st_size)
    lines = _xlsx(path) if path.suffix.lower() == ".xlsx" else _csv(path)
    names = [name.strip().casefold() for name in next(lines, [])]
    missing = [name for name in needed if name not in names]
    if missing:
        found = ", ".join(names[:20]) or "nothing"
        raise InputError(
            f"{path}: no column {missing[0]!r}", found=found, expected=f"a header with {', '.join(needed)}"
        )
    twice = [name for name in names if name and names.count(name) > 1]
    if twice:
        raise InputError(f"{path}: two columns of one name", found=twice[0])
    return list(_rows(names, lines, read, path))


def _rows(
    names: Sequence[str], lines: Iterable[Sequence[str]], read: Collection[str], path: Path
) -> Iterator[tuple[int, dict[str, str]]]:
    for number, line in enumerate(lines, start=2):
        if number > _MOST_ROWS:
            raise InputError(f"{path}: more than {_MOST_ROWS:,} rows")
        cells = {name: cell.strip() for name, cell in zip(names, line, strict=False) if name in read}
        if any(cells.values()):
            yield number, cells


def _csv(path: Path) -> Iterator[list[str]]:
    """The lines of a CSV file with the separator that its header uses: Excel writes that of the country."""
    try:
        text = read_text(path)
    except InputError as error:
        raise InputError(
            error.what, found=error.found, expected="UTF-8", hint='save as "CSV UTF-8", or .xlsx'
        ) from error
    head = text.partition("\n")[0]
    separator = max((",", ";", "\t"), key=head.count)
    try:
        for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True):
            yield [_plain(cell) for cell in line]
    except csv.Error as error:
        raise InputError(f"{path}: not a CSV file", found=str(error)) from error


def _xlsx(path: Path) -> Iterator[list[str]]:
    try:
        import openpyxl
    except ImportError as error:
        raise EnvironmentFault("workbooks need openpyxl", hint="pip install 'benchwright[skills]', or .csv") from error
    try:
        with zipfile.ZipFile(path) as archive:
            _check_size(path, sum(item.file_size for item in archive.infolist()))
        book = openpyxl.load_workbook(path, read_only=True)
        try:
            sheet = next((each for each in book.worksheets if each.title == _SHEET), book.worksheets[0])
            sheet.reset_dimensions()  # some programs write a range that leaves cells out
            for row in sheet.iter_rows(values_only=True):
                yield [_text(cell) for cell in row]
        finally:
            book.close()
    except InputError:
        raise
    except Exception as error:  # whatever a parser raises on a broken file
        raise InputError(f"{path}: not a readable workbook", found=f"{type(error).__name__}: {error}"[:200]) from error


def _check_size(path: Path, size: int) -> None:
    if size > _MOST_BYTES:
        raise InputError(
            f"{path}: too large for a review", found=f"{size:,} bytes", expected=f"at most {_MOST_BYTES:,}"
        )


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
