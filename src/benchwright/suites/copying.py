"""A suite folder, or some of its tasks, written anew with its data: what other programs' forms of a suite carry."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchwright.errors import EnvironmentFault, SuiteError
from benchwright.files import FileEntry, folder_digest, index_folder
from benchwright.suite import Suite, write_room_index
from benchwright.task import Task


@dataclass(frozen=True, slots=True)
class SuiteCopy:
    """What was written: the suite, how many files its rooms hold, and how many bytes."""

    suite: Suite
    files: int = 0
    bytes: int = 0


def write_copy(
    suite: Suite, tasks: Iterable[Task], folder: Path, *, gold: bool, rooms: Collection[str] | None = None
) -> SuiteCopy:
    """Write tasks with their labels, rooms (those named; None: all) and, where asked for, gold into an empty folder.

    Of all tasks of a suite the copy has the same digests. Rooms lie in `data/`, wherever they lay before. Errors:
    EnvironmentFault where a room is not on this machine, SuiteError where its files are not those that the suite names.
    """
    chosen = tuple(tasks)
    whole = len(chosen) == len(suite.tasks)
    used = (
        tuple(suite.info.rooms) if whole else tuple(dict.fromkeys(mount.room for task in chosen for mount in task.data))
    )
    carried = [room for room in used if rooms is None or room in rooms]
    indexes = {room: _copy_room(suite, room, folder) for room in carried}
    for room in set(used) - set(carried):
        _copy_index(suite, room, folder)
    info = suite.info.model_copy(
        update={"rooms": {room: suite.info.rooms[room].model_copy(update={"path": ""}) for room in used}}
    )
    if info.prompt:
        shutil.copyfile(suite.folder / info.prompt, folder / info.prompt)
    ids = [task.id for task in chosen]
    labels = [suite.labels[name] for name in ids if name in suite.labels]
    golds = [suite.golds[name] for name in ids if name in suite.golds] if gold else []
    made = Suite.write(folder, info, chosen, labels, golds)
    for name in ids if gold else ():
        if suite.gold_files(name).is_dir():
            shutil.copytree(suite.gold_files(name), made.gold_files(name), copy_function=shutil.copyfile, ignore=_links)
    entries = [entry for index in indexes.values() for entry in index]
    return SuiteCopy(made, len(entries), sum(entry.size for entry in entries))


def _links(folder: str, names: list[str]) -> list[str]:
    """What is not copied: a link could lead out of the suite."""
    return [name for name in names if Path(folder, name).is_symlink()]


def _copy_index(suite: Suite, room: str, folder: Path) -> None:
    """Of a room whose data stay behind, what is known of its files."""
    index = suite.room_index(room)
    if index is not None:
        write_room_index(folder, room, index)


def _copy_room(suite: Suite, room: str, folder: Path) -> tuple[FileEntry, ...]:
    """Copy the regular files of a room, and hold them against the digest that the suite gives."""
    source = suite.room_path(room)
    if not source.is_dir():
        hint = "build the suite with its data, or leave the data out"
        raise EnvironmentFault(f"the room {room} is not on this machine", found=str(source), hint=hint)
    index = index_folder(source)
    stated = suite.info.rooms[room].sha256
    if stated and folder_digest(index) != stated:
        raise SuiteError(
            f"the files of the room {room} have changed since the suite was built",
            found=f"digest {folder_digest(index)[:12]}",
            expected=f"digest {stated[:12]}",
            hint="build the suite again",
        )
    for entry in index:
        target = folder / "data" / room / entry.path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / entry.path, target)
    write_room_index(folder, room, index)
    return index
