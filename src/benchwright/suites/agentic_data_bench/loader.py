"""Builds the suite from the published files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchwright.errors import SuiteError
from benchwright.files import read_toml, toml_text, write_atomic
from benchwright.suite import RoomInfo, Suite, SuiteInfo, write_room_index
from benchwright.suites.agentic_data_bench.fetching import fetch
from benchwright.suites.agentic_data_bench.golds import GoldFolder
from benchwright.suites.agentic_data_bench.records import read_tasks
from benchwright.suites.agentic_data_bench.rooms import find_rooms
from benchwright.suites.agentic_data_bench.skills import (
    SHIPPED,
    SKILLS_FILE,
    CategoryMap,
    read_categories,
    read_types,
)
from benchwright.suites.agentic_data_bench.tasks import Instance, gold_of, labels_of, task_of
from benchwright.suites.base import BuildRequest, FetchRequest, Progress
from benchwright.suites.required import RoomFiles
from benchwright.suites.room_store import RoomData
from benchwright.suites.staging import staged

RELEASE: Final = "2026-07-03"
"""The published scorers that the reference verdict reproduces; an earlier release scores differently."""
_ACCEPTED: Final = Path(__file__).with_name("accepted.toml")
_LISTED = 5


class AgenticDataBenchLoader:
    """The published benchmark, with or without its golds and data."""

    name = "agentic_data_bench"
    title = "AgenticDataBench: tables, documents, charts, models, texts and databases in fifteen domains"
    sources: Mapping[str, str] = {
        "tasks": "the published tasks, one JSON object a line",
        "gold": "the folder with one folder of gold files a task; without it every gold is missing",
        "rooms": "a folder with one folder (or archive) of data a domain; without it no room holds data",
        "skills": f"the published types of skills; without it {SKILLS_FILE} beside the tasks, where it is there",
        "categories": "a map from types of skills to categories in place of the shipped one (TOML)",
    }

    def load(self, request: BuildRequest) -> Suite:
        """Build the suite folder; a SuiteError names the task and the field or text that is wrong."""
        unknown = set(request.sources) - set(self.sources)
        if unknown:
            raise SuiteError(
                f"{self.name} takes no source {min(unknown)!r}", expected=f"some of {', '.join(self.sources)}"
            )
        path = request.sources.get("tasks")
        if path is None:
            raise SuiteError(
                f"{self.name} is built from its tasks",
                found="no tasks",
                hint="benchwright suites build agentic_data_bench --tasks tasks.jsonl",
            )
        if request.release not in ("", RELEASE):
            raise SuiteError(f"unknown release {request.release!r}", expected=RELEASE)
        golds = _gold_folder(request.sources.get("gold"))
        categories = read_categories(_types(request), request.sources.get("categories") or SHIPPED)
        instances = [Instance.of(record, golds, str(path)) for record in read_tasks(path)]
        _report(instances, categories, request.progress)
        names = sorted({instance.record.domain for instance in instances})
        rooms = find_rooms(request.sources.get("rooms"), names, request.progress)
        with staged(request.out) as folder:
            _write(folder, instances, rooms, categories)
            write_atomic(folder / "accepted.toml", _accepted({instance.record.id for instance in instances}))
            for instance in instances:
                golds.copy(instance.record, folder / "gold" / "files" / instance.record.id)
        return Suite.open(request.out)

    def fetch(self, request: FetchRequest) -> Mapping[str, Path]:
        """Download the published files, or take those of a folder on this machine where they lie."""
        return fetch(request)


def _gold_folder(path: Path | None) -> GoldFolder:
    if path is not None and not path.is_dir():
        raise SuiteError(f"no such folder of golds: {path}", expected="a folder with one folder a task")
    return GoldFolder(path)


def _types(request: BuildRequest) -> dict[str, str]:
    """The types of skills from the file that is named, or lies beside the tasks; none where there is no such file."""
    path = request.sources.get("skills") or request.sources["tasks"].with_name(SKILLS_FILE)
    return read_types(path) if "skills" in request.sources or path.is_file() else {}


def _accepted(ids: set[str]) -> str:
    """The shipped entries that can concern these tasks."""
    entries = read_toml(_ACCEPTED)["accepted"]
    return toml_text({"accepted": [entry for entry in entries if entry["task_id"] in {"*", *ids}]})


def _report(instances: Sequence[Instance], categories: CategoryMap, progress: Progress) -> None:
    """Say what is missing, and which skills the map does not know."""
    lost = [f"{instance.record.id}/{name}" for instance in instances for name in instance.missing_golds]
    if lost:
        tasks = sum(bool(instance.missing_golds) for instance in instances)
        progress(f"{len(lost)} gold files of {tasks} tasks are missing: {_listed(lost)}")
    unknown = sorted({skill for each in instances for skill in categories.unknown(each.record.skills)})
    if unknown:
        hint = f"their types are published in {SKILLS_FILE}: skills=PATH"
        progress(f"{len(unknown)} skills are in no category: {_listed(unknown)} ({hint})")


def _listed(names: Sequence[str]) -> str:
    more = f", and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _write(
    folder: Path, instances: Sequence[Instance], rooms: Mapping[str, RoomData | None], categories: CategoryMap
) -> None:
    files = {name: RoomFiles(data.index) for name, data in rooms.items() if data}
    for name, data in rooms.items():
        if data:
            write_room_index(folder, name, data.index)
    Suite.write(
        folder,
        _info(rooms),
        [task_of(instance) for instance in instances],
        [labels_of(instance, categories) for instance in instances],
        [gold_of(instance, files.get(instance.record.domain)) for instance in instances],
    )


def _info(rooms: Mapping[str, RoomData | None]) -> SuiteInfo:
    found = {
        name: RoomInfo.of_index(data.index, str(data.folder)) if data else RoomInfo() for name, data in rooms.items()
    }
    return SuiteInfo(
        name=AgenticDataBenchLoader.name,
        release=RELEASE,
        title=AgenticDataBenchLoader.title,
        licence="Apache-2.0 (tasks and golds); each data set has its own",
        source="AgenticDataBench",
        reference="agentic_data_bench",
        rooms={name: info.model_copy(update={"writable": True}) for name, info in found.items()},
    )
