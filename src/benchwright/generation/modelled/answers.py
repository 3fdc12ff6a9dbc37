"""What a workflow hands in: whether it is of its kind, its form in words without its value, and how it is checked."""

from __future__ import annotations

import csv
import io
import re

from benchwright.generation.modelled.forms import TABLE_FILE, AnswerKind
from benchwright.generation.modelled.kept import Ran
from benchwright.gold import Check
from benchwright.task import OutputSpec

_NUMBER = re.compile(r"[-+]?\d+(?:\.(\d+))?(?:[eE][-+]?\d+)?")
_NOTHING = frozenset(("", "nan", "none", "null", "nat", "inf", "-inf", "<na>", "[]", "{}"))
_LONGEST, _MOST_ITEMS, _MOST_ROWS = 2_000, 50, 200
_LEAST_TELLING = 4
"""Parts of answers that are shorter stand in any question by accident."""


def unfit(kind: AnswerKind, ran: Ran) -> str:
    """Why what a run handed in is no answer of its kind; empty where it is one."""
    if kind == "table":
        return _unfit_table(ran)
    text = ran.printed.strip()
    if "\n" in text or len(text) > _LONGEST:
        return f"it prints {len(text.splitlines())} lines; expected the answer on one line and nothing else"
    items = items_of(kind, ran)
    empty = [item for item in items if item.casefold() in _NOTHING]
    if empty or not items:
        return f"the answer is or holds {empty[0] if empty and empty[0] else 'nothing'}"
    if kind == "number" and not _NUMBER.fullmatch(text):
        return f"it prints {text[:80]!r}; expected one number and nothing else"
    if kind == "list" and not 2 <= len(items) <= _MOST_ITEMS:
        return f"the list has {len(items)} items; expected 2 to {_MOST_ITEMS}, divided by '; '"
    return ""


def _unfit_table(ran: Ran) -> str:
    rows = rows_of(ran)
    if ran.table is None or not rows:
        return f"it writes no {TABLE_FILE} into the working directory"
    width = {len(row) for row in rows}
    if len(width) > 1 or not all(name.strip() for name in rows[0]):
        return f"{TABLE_FILE} is no table with one header line"
    if not 2 <= len(rows) <= _MOST_ROWS + 1:
        return f"{TABLE_FILE} has {len(rows) - 1} rows; expected 1 to {_MOST_ROWS}"
    return ""


def rows_of(ran: Ran) -> list[list[str]]:
    """The rows of the table that a run wrote, names first; empty where it is none."""
    try:
        return [row for row in csv.reader(io.StringIO(ran.table or ""), strict=True) if row]
    except csv.Error:
        return []


def items_of(kind: AnswerKind, ran: Ran) -> list[str]:
    """The single values of an answer."""
    if kind == "table":
        return [cell.strip() for row in rows_of(ran)[1:] for cell in row]
    text = ran.printed.strip()
    return [item.strip() for item in text.split(";")] if kind == "list" else [text]


def decimals_of(kind: AnswerKind, ran: Ran) -> int | None:
    """How many decimals the answer's fractions have; None where it has none."""
    found = [match[1] for item in items_of(kind, ran) if (match := _NUMBER.fullmatch(item)) and match[1]]
    return max(map(len, found)) if found else None


def form_of(kind: AnswerKind, ran: Ran) -> str:
    """The answer's form in words: nothing of its value."""
    decimals = decimals_of(kind, ran)
    precise = "" if decimals is None else f"; numbers with fractions are rounded to {decimals} decimals"
    if kind == "table":
        rows = rows_of(ran)
        named = ", ".join(name.strip()[:80] for name in rows[0][:50])
        return f"the file {TABLE_FILE} with the columns {named}, {len(rows) - 1} rows{precise}"
    if kind == "number":
        return f"one number{precise or ', a whole one'}"
    if kind == "list":
        return f"{len(items_of(kind, ran))} items on one line, divided by '; '{precise}"
    return f"{len(ran.printed.split())} words on one line, as the data write them"


def handed_in(kind: AnswerKind, ran: Ran, *, ordered: bool) -> tuple[OutputSpec, Check]:
    """What an agent has to hand in, and the check that fits an answer of this kind; without its gold."""
    order = "given" if ordered else "any"
    if kind == "table":
        columns = [name.strip() for name in rows_of(ran)[0]]
        options = {"columns": columns, "order": order}
        return OutputSpec(kind="table", name=TABLE_FILE), Check(scorer="table", output=TABLE_FILE, options=options)
    decimals = decimals_of(kind, ran)
    precise = {} if decimals is None else {"decimals": decimals}
    return OutputSpec(), Check(scorer="answer", options={**precise, **({"order": order} if kind == "list" else {})})


def leaked(kind: AnswerKind, ran: Ran, text: str) -> str:
    """A value of the answer that a text holds; empty where it holds none that tells anything."""
    folded = text.casefold()
    for item in items_of(kind, ran):
        value = item.casefold()
        if len(value) >= _LEAST_TELLING and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", folded):
            return item
    return ""
