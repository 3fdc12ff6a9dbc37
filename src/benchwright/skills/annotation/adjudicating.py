"""Putting two annotators' labels together by what people decided where they differ."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.files import write_jsonl
from benchwright.labels import Labels
from benchwright.skills.annotation.agreeing import ABSENT, PRESENT, Comparison, Dispute, values_of
from benchwright.skills.review.sheets import read_table

COLUMNS = ("task", "label", "first", "second", "decided")
Decisions = Mapping[tuple[str, str], tuple[int, str]]
"""By task and label (empty: the task's one label): the row, and what was decided."""
_TOLD = 10


def read_decisions(path: Path) -> dict[tuple[str, str], tuple[int, str]]:
    """The decisions in a list to adjudicate that came back; InputError where a pair stands twice."""
    found: dict[tuple[str, str], tuple[int, str]] = {}
    for number, cells in read_table(path, ("task", "label", "decided"), COLUMNS):
        key = cells.get("task", ""), cells.get("label", "")
        if key in found:
            raise InputError(f"{path}, row {number}: decided twice", found=" ".join(key), expected="each pair once")
        found[key] = number, cells.get("decided", "")
    return found


def adjudicate(
    first: Mapping[str, Labels], second: Mapping[str, Labels], compared: Comparison, decisions: Decisions
) -> list[Labels]:
    """The first's labels with the compared field as both said or people decided; the second's where the first has none.

    Labels stand in the first's order, then in the second's. Errors: InputError that names each difference without a
    decision, and each decision that is neither yes nor no where a task has several labels.
    """
    wrong = [message for dispute in compared.disputes if (message := _wrong(dispute, decisions))]
    if wrong:
        told = "\n    ".join(["", *wrong[:_TOLD]]) + (f"\n    and {len(wrong) - _TOLD} more" if wrong[_TOLD:] else "")
        raise InputError(f"{len(wrong)} differences are not decided", found=told, expected="yes or no, or the label")
    disputed: dict[str, dict[str, str]] = {}
    for dispute in compared.disputes:
        decided = decisions[dispute.task_id, dispute.label][1]
        disputed.setdefault(dispute.task_id, {})[dispute.label] = decided if dispute.label == "" else decided.casefold()
    return [
        _put_together(first.get(task), second.get(task), compared.field, disputed.get(task, {}))
        for task in dict.fromkeys((*first, *second))
    ]


def _wrong(dispute: Dispute, decisions: Decisions) -> str:
    number, decided = decisions.get((dispute.task_id, dispute.label), (0, ""))
    what = f"{dispute.task_id} {dispute.label}".strip()
    if not decided:
        return f"row {number}: {what}: nothing decided" if number else f"{what}: not in the list"
    if dispute.label and decided.casefold() not in {PRESENT, ABSENT}:
        return f"row {number}: {what}: {decided!r}"
    return ""


def _put_together(first: Labels | None, second: Labels | None, field: str, decided: Mapping[str, str]) -> Labels:
    base = first or second
    assert base is not None
    ours, theirs = (None if side is None else values_of(side, field) for side in (first, second))
    if ours is None or theirs is None:
        return _with(base, field, ours if theirs is None else theirs)
    if isinstance(ours, str) and isinstance(theirs, str):
        return _with(base, field, decided.get("", ours))
    several = dict.fromkeys((*_several(ours), *_several(theirs)))
    return _with(base, field, tuple(label for label in several if decided.get(label, PRESENT) == PRESENT))


def _several(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _with(base: Labels, field: str, value: Any) -> Labels:
    if value is None:
        return base
    if field in Labels.model_fields:
        return base.model_copy(update={field: value})
    kept = list(value) if isinstance(value, tuple) else value
    return base.model_copy(update={"extra": {**base.extra, field: kept}})


def write_new_labels(path: Path, labels: list[Labels]) -> None:
    """Write labels into a new file; InputError where there is one: labels of people are never overwritten."""
    if path.exists():
        raise InputError("--labels", found=f"{path} is there already", expected="a new file")
    write_jsonl(path, labels)
