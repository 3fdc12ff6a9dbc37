"""Write rooms of the lake: in this process, or several at a time in processes that run this module."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from benchwright.errors import BenchwrightError, Broken, Fault, SuiteError
from benchwright.suites.base import Progress
from benchwright.suites.lake.changes import apply_all
from benchwright.suites.lake.layout import fillers
from benchwright.suites.lake.plan import FilePlan, NotePlan, RoomPlan, read_room
from benchwright.suites.lake.sources import describe, read_source
from benchwright.suites.lake.writers import Part, TextStyle, file_bytes

_SOURCES_KEPT = 4
_MOST_WORKERS = 4


def write_rooms(data: Path, rooms: Mapping[str, RoomPlan], progress: Progress) -> None:
    """Write every room below `data`, in as many processes as there are cores (at most 4)."""
    groups = _shared_out(rooms, min(_MOST_WORKERS, len(os.sched_getaffinity(0))))
    with ThreadPoolExecutor(len(groups)) as pool:
        list(pool.map(lambda group: _in_process(data, group, progress), groups))


def _shared_out(rooms: Mapping[str, RoomPlan], count: int) -> list[list[str]]:
    """The rooms in groups of about equal weight: the heaviest first, each to the lightest group."""
    groups: list[list[str]] = [[] for _ in range(count)]
    weights = [0] * count
    for room in sorted(rooms, key=lambda name: rooms[name].weight, reverse=True):
        lightest = weights.index(min(weights))
        groups[lightest].append(room)
        weights[lightest] += rooms[room].weight
    return [group for group in groups if group]


def _in_process(data: Path, group: Sequence[str], progress: Progress) -> None:
    # -P: a file of the working folder must not pass for a module
    command = [sys.executable, "-P", "-m", "benchwright.suites.lake.room", str(data), *group]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            progress(f"wrote the room {line.strip()}")
        complaint = process.stderr.read()
    if process.returncode:
        raise Broken(Fault.SUITE, "the lake could not be written", found=complaint.strip()[-2000:])


def write_room(folder: Path, plan: RoomPlan) -> None:
    """Write the files of one room."""
    for path, data in _room_files(plan):
        target = folder / path
        if target.exists():
            raise SuiteError(f"the lake's plan writes a file twice: {folder.name}/{path}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


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


def main() -> None:
    """Write the rooms that the command line names, after the folder that holds them; print each when it is done."""
    data, *rooms = sys.argv[1:]
    try:
        for room in rooms:
            write_room(Path(data, room), read_room(room))
            print(room, flush=True)  # noqa: T201 - the parent process reads it
    except BenchwrightError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
