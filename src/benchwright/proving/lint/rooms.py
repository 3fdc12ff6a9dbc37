"""Rules: rooms, where they are on this machine, that lack what tasks need, or hold what they must not."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

from benchwright.files import FileEntry, sha256_file
from benchwright.gold import RequiredFile
from benchwright.proving.findings import Severity
from benchwright.proving.lint.base import Case, Hit, SuiteRule, cases, quoted
from benchwright.sandbox.store import room_faults
from benchwright.suite import Suite
from benchwright.suites.required import RoomFiles

_TELLING = re.compile(
    r"(?i)(?:^|[_\W])(?:solutions?|answers?|answer_?key|ground_?truth|(?:gold(?:en)?|expected)[_-]?(?:answers?|labels?|"
    r"results?|outputs?|values?|standard))(?:[_\W]|$)"
)
_TEXT = frozenset(
    {
        ".txt",
        ".md",
        ".log",
        ".csv",
        ".tsv",
        ".json",
        ".jsonl",
        ".yaml",
        ".yml",
        ".xml",
        ".html",
        ".py",
        ".ipynb",
        ".sql",
        ".r",
    }
)
_SHOWN = 5
_SCAN_BYTES = 256 * 1024
_known: WeakKeyDictionary[Suite, Mapping[str, RoomFiles]] = WeakKeyDictionary()


def room_files(suite: Suite) -> Mapping[str, RoomFiles]:
    """The files of every room that is known: as they lie on this machine, else as the suite's index says."""
    if suite not in _known:
        listed = {name: _listing(suite, name) for name in suite.info.rooms}
        _known[suite] = {name: RoomFiles(entries) for name, entries in listed.items() if entries is not None}
    return _known[suite]


def rooms_here(suite: Suite) -> tuple[str, ...]:
    """The rooms that lie on this machine."""
    return tuple(name for name in suite.info.rooms if suite.room_path(name).is_dir())


def _listing(suite: Suite, room: str) -> tuple[FileEntry, ...] | None:
    root = suite.room_path(room)
    return tuple(_walk(root)) if root.is_dir() else suite.room_index(room)


def _walk(root: Path) -> Iterator[FileEntry]:
    """Regular files by path and size; their content is not read."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder) / name
            if path.is_file() and not path.is_symlink():
                yield FileEntry(path.relative_to(root).as_posix(), path.stat().st_size, "")


def absent(suite: Suite) -> Iterator[Hit]:
    """Rooms that are not here: what needs data was not checked."""
    away = sorted(set(suite.info.rooms) - set(rooms_here(suite)))
    if away:
        yield Hit("", f"{len(away)} of {len(suite.info.rooms)} rooms are not on this machine: {', '.join(away[:5])}")


def counts(suite: Suite) -> Iterator[Hit]:
    """Rooms that hold another number of files than suite.toml says."""
    for name, room in room_files(suite).items():
        stated = suite.info.rooms[name].files
        if stated is not None and stated != len(room.entries):
            yield Hit("", f"room {name}: suite.toml says {stated} files, it holds {len(room.entries)}")


def differs(suite: Suite) -> Iterator[Hit]:
    """Rooms that do not hold what the suite was built with; what was seen before is not read again."""
    for name, fault in room_faults(suite, rooms_here(suite)).items():
        yield Hit("", f"room {name}: {fault}")


def links(suite: Suite) -> Iterator[Hit]:
    """Links and special files in a room: no digest covers them, and in a sandbox they lead elsewhere or hang."""
    for name in rooms_here(suite):
        odd = sorted(_odd(suite.room_path(name)))
        if odd:
            more = ", ..." if len(odd) > _SHOWN else ""
            yield Hit("", f"room {name}: {len(odd)} links or special files: {', '.join(odd[:_SHOWN])}{more}")


def _odd(root: Path) -> Iterator[str]:
    for folder, below, names in os.walk(root):
        for name in (*below, *names):
            path = Path(folder) / name
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                yield path.relative_to(root).as_posix()


def required_missing(suite: Suite) -> Iterator[Hit]:
    """A required file that is in none of the task's rooms, in a folder that is."""
    yield from (Hit(case.task.id, text) for case, text, folder in _missing(suite) if folder)


def folder_missing(suite: Suite) -> Iterator[Hit]:
    """The whole folder of a required file is missing in the task's rooms."""
    yield from (Hit(case.task.id, text) for case, text, folder in _missing(suite) if not folder)


def required_paths(suite: Suite, case: Case) -> tuple[Path, ...]:
    """The required files of a task on this machine; empty where one of them, or one of its rooms, is not here."""
    here = room_files(suite)
    found: dict[Path, None] = {}
    for required in case.gold.required_files:
        rooms = [room for room in _rooms_of(case, required) if room in here and suite.room_path(room).is_dir()]
        paths = [suite.room_path(room) / file for room in rooms for file in here[room].meant(required)]
        if not paths:
            return ()
        found.update(dict.fromkeys(paths if required.glob else paths[:1]))
    return tuple(found)


def _rooms_of(case: Case, required: RequiredFile) -> tuple[str, ...]:
    return (required.room,) if required.room else tuple(mount.room for mount in case.task.data)


def _missing(suite: Suite) -> Iterator[tuple[Case, str, bool]]:
    """Required files that mean no file of their rooms (all known), with evidence, and whether their folder is there."""
    here = room_files(suite)
    for case in cases(suite):
        for required in case.gold.required_files:
            rooms = _rooms_of(case, required)
            known = [here[room] for room in rooms if room in here]
            if rooms and len(known) == len(rooms) and not _is_there(required, known):
                yield _describe(case, required, [file for room in known for file in room.entries])


def _is_there(required: RequiredFile, rooms: Sequence[RoomFiles]) -> bool:
    spellings = [required.model_copy(update={"path": path}) for path in (required.path, *required.alternatives)]
    return any(room.meant(spelling) for room in rooms for spelling in spellings)


def _describe(case: Case, required: RequiredFile, files: Sequence[str]) -> tuple[Case, str, bool]:
    folder = required.path.split("/")[0] if "/" in required.path else ""
    there = not folder or any(_fold(file.split("/")[0]) == _fold(folder) for file in files)
    what = f"gold file not on disk: {quoted(required.path)}" if there else f"no folder {quoted(folder)}"
    name = _fold(required.path.rpartition("/")[2])
    near = next((file for file in sorted(files) if _fold(file.rpartition("/")[2]) == name), "")
    return case, f"{what} among {len(files)} files{f'; the nearest is {quoted(near)}' if near else ''}", there


def _fold(name: str) -> str:
    return re.sub(r"[-_ ]+", "-", name.casefold())


def holds_gold(suite: Suite) -> Iterator[Hit]:
    """A room from which the suite's gold can be read: it holds the gold folder, or a copy of a gold file."""
    gold = (suite.folder / "gold").resolve()
    digests = {sha256_file(path): path for path in sorted((gold / "files").rglob("*")) if path.is_file()}
    sizes = {path.stat().st_size for path in digests.values()} - {0}
    for name in rooms_here(suite):
        root = suite.room_path(name)
        if gold == root.resolve() or root.resolve() in gold.parents:
            yield Hit("", f"room {name} ({root}) holds the suite's gold folder: mounted, agents read it")
            continue
        for file, entry in room_files(suite)[name].entries.items():
            copied = digests.get(sha256_file(root / file)) if entry.size in sizes else None
            if copied is not None:
                yield Hit(
                    copied.parent.name, f"room {name} holds a copy of the gold file {copied.name}: {quoted(file)}"
                )


def gold_in_data(suite: Suite) -> Iterator[Hit]:
    """A text file whose name promises a solution, and that holds a gold answer."""
    texts = {
        (room, file): _text(suite.room_path(room) / file)
        for room in rooms_here(suite)
        for file in sorted(room_files(suite)[room].entries)
        if _TELLING.search(file) and Path(file).suffix.lower() in _TEXT
    }
    for case in cases(suite) if texts else ():
        rooms = {mount.room for mount in case.task.data}
        for (room, file), text in texts.items():
            if room in rooms and len(case.answer) >= 2 and _stands(case.answer, text):
                yield Hit(case.task.id, f"gold values found in {file} of room {room}: {quoted(case.answer, 60)}")


def _stands(answer: str, text: str) -> bool:
    return bool(re.search(rf"(?<![\w.]){re.escape(answer)}(?![\w%]|\.\d)", text))


def _text(path: Path) -> str:
    with path.open("rb") as stream:
        return stream.read(_SCAN_BYTES).decode("utf-8", errors="replace")


RULES = (
    SuiteRule("rooms-absent", Severity.NOTE, "fetch or mount the data, and check again", absent),
    SuiteRule("room-differs", Severity.ERROR, "restore the files, or build the suite again", differs),
    SuiteRule("room-count-differs", Severity.WARNING, "build the suite again, or restore the room", counts),
    SuiteRule("room-holds-links", Severity.WARNING, "put the files themselves there, or take the links out", links),
    SuiteRule("required-file-missing", Severity.ERROR, "the task cannot be solved: add the file", required_missing),
    SuiteRule(
        "target-folder-missing",
        Severity.ERROR,
        "the task's data are not in its room: another release, or the wrong room",
        folder_missing,
    ),
    SuiteRule("room-holds-gold", Severity.ERROR, "agents can read the gold: move it out of the room", holds_gold),
    SuiteRule("gold-in-data", Severity.WARNING, "a file of the room gives the answer away: remove it", gold_in_data),
)
