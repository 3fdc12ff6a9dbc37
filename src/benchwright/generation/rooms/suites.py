"""How confusable the rooms of a suite make its tasks."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from benchwright.errors import InputError
from benchwright.generation.rooms.confusability import Confusions, TaskConfusion
from benchwright.generation.rooms.contents import look_into
from benchwright.suite import Suite


def suite_confusion(suite: Suite, told: Callable[[str], None]) -> tuple[TaskConfusion, ...]:
    """Each task whose required files are known, in the suite's order.

    Raises InputError where no such task has its rooms on this machine, or the gold is withheld.
    """
    wanted = _required(suite)
    if not wanted:
        raise InputError(
            f"suite {suite.name}: nothing to compare with",
            found="no task whose required files are known and whose room is on this machine",
            hint="build the suite with its data",
        )
    among: dict[str, Confusions] = {}
    for room in dict.fromkeys(room for rooms in wanted.values() for room in rooms):
        folder = suite.room_path(room)
        paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        told(f"room {room}")
        among[room] = Confusions(paths, look_into(folder, paths, told))
    return tuple(_confusion(task_id, rooms, among) for task_id, rooms in wanted.items())


def _required(suite: Suite) -> dict[str, dict[str, list[str]]]:
    """By task and room the required files."""
    found: dict[str, dict[str, list[str]]] = {}
    for task_id, task in suite.tasks.items():
        gold = suite.golds.get(task_id)
        rooms = [mount.room for mount in task.data if suite.room_path(mount.room).is_dir()]
        if gold is None or not gold.discovery_known or not rooms or len(rooms) < len(task.data):
            continue
        needed: dict[str, list[str]] = {room: [] for room in rooms}
        for file in gold.required_files:
            needed.setdefault(file.room or rooms[0], []).extend(file.matches or (file.path,))
        found[task_id] = needed
    return found


def _confusion(task_id: str, rooms: dict[str, list[str]], among: dict[str, Confusions]) -> TaskConfusion:
    parts = [among[room].task(task_id, required) for room, required in rooms.items() if room in among]
    return TaskConfusion(
        task=task_id,
        required=sum(part.required for part in parts),
        near=sum(part.near for part in parts),
        joining=max((part.joining for part in parts), default=0.0),
        index=1 - prod(1 - part.index for part in parts),
    )
