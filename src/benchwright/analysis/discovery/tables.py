"""Searches as the rows of tables: required files, steps, and files that were opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchwright.analysis.discovery.search import Moment, Search, search
from benchwright.run import Attempt, RunFolder
from benchwright.suite import Suite

_KEY = {**dict.fromkeys(("run", "cell", "task_id"), "String"), "epoch": "Int64", "basis": "String"}
REQUIRED_COLUMNS = {
    **_KEY,
    "file": "Int64",
    **dict.fromkeys(("room", "path"), "String"),
    **{
        f"{what}_{unit}": kind
        for what in ("listed", "opened", "used")
        for unit, kind in (("step", "Int64"), ("seconds", "Float64"))
    },
    **dict.fromkeys(("listed", "opened", "content_read", "certain"), "Boolean"),
    **dict.fromkeys(("instead", "instead_role"), "String"),
}
"""`file` numbers an attempt's required files; `room` and `path` are gold, here and in `reads` beside what a file is to
the question, and null where that is not asked for."""
SEARCH_COLUMNS = {
    **_KEY,
    **dict.fromkeys(("step", "opened", "required_opened", "found", "sought"), "Int64"),
    **dict.fromkeys(("precision", "recall"), "Float64"),
}
READ_COLUMNS = {
    **_KEY,
    **dict.fromkeys(("room", "path"), "String"),
    "step": "Int64",
    "role": "String",
    "bytes_read": "Int64",
}


def searches(suite: Suite, run: RunFolder) -> Iterator[tuple[Attempt, Search]]:
    """The searches of a run's attempts, where the required files and those that it opened are known."""
    for attempt in run.attempts().values():
        if attempt.task_id not in suite.tasks:
            continue
        found = search(suite, attempt, run.transcripts.found(attempt.uuid).steps)
        if found is not None:
            yield attempt, found


def required_rows(key: dict[str, Any], found: Search, with_gold: bool) -> Iterator[dict[str, Any]]:
    """One row a required file."""
    for number, item in enumerate(found.sought, start=1):
        near = item.instead[0] if item.instead else None
        yield {
            **key,
            "file": number,
            "room": item.room if with_gold else None,
            "path": item.path if with_gold else None,
            **_moment("listed", item.listed),
            **_moment("opened", item.opened),
            **_moment("used", item.used),
            "listed": item.listed is not None,
            "opened": item.opened is not None,
            "content_read": item.content_read,
            "certain": item.certain,
            "instead": near.access.path if near else None,
            "instead_role": near.role if near else None,
        }


def _moment(what: str, when: Moment | None) -> dict[str, Any]:
    return {f"{what}_step": when.step if when else None, f"{what}_seconds": when.seconds if when else None}


def search_rows(key: dict[str, Any], found: Search) -> Iterator[dict[str, Any]]:
    """One row a step; precision is null before anything was opened."""
    for step, opened, right, reached in found.progress():
        yield {
            **key,
            "step": step,
            "opened": opened,
            "required_opened": right,
            "found": reached,
            "sought": len(found.sought),
            "precision": right / opened if opened else None,
            "recall": reached / len(found.sought),
        }


def read_rows(key: dict[str, Any], found: Search, with_gold: bool) -> Iterator[dict[str, Any]]:
    """One row a file that was opened, with what it is to the question."""
    for read in found.reads:
        seen = read.access
        where = {"room": seen.room, "path": seen.path} if with_gold else {"room": None, "path": None}
        yield {**key, **where, "step": seen.step, "bytes_read": seen.bytes_read, "role": read.role}
