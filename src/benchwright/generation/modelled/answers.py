"""What a workflow hands in: whether it is of its kind, its form in words without its value, and how it is checked."""

from __future__ import annotations

import csv
import io
import re

from benchwright.generation.modelled.forms import TABLE_FILE, AnswerKind
from benchwright.generation.modelled.kept import Ran
from benchwright.generation.static_checks import Fault
from benchwright.gold import Check
from benchwright.task import OutputSpec

_NUMBER = re.compile(r"[-+]?\d+(?:\.(\d+))?(?:[eE][-+]?\d+)?")
_NOTHING = frozenset(("", "nan", "none", "null", "nat", "inf", "-inf", "<na>", "[]", "{}"))
_GUESSED = frozenset(("0", "0.0", "0.00", "1", "yes", "no", "true", "false"))
_LONGEST, _MOST_ITEMS, _MOST_ROWS = 2_000, 50, 200
_LEAST_TELLING = 4
"""Parts of answers that are shorter stand in any question by accident."""


def fault_of(kind: AnswerKind, ran: Ran) -> Fault | None:
    """Why a run came to no answer of its kind; None where it did."""
    if ran.error:
        return "failed_to_run", ran.error
    return _fault_of_table(ran) if kind == "table" else _fault_of_line(kind, ran)


def _fault_of_line(kind: AnswerKind, ran: Ran) -> Fault | None:
    text = ran.printed.strip()
    if not text:
        return "empty_answer", "it prints nothing; expected the answer"
    if "\n" in text or len(text) > _LONGEST:
        return "unfit_answer", f"it prints {len(text.splitlines())} lines; expected the answer on one line and no more"
    items = items_of(kind, ran)
    if text.casefold() in _GUESSED or any(item.casefold() in _NOTHING for item in items):
        return "trivial_answer", f"the answer is {text[:80]}, which is or holds nothing, or what anybody guesses"
    if kind == "number" and not _NUMBER.fullmatch(text):
        return "unfit_answer", f"it prints {text[:80]!r}; expected one number and nothing else"
    if kind == "list" and not 2 <= len(items) <= _MOST_ITEMS:
        return "unfit_answer", f"the list has {len(items)} items; expected 2 to {_MOST_ITEMS}, divided by '; '"
    return None


def _fault_of_table(ran: Ran) -> Fault | None:
    rows = rows_of(ran)
    if not rows:
        return "empty_answer", f"it writes no {TABLE_FILE} into the working directory"
    if len({len(row) for row in rows}) > 1 or not all(name.strip() for name in rows[0]):
        return "unfit_answer", f"{TABLE_FILE} is no table with one header line"
    if not 2 <= len(rows) <= _MOST_ROWS + 1:
        return "unfit_answer", f"{TABLE_FILE} has {len(rows) - 1} rows; expected 1 to {_MOST_ROWS}"
    return None


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
