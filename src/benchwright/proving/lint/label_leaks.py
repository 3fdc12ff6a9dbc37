"""Rule: a column of the agent's data that gives the value to be predicted away."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from benchwright.proving.findings import Severity
from benchwright.proving.lint.base import Case, Hit, SuiteRule, cases, quoted
from benchwright.proving.lint.rooms import room_files, rooms_here
from benchwright.suite import Suite

_ROWS = 50_000
_LEAST_ROWS = 4


def find(suite: Suite) -> Iterator[Hit]:
    """For tasks that ask for predictions: tables of the room in which another column determines the label."""
    here = rooms_here(suite)
    for case in cases(suite):
        labels = _labels(suite, case)
        for room in {mount.room for mount in case.task.data} & set(here) if labels else ():
            for file in room_files(suite)[room].entries:
                if file.lower().endswith(".csv"):
                    yield from _table(case, f"{file} of room {room}", suite.room_path(room) / file, labels)


def _labels(suite: Suite, case: Case) -> frozenset[str]:
    """The columns of the gold files of a task that asks for predictions."""
    if not any(output.kind == "predictions" for output in case.task.outputs):
        return frozenset()
    folder = suite.gold_files(case.task.id)
    headers = (_header(folder / name) for name in case.gold.files if name.lower().endswith(".csv"))
    return frozenset(column for header in headers for column in header)


def _header(path: Path) -> Sequence[str]:
    if not path.is_file():
        return ()
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        return next(csv.reader(stream), [])


def _table(case: Case, name: str, path: Path, labels: frozenset[str]) -> Iterator[Hit]:
    wanted = labels & set(_header(path))
    if not wanted:
        return
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        rows = list(islice(csv.DictReader(stream), _ROWS))
    for label in sorted(wanted):
        for column in rows[0] if len(rows) >= _LEAST_ROWS else ():
            if column not in labels and reveals(rows, column, label):
                evidence = f"column {quoted(column)} predicts {quoted(label)} with accuracy 1.0 in {name}"
                yield Hit(case.task.id, f"{evidence} ({len(rows)} rows)")


def reveals(rows: Sequence[Mapping[str, str]], column: str, label: str) -> bool:
    """Whether the label follows from the column in every row.

    Values that occur once are one class: a number or an identifier of its own in each row tells nothing, but "none"
    against any name does. A label that never varies is not given away.
    """
    counts = Counter(row.get(column) for row in rows)
    classes: dict[str | None, set[str | None]] = defaultdict(set)
    for row in rows:
        value = row.get(column)
        classes[value if counts[value] > 1 else "(once)"].add(row.get(label))
    varied = len({row.get(label) for row in rows}) > 1
    return varied and all(len(found) == 1 for found in classes.values())


RULES = (
    SuiteRule(
        "feature-reveals-label",
        Severity.WARNING,
        "agents can read the value to be predicted off this column: remove it, or say why it may stay",
        find,
    ),
)
