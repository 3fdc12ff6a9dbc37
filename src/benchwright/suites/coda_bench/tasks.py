"""From official records to tasks, labels and golds."""

from __future__ import annotations

from dataclasses import dataclass

from benchwright.gold import Gold, RequiredFile, Solution
from benchwright.labels import Labels
from benchwright.reading import Target, canonical_key, required_files
from benchwright.suites.coda_bench.answer_types import answer_type, parts_of
from benchwright.suites.coda_bench.records import CodaTask
from benchwright.suites.coda_bench.solutions import relocated
from benchwright.suites.required import RoomFiles, resolve
from benchwright.task import DataMount, Limits, OutputSpec, Task

LIMITS = Limits(memory_mb=8192, cpus=2.0)
"""What the published harness gives a container: 8 GB and two processors."""

ANSWER_FILE = "result.txt"
"""Where the published harness looks for an answer."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One record with its room, and whether it belongs to the hard subset."""

    record: CodaTask
    room: str
    hard: bool

    @property
    def id(self) -> str:
        """The task's id in the suite: its number as text."""
        return str(self.record.instance_id)


def task_of(instance: Instance) -> Task:
    """What the agent may see: question, guidelines and data; no path, data set or notebook."""
    return Task(
        id=instance.id,
        question=instance.record.question,
        guidelines=instance.record.answer_guidelines,
        data=(DataMount(room=instance.room),),
        outputs=(OutputSpec(file=ANSWER_FILE),),
        limits=LIMITS,
    )


def gold_of(instance: Instance, room: RoomFiles | None = None) -> Gold:
    """The answer, the reference solution, and the files that it reads; looked up in the room where it is here."""
    code, targets = instance.record.reference_code, required_files(instance.record.reference_code)
    gold = Gold(
        task_id=instance.id,
        answer=instance.record.answer,
        required_files=tuple(_required(target) for target in targets.files),
        required_files_status=targets.status,
        required_files_note=targets.note,
    )
    if room is not None:
        gold = resolve(gold, {instance.room: room}, instance.room)
    if not code or targets.status == "unparsable":
        return gold
    runnable = relocated(code, zip(targets.files, gold.required_files, strict=True))
    return gold.model_copy(update={"solution": Solution(code=runnable)})


def _required(target: Target) -> RequiredFile:
    return RequiredFile(
        path=target.path,
        glob="*" in target.path,
        conditional=target.read.conditional,
        reader=target.read.reader,
        convention=target.convention,
        expression=target.read.expression,
        alternatives=target.alternatives,
    )


def labels_of(instance: Instance, gold: Gold) -> Labels:
    """The community, the kinds of the answer's parts, how many files and data sets are needed, and the subsets."""
    record = instance.record
    datasets = {canonical_key(file.path)[0] for file in gold.required_files}
    parts = parts_of(record.answer)
    return Labels(
        task_id=instance.id,
        domain=instance.room,
        categories=_categories(len(gold.required_files), len(datasets), len(parts)),
        answer_type=answer_type(record.answer),
        subsets=("full", "hard") if instance.hard else ("full",),
        dataset=record.dataset,
        source=record.notebook,
        extra={
            "parts": len(parts),
            "required_files": len(gold.required_files),
            "datasets": len(datasets),
            "solution_lines": solution_lines(record.reference_code),
            "release_community": record.release_community,
        },
    )


def _categories(files: int, datasets: int, parts: int) -> tuple[str, ...]:
    named = (
        ("several_files", files > 1),
        ("several_datasets", datasets > 1),
        ("no_files", files == 0),
        ("several_parts", parts > 1),
    )
    return tuple(name for name, holds in named if holds)


def solution_lines(code: str) -> int:
    """Lines that are neither blank nor comments: the count that fits the published rule for hard tasks best."""
    return sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in code.split("\n"))
