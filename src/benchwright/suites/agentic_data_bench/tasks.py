"""From published records to tasks, labels and golds."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchwright.errors import SuiteError
from benchwright.files import FileEntry
from benchwright.gold import Check, Gold, RequiredFile
from benchwright.labels import Labels
from benchwright.suites.agentic_data_bench.calls import PublishedCall, parse_call, parse_post_process
from benchwright.suites.agentic_data_bench.checks import KINDS, check_of
from benchwright.suites.agentic_data_bench.golds import GoldFolder, gold_names
from benchwright.suites.agentic_data_bench.records import AgenticTask
from benchwright.suites.agentic_data_bench.skills import CategoryMap
from benchwright.suites.required import RoomFiles
from benchwright.task import DataMount, Limits, OutputKind, OutputSpec, Task

LIMITS: Final = Limits(wall_seconds=3600.0, step_seconds=300.0, memory_mb=8192, disk_mb=4096)
"""The published agents have an hour and, at most, five minutes a step; the published harness limits nothing else."""
AS_PUBLISHED: Final = "as_published"
"""The variant in which the agent is not told which files to hand in: no published harness tells it."""

_KINDS: Final[Mapping[str, OutputKind]] = {
    ".csv": "table", ".json": "document", ".png": "chart", ".txt": "text", ".db": "database",
}  # fmt: skip
"""The kind of an output that no call looks at."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One record, its checks, the charts to be post-processed, and which of its gold files are missing."""

    record: AgenticTask
    checks: tuple[Check, ...]
    post_processed: tuple[str, ...]
    missing_golds: tuple[str, ...]

    @classmethod
    def of(cls, record: AgenticTask, golds: GoldFolder, where: str) -> Instance:
        """Read a record's calls; a SuiteError names the file, the task and the text that is wrong."""
        named = f"{where}, task {record.id}"
        calls = [_listed_call(record, text, named) for text in record.eval_func]
        checks = tuple(check_of(call, lambda name: golds.header(record, name), record.question) for call in calls)
        charts = tuple(parse_post_process(text, named) for text in record.post_process_func)
        return cls(record, checks, charts, golds.missing(record))

    @property
    def domain(self) -> str:
        """The domain, without the task's own sub-folder of data."""
        return self.record.domain.partition("/")[0]


def _listed_call(record: AgenticTask, text: str, where: str) -> PublishedCall:
    """A call on files that the record lists: the published evaluator finds no others."""
    call = parse_call(text, where)
    for name, known in ((call.output, record.outputs), *((gold, record.golds) for gold in call.golds)):
        if name not in known:
            raise SuiteError(
                f"{where}: the call names a file that the record does not list: {name}",
                found=text,
                expected=f"one of {', '.join(known)}",
            )
    return call


def task_of(instance: Instance) -> Task:
    """What the agent may see: the question, a room that it may write to, and the files to hand in."""
    record = instance.record
    return Task(
        id=record.id,
        question=record.question,
        data=(DataMount(room=record.domain, writable=True),),
        outputs=tuple(OutputSpec(kind=_kind(instance, name), name=name) for name in record.outputs),
        limits=LIMITS,
        variants={AS_PUBLISHED: record.question},
        unnamed_outputs_in=(AS_PUBLISHED,),
        guidelines="Write the files that are asked for; they are judged, and nothing else is.",
    )


def _kind(instance: Instance, name: str) -> OutputKind:
    """By the first call that looks at an output, else by the ending of its name."""
    scorer = next((check.scorer for check in instance.checks if check.output == name), "")
    return KINDS.get(scorer) or _KINDS.get(posixpath.splitext(name)[1].lower(), "text")


def gold_of(instance: Instance, room: RoomFiles | None = None) -> Gold:
    """The checks, the names of the gold files, and the files that have to be read."""
    sources = instance.record.data_sources
    return Gold(
        task_id=instance.record.id,
        checks=instance.checks,
        files=gold_names(instance.record),
        required_files=tuple(_required(path, instance, room) for path in sources or ()),
        required_files_status="declared" if sources else "unknown",
        required_files_note="" if sources else "the record names no data sources",
    )


def _required(source: str, instance: Instance, room: RoomFiles | None) -> RequiredFile:
    """A data source below its room; as it is written, where the room has such a file."""
    path = _below(source, instance.record.domain)
    if room is None:
        return RequiredFile(path=path)
    entries = list(room.entries.values())
    matches = _meant(source, entries) or _meant(path, entries)
    return RequiredFile(path=matches[0] if len(matches) == 1 else path, matches=matches, copies=room.copies(matches))


def _below(source: str, domain: str) -> str:
    """The path below the room of a bare name, a path, or a path that starts at `datasets/<domain>/` or `<domain>/`."""
    path, names = source.removeprefix("./"), (domain, domain.partition("/")[0])
    for prefix in (f"{folder}{name}/" for folder in ("datasets/", "") for name in names):
        if path.startswith(prefix) and path != prefix:
            return path.removeprefix(prefix)
    return path


def _meant(path: str, entries: Sequence[FileEntry]) -> tuple[str, ...]:
    """The files of a room that a path means: itself, else whatever ends in it, in any case of letters."""
    if any(entry.path == path for entry in entries):
        return (path,)
    wanted = f"/{path}".casefold()
    return tuple(entry.path for entry in entries if f"/{entry.path}".casefold().endswith(wanted))


def labels_of(instance: Instance, categories: CategoryMap) -> Labels:
    """Domain, skills and their categories; how the task is judged, and what is known to be wrong with its gold."""
    record = instance.record
    unknown, missing = categories.unknown(record.skills), instance.missing_golds
    extra: dict[str, object] = {
        "functions": [check.options["published"]["function"] for check in instance.checks],
        "post_process": list(instance.post_processed),
        "skill_categories": {
            skill: categories.by_skill[skill] for skill in record.skills if skill in categories.by_skill
        },
        "uncategorised_skills": list(unknown),
        "missing_golds": list(missing),
    }
    return Labels(
        task_id=record.id,
        domain=instance.domain,
        categories=categories.of(record.skills),
        skills=record.skills,
        subsets=("full",) if missing else ("full", "gold_complete"),
        extra={name: value for name, value in extra.items() if value},
    )
