"""Build the suite `lake`: rooms of real data from installed packages, with tasks of our own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from benchwright.errors import SuiteError
from benchwright.files import FileEntry, index_folder, read_text, write_atomic
from benchwright.suite import RoomInfo, Suite, SuiteInfo, write_room_index
from benchwright.suites.base import BuildRequest
from benchwright.suites.lake.changes import apply_all
from benchwright.suites.lake.layout import fillers
from benchwright.suites.lake.plan import FilePlan, NotePlan, RoomPlan, read_rooms
from benchwright.suites.lake.sources import check_packages, describe, read_source
from benchwright.suites.lake.tasks import LakeTask, read_tasks
from benchwright.suites.lake.writers import Part, TextStyle, file_bytes
from benchwright.suites.required import RoomFiles, resolve

RELEASE = "1"
_SOURCES_KEPT = 4


class LakeLoader:
    """The built-in suite; needs the packages of the extra `lake`, and no files."""

    name = "lake"
    title = "Lake: real data from Python packages in many rooms and formats"
    sources: Mapping[str, str] = {}

    def load(self, request: BuildRequest) -> Suite:
        """Build the whole suite beside `request.out`, then put it there in one step."""
        if request.sources:
            raise SuiteError("the suite lake takes no sources", found=", ".join(request.sources))
        if request.release not in {"", RELEASE}:
            raise SuiteError("unknown release of the suite lake", found=request.release, expected=RELEASE)
        check_packages()
        out = request.out.absolute()
        out.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
        try:
            _build(staging, request)
            _put(staging, out)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
        return Suite.open(out)


def _put(staging: Path, out: Path) -> None:
    """Move the finished folder to its place; an earlier build of a suite there makes way, anything else does not."""
    if out.exists() and any(out.iterdir()) and not (out / "suite.toml").is_file():
        raise SuiteError(f"{out} is in the way", found="a folder that is no suite", expected="a new or empty folder")
    earlier = staging / "earlier"
    os.chmod(staging, 0o755)  # noqa: S103 - suites are read by everyone; mkdtemp makes it private
    new = staging / "suite"
    if out.exists():
        os.replace(out, earlier)
    os.replace(new, out)


def _build(staging: Path, request: BuildRequest) -> None:
    folder = staging / "suite"
    rooms, tasks = read_rooms(), read_tasks()
    indexes = {}
    for room, plan in rooms.items():
        request.progress(f"room {room}: {plan.title}")
        indexes[room] = _write_room(folder / "data" / room, plan)
        write_room_index(folder, room, indexes[room])
    for task in (task for group in tasks.values() for task in group):
        _write_gold_files(folder, task)
    write_atomic(folder / "accepted.toml", read_text(Path(__file__).with_name("accepted.toml")))
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
            release=RELEASE,
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


def _write_room(folder: Path, plan: RoomPlan) -> tuple[FileEntry, ...]:
    for path, data in _room_files(plan):
        target = folder / path
        if target.exists():
            raise SuiteError(f"the lake's plan writes a file twice: {folder.name}/{path}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return index_folder(folder)


def _room_files(plan: RoomPlan) -> Iterator[tuple[str, bytes]]:
    read = lru_cache(maxsize=_SOURCES_KEPT)(read_source)
    for file in plan.file:
        parts = tuple(Part(table.name, apply_all(read(table.source), table.change)) for table in file.tables)
        yield file.path, _bytes(file, parts)
    for note in plan.note:
        yield note.path, _note(note).encode()
    for source in plan.fill.sources:
        for file, table in fillers(plan.fill, source, read(source)):
            yield file.path, _bytes(file, (Part(file.tables[0].name, table),))


def _bytes(file: FilePlan, parts: tuple[Part, ...]) -> bytes:
    style = TextStyle(file.delimiter, file.encoding, file.decimal, file.missing, file.preamble)
    return file_bytes(file.path, parts, style)


def _note(note: NotePlan) -> str:
    text = note.text.strip() + "\n" if note.text else ""
    return f"{text}\n{describe(note.describes)}" if note.describes else text
