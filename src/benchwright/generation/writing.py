"""From a proved draft to a task, its gold and its labels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Literal

from pydantic import Field

from benchwright.files import Record
from benchwright.generation.workflow import Draft
from benchwright.gold import Check, Gold, RequiredFile, Solution
from benchwright.labels import Labels
from benchwright.proving.guideline import split_parts
from benchwright.suites.required import RoomFiles, resolve
from benchwright.task import DataMount, Task

_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?\s*%?")


class Ablation(Record):
    """What came of a program that lacks one step's skill; `changed`: it answered, and that is not right.

    `same`: its answer is right all the same; `failed`: it did not run to its end; `silent`: it handed in nothing of the
    right form.
    """

    step: str
    skill: str
    outcome: Literal["changed", "same", "failed", "silent"]
    answer: str = ""


class Proved(Record):
    """A draft that passed every proof: what its program answered, the files it left and opened, and its ablations."""

    draft: str
    answer: str | None = None
    files: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    ablations: tuple[Ablation, ...] = ()
    proofs: tuple[str, ...] = ()
    lines: int = 0

    @property
    def skills(self) -> tuple[str, ...]:
        """The skills that are shown to be needed, in the order of the steps."""
        return tuple(dict.fromkeys(each.skill for each in self.ablations if each.outcome == "changed"))


class Kept(Record):
    """All about a task of a generated suite: kept with the gold, for it holds the workflow and its answers."""

    task_id: str
    draft: Draft
    proved: Proved
    extra: dict[str, object] = Field(default_factory=dict)


def task_of(draft: Draft, task_id: str) -> Task:
    """The task as agents get it."""
    return Task(
        id=task_id,
        question=draft.question,
        guidelines=draft.guidelines,
        data=(DataMount(room=draft.room),),
        outputs=draft.outputs,
    )


def answers(draft: Draft) -> bool:
    """Whether the task is answered in words, and not by files alone."""
    return any(output.kind == "answer" for output in draft.outputs)


def gold_of(draft: Draft, proved: Proved, task_id: str, files: RoomFiles) -> Gold:
    """The gold: what the workflow's program answered and left, and the files that it opened."""
    gold = Gold(
        task_id=task_id,
        answer=proved.answer if answers(draft) else None,
        checks=tuple(_with_golds(check, proved.files) for check in draft.checks),
        files=proved.files,
        required_files=tuple(RequiredFile(path=path, room=draft.room) for path in proved.opened),
        required_files_status="declared",
        required_files_note="every file of the room that the solution was seen to open, as its workflow declares",
        solution=Solution(code=draft.workflow.code),
    )
    return resolve(gold, {draft.room: files}, draft.room)


def _with_golds(check: Check, files: Sequence[str]) -> Check:
    golds = (check.output,) if check.output in files and not check.golds else check.golds
    return check.model_copy(update={"golds": golds})


def labels_of(draft: Draft, proved: Proved, task_id: str, categories: Mapping[str, str]) -> Labels:
    """Labels without code or answers: they may be shown where the gold is not. `categories` are by skill."""
    steps = draft.workflow.steps
    return Labels(
        task_id=task_id,
        domain=draft.domain or draft.room,
        categories=tuple(sorted({categories[skill] for skill in proved.skills if categories.get(skill)})),
        skills=proved.skills,
        answer_type=answer_type(draft, proved.answer),
        dataset=draft.room,
        source="generated",
        extra={
            "writer": draft.writer,
            "workflow": [
                {
                    "id": step.id,
                    "skill": step.skill,
                    "description": step.description,
                    "depends_on": list(step.depends_on),
                }
                for step in steps
            ],
            "ablations": {each.step: each.outcome for each in proved.ablations},
            "proofs": list(proved.proofs),
            "solution_lines": proved.lines,
        },
    )


def answer_type(draft: Draft, answer: str | None) -> str:
    """What is asked for: the kinds of output files, or number, numbers, text, texts or mixed."""
    kinds = sorted({output.kind for output in draft.outputs if output.kind != "answer"})
    if kinds or not answer:
        return "+".join(kinds)
    parts = split_parts(answer)
    found = {"number" if _NUMBER.fullmatch(part) else "text" for part in parts}
    if len(found) > 1:
        return "mixed"
    return found.pop() if len(parts) == 1 else f"{found.pop()}s"


def is_empty_file(name: str, content: bytes) -> bool:
    """Whether an output says nothing: no byte, a table of a header alone, a document without a value."""
    text = content.decode("utf-8", errors="replace").strip()
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in (".csv", ".tsv"):
        return text.count("\n") < 1
    if suffix in (".json", ".geojson"):
        return _no_value(text)
    return not content.strip()


def _no_value(text: str) -> bool:
    try:
        return not any(_leaves(json.loads(text)))
    except (ValueError, RecursionError):
        return True


def _leaves(value: object) -> Iterable[bool]:
    if isinstance(value, Mapping):
        return (leaf for inner in value.values() for leaf in _leaves(inner))
    if isinstance(value, list):
        return (leaf for inner in value for leaf in _leaves(inner))
    return (value is not None and value != "",)
