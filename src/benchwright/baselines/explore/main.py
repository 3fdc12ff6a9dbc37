"""Read the task from stdin, search the data, and print the answer; tables are written to the working folder."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .compute import answer, table
from .joins import widened
from .shape import Slot, read_slots
from .shelf import Found, search
from .tables import load, valid
from .words import Question

if TYPE_CHECKING:
    import pandas as pd

_TRIED = 4
_LISTED_COLUMNS = re.compile(r"columns?(?: are| named)?[:\s]+([^\n]+)", re.IGNORECASE)
_COLUMN = re.compile(r"[A-Za-z_][\w]*")


def main() -> None:
    """One task in, one line of JSON out: the answer, and which tables were used."""
    warnings.simplefilter("ignore")
    task = json.load(sys.stdin)
    question = Question.of(task["question"])
    found = search(task["roots"], question)
    if task.get("table"):
        result = _write_table(found, question, task)
    else:
        result = _answer(found, question, read_slots(task["guidelines"]))
    print(json.dumps(result))  # noqa: T201 - the program's result


def _answer(found: Sequence[Found], question: Question, slots: Sequence[Slot]) -> dict[str, Any]:
    for item, frame in _frames(found, question):
        try:
            text = answer(frame, question, slots)
        except Exception as error:  # noqa: BLE001 - a table that does not suit the question; the next one may
            sys.stderr.write(f"{item.sketch.path}: {type(error).__name__}: {error}\n")
            continue
        if text is not None and "nan" not in text:
            return {"answer": text, "used": str(item.sketch.path)}
    return {"answer": None}


def _write_table(found: Sequence[Found], question: Question, task: dict[str, Any]) -> dict[str, Any]:
    columns = _wanted_columns(f"{task['guidelines']}\n{task['description']}")
    for item, frame in _frames(found, question):
        try:
            result = table(frame, question, columns)
        except Exception as error:  # noqa: BLE001 - as above
            sys.stderr.write(f"{item.sketch.path}: {type(error).__name__}: {error}\n")
            continue
        if result is not None:
            result.to_csv(task["table"], index=False)
            return {"answer": None, "used": str(item.sketch.path), "table": task["table"]}
    return {"answer": None}


def _frames(found: Sequence[Found], question: Question) -> Iterator[tuple[Found, pd.DataFrame]]:
    """The best tables, whole: widened by what other tables add, then as they are."""
    for item in found[:_TRIED]:
        try:
            frame = valid(load(item.sketch))
            wide = widened(frame, item, found, question)
        except Exception as error:  # noqa: BLE001 - as above
            sys.stderr.write(f"{item.sketch.path}: {type(error).__name__}: {error}\n")
            continue
        if wide is not None:
            yield item, wide
        yield item, frame


def _wanted_columns(text: str) -> list[str]:
    """The column names that the task lists."""
    stated = _LISTED_COLUMNS.search(text)
    quoted = re.findall(r"`([^`]+)`", text)
    listed = quoted or _COLUMN.findall(stated.group(1) if stated else "")
    return list(
        dict.fromkeys(
            name
            for name in listed
            if not name.endswith((".csv", ".parquet")) and name not in ("and", "in", "this", "order")
        )
    )
