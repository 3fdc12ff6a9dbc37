"""Builds the suite from the official files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchwright.errors import SuiteError
from benchwright.suite import RoomInfo, Suite, SuiteInfo, write_room_index
from benchwright.suites.base import BuildRequest, FetchRequest
from benchwright.suites.coda_bench.fetching import HARD_FILE, fetch
from benchwright.suites.coda_bench.records import CodaTask, hard_members, read_tasks
from benchwright.suites.coda_bench.releases import V1_0_0, V1_0_1, release_of, room_of, wanted_release
from benchwright.suites.coda_bench.rooms import RoomSource
from benchwright.suites.coda_bench.tasks import Instance, gold_of, labels_of, task_of
from benchwright.suites.required import RoomFiles
from benchwright.suites.room_store import RoomData, RoomStore
from benchwright.suites.staging import staged


class CodaBenchLoader:
    """The published benchmark, in either release, with or without its data."""

    name = "coda_bench"
    title = "CoDA-Bench: find the right files among a thousand, and answer"
    sources: Mapping[str, str] = {
        "tasks": "the official coda_bench.json",
        "hard": f"the official {HARD_FILE}; looked for beside the tasks. Given alone it makes a suite of its tasks",
        "data": "a folder with the communities: archives (*.tar.zst) or unpacked; without it no room holds data",
    }

    def load(self, request: BuildRequest) -> Suite:
        """Build the suite folder; SuiteError names the record and field, or the archive, that is wrong."""
        unknown = set(request.sources) - set(self.sources)
        if unknown:
            raise SuiteError(
                f"coda_bench takes no source {min(unknown)!r}", expected=f"some of {', '.join(self.sources)}"
            )
        instances, release, note = _instances(request)
        rooms = _rooms(request, {instance.room for instance in instances})
        with staged(request.out) as folder:
            _write(folder, instances, rooms, _info(release, note, rooms))
        return Suite.open(request.out)

    def fetch(self, request: FetchRequest) -> Mapping[str, Path]:
        """Download the published files, or take those of a folder on this machine where they lie."""
        return fetch(request)


def _instances(request: BuildRequest) -> tuple[list[Instance], str, str]:
    """The tasks with rooms and subsets, the release, and a note on how the rooms were found."""
    tasks_path, hard_path = request.sources.get("tasks"), request.sources.get("hard")
    if tasks_path is None or (hard_path is None and tasks_path.name == HARD_FILE):
        return _hard_alone(request, hard_path or tasks_path)
    tasks = read_tasks(tasks_path)
    written = release_of(tasks)
    wanted = wanted_release(request.release, written)
    hard = _hard_ids(request, tasks, tasks_path, hard_path)
    instances = [Instance(task, room_of(task, wanted), task.instance_id in hard) for task in tasks]
    mapped = wanted != written
    return instances, wanted, "texts of v1.0.0 in the rooms of v1.0.1" if mapped else ""


def _hard_ids(request: BuildRequest, tasks: list[CodaTask], tasks_path: Path, hard_path: Path | None) -> set[int]:
    path = hard_path or tasks_path.with_name(HARD_FILE)
    if hard_path is None and not path.is_file():
        request.progress("no hard file given: the suite has no subset hard")
        return set()
    return hard_members(tasks, read_tasks(path), path)


def _hard_alone(request: BuildRequest, path: Path | None) -> tuple[list[Instance], str, str]:
    if path is None:
        raise SuiteError(
            "coda_bench is built from its task file",
            found="no tasks",
            hint="benchwright suites build coda_bench --tasks coda_bench.json",
        )
    tasks = read_tasks(path)
    written = release_of(tasks)
    if (written, wanted_release(request.release, written)) == (V1_0_0, V1_0_1):
        raise SuiteError(
            "the rooms of v1.0.1 cannot be computed from the hard file alone",
            found="a file that numbers its tasks anew",
            expected="the full file, whose numbers the rooms follow",
            hint="give --tasks coda_bench.json as well",
        )
    request.progress("the hard file alone numbers its tasks anew: predictions for the full file are of other tasks")
    return [Instance(task, room_of(task, written), hard=True) for task in tasks], written, "the hard file alone"


def _rooms(request: BuildRequest, names: set[str]) -> dict[str, RoomData | None]:
    folder = request.sources.get("data")
    ordered = sorted(names, key=lambda name: (len(name), name))
    if folder is None:
        return dict.fromkeys(ordered)
    source = RoomSource(folder, RoomStore(), request.progress)
    rooms = {name: source.find(name) for name in ordered}
    missing = [name for name, data in rooms.items() if data is None]
    if len(missing) == len(rooms):
        raise SuiteError(
            f"{folder} holds no community",
            expected=f"{ordered[0]}.tar.zst or a folder {ordered[0]}, here or under archives/, communities/ or data/",
        )
    if missing:
        request.progress(f"no data for {len(missing)} of {len(rooms)} communities: {', '.join(missing)}")
    return rooms


def _info(release: str, note: str, rooms: Mapping[str, RoomData | None]) -> SuiteInfo:
    return SuiteInfo(
        name="coda_bench",
        release=release,
        title=CodaBenchLoader.title,
        description=note,
        licence="MIT (tasks); each data set has its own",
        source="CoDA-Bench",
        reference="coda_bench",
        rooms={
            name: RoomInfo.of_index(data.index, str(data.folder)) if data else RoomInfo()
            for name, data in rooms.items()
        },
    )


def _write(folder: Path, instances: list[Instance], rooms: Mapping[str, RoomData | None], info: SuiteInfo) -> None:
    files = {name: RoomFiles(data.index) for name, data in rooms.items() if data}
    for name, data in rooms.items():
        if data:
            write_room_index(folder, name, data.index)
    golds = [gold_of(instance, files.get(instance.room)) for instance in instances]
    labels = [labels_of(instance, gold) for instance, gold in zip(instances, golds, strict=True)]
    Suite.write(folder, info, [task_of(instance) for instance in instances], labels, golds)
