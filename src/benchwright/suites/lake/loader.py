"""Build the suite `lake`: rooms of real data from installed packages, with tasks of our own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from benchwright.errors import SuiteError
from benchwright.files import FileEntry, index_folder, sha256, write_atomic
from benchwright.suite import RoomInfo, Suite, SuiteInfo, write_room_index
from benchwright.suites.base import BuildRequest
from benchwright.suites.lake.plan import RoomPlan, read_rooms
from benchwright.suites.lake.room import write_rooms
from benchwright.suites.lake.sources import check_packages
from benchwright.suites.lake.tasks import LakeTask, read_tasks
from benchwright.suites.required import RoomFiles, resolve
from benchwright.suites.staging import staged


@cache
def release() -> str:
    """The number of the lake, and a digest over the texts that it is built from: other texts, another release."""
    texts = sorted(path for path in Path(__file__).parent.rglob("*") if path.suffix in {".py", ".toml", ".csv"})
    return "1." + sha256("".join(path.read_text(encoding="utf-8") for path in texts))[:8]


class LakeLoader:
    """The built-in suite; needs the packages of the extra `lake`, and no files."""

    name = "lake"
    title = "Lake: real data from Python packages in many rooms and formats"
    sources: Mapping[str, str] = {}

    @property
    def release(self) -> str:
        """The release that `load` builds."""
        return release()

    def load(self, request: BuildRequest) -> Suite:
        """Build the whole suite beside `request.out`, then put it there in one step."""
        if request.sources:
            raise SuiteError("the suite lake takes no sources", found=", ".join(request.sources))
        if request.release not in {"", self.release}:
            raise SuiteError("unknown release of the suite lake", found=request.release, expected=self.release)
        check_packages()
        with staged(request.out) as folder:
            _build(folder, request)
        return Suite.open(request.out)


def _build(folder: Path, request: BuildRequest) -> None:
    rooms, tasks = read_rooms(), read_tasks()
    write_rooms(folder / "data", rooms, request.progress)
    indexes = {room: index_folder(folder / "data" / room) for room in rooms}
    for room, index in indexes.items():
        write_room_index(folder, room, index)
    for task in (task for group in tasks.values() for task in group):
        _write_gold_files(folder, task)
    _write_texts(folder, rooms, tasks, indexes)


def _write_texts(
    folder: Path,
    rooms: Mapping[str, RoomPlan],
    tasks: Mapping[str, tuple[LakeTask, ...]],
    indexes: Mapping[str, tuple[FileEntry, ...]],
) -> None:
    pairs = [(room, task) for room, group in tasks.items() for task in group]
    files = {room: RoomFiles(index) for room, index in indexes.items()}
    Suite.write(
        folder,
        SuiteInfo(
            name="lake",
            release=release(),
            title=LakeLoader.title,
            licence="tasks: Apache-2.0; data: public, by their packages, see docs/lake.md",
            rooms={room: RoomInfo.of_index(index) for room, index in indexes.items()},
        ),
        [task.task(room) for room, task in pairs],
        [task.labels(rooms[room].domain) for room, task in pairs],
        [resolve(task.gold(), files, room) for room, task in pairs],
    )


def _write_gold_files(folder: Path, task: LakeTask) -> None:
    if task.table:
        write_atomic(folder / "gold" / "files" / task.id / task.table.name, task.table.csv)
