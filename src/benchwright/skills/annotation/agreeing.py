"""How far two annotators agree on the labels of tasks, and which of them somebody has to look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.agreement import Agreement, agreement_of
from benchwright.errors import InputError
from benchwright.files import read_jsonl
from benchwright.labels import Labels

_SIDES = 2
PRESENT, ABSENT = "yes", "no"
ANNOTATED_BY = "annotated_by"
"""The key among a task's further labels that says which model was asked for its skills and categories."""
_ANNOTATED = frozenset({"skills", "categories"})


@dataclass(frozen=True, slots=True)
class Dispute:
    """What two annotators say differently: of a label among several whether it is there, else which label it is."""

    task_id: str
    label: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two annotators over the tasks that both labelled.

    `all` is over all pairs of a task and a label where tasks have several labels, else over tasks. `by_label` is each
    label against the others. `overlap` is the mean share of labels that both gave among those that either did; None
    where tasks have one label.
    """

    field: str
    tasks: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    all: Agreement
    by_label: dict[str, Agreement]
    overlap: float | None
    disputes: tuple[Dispute, ...]


def read_labels(path: Path) -> dict[str, Labels]:
    """The labels in a file, or in the `labels.jsonl` of a folder such as a suite, by task."""
    file = path / "labels.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise InputError("no labels", found=str(file), expected="labels.jsonl, or a folder that holds one")
    found: dict[str, Labels] = {}
    for number, value in read_jsonl(file):
        labels = Labels.from_json(value, f"{file}, line {number}")
        if labels.task_id in found:
            raise InputError(f"{file}, line {number}: a task twice", found=labels.task_id, expected="each task once")
        found[labels.task_id] = labels
    return found


def compare_labels(
    first: Mapping[str, Labels], second: Mapping[str, Labels], field: str, universe: Iterable[str] = ()
) -> Comparison:
    """Hold two annotators' labels of one field against each other.

    `universe` are the labels that could have been given, for fields with several: those that neither gave anywhere are
    agreed to be absent, which only a list of the candidates can tell. Errors: InputError where there is no such field,
    or no task that both labelled.
    """
    told = [{task: values_of(labels, field) for task, labels in side.items()} for side in (first, second)]
    ours, theirs = ({task: each for task, each in side.items() if each is not None} for side in told)
    common = sorted(set(ours) & set(theirs))
    if not common:
        expected = f"tasks that both label with {field!r}"
        raise InputError("nothing to compare", found=f"{len(ours)} and {len(theirs)} labelled tasks", expected=expected)
    single = all(isinstance(side[task], str) for side in (ours, theirs) for task in common)
    compared = _single(common, ours, theirs) if single else _several(common, ours, theirs, universe)
    pairs, by_label, disputes, overlap = compared
    return Comparison(
        field=field,
        tasks=len(common),
        only_first=tuple(sorted(set(ours) - set(theirs))),
        only_second=tuple(sorted(set(theirs) - set(ours))),
        all=agreement_of(pairs),
        by_label={label: agreement_of(each) for label, each in by_label.items()},
        overlap=overlap,
        disputes=tuple(disputes),
    )


Pairs = list[tuple[str, str]]
Compared = tuple[Pairs, dict[str, Pairs], list[Dispute], float | None]


def values_of(labels: Labels, field: str) -> Any:
    """What a task is labelled with: a text, or several; None where it is not.

    A model that was asked and found no skill labels a task with none, which is not the same as no labels.
    """
    if field in Labels.model_fields and field not in {"task_id", "extra"}:
        value = getattr(labels, field)
    else:
        value = labels.extra.get(field)
    if isinstance(value, list | tuple):
        empty = () if field in _ANNOTATED and ANNOTATED_BY in labels.extra else None
        return tuple(str(each) for each in value) or empty
    return None if value in (None, "") else str(value)


def _single(tasks: Sequence[str], ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Compared:
    pairs = [(str(ours[task]), str(theirs[task])) for task in tasks]
    labels = sorted({label for pair in pairs for label in pair})
    by_label = {label: [(_word(a == label), _word(b == label)) for a, b in pairs] for label in labels}
    disputes = [Dispute(task, "", a, b) for task, (a, b) in zip(tasks, pairs, strict=True) if a != b]
    return pairs, by_label, disputes, None


def _several(
    tasks: Sequence[str], ours: Mapping[str, Any], theirs: Mapping[str, Any], universe: Iterable[str]
) -> Compared:
    sides = [{task: _set(side[task]) for task in tasks} for side in (ours, theirs)]
    given = {label for side in sides for labels in side.values() for label in labels}
    labels = sorted(given | set(universe))
    by_label = {
        label: [(_word(label in sides[0][task]), _word(label in sides[1][task])) for task in tasks] for label in labels
    }
    disputes = [
        Dispute(task, label, *by_label[label][place])
        for place, task in enumerate(tasks)
        for label in labels
        if len(set(by_label[label][place])) == _SIDES
    ]
    shares = [_overlap(sides[0][task], sides[1][task]) for task in tasks]
    return [pair for pairs in by_label.values() for pair in pairs], by_label, disputes, sum(shares) / len(shares)


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """The share of common labels among all; two that both gave none say the same."""
    return len(first & second) / len(first | second) if first or second else 1.0


def _set(value: Any) -> frozenset[str]:
    return frozenset({value}) if isinstance(value, str) else frozenset(value)


def _word(present: bool) -> str:
    return PRESENT if present else ABSENT
