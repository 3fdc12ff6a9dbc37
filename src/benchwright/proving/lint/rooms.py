"""Rules: rooms, where they are on this machine, that lack what tasks need, or hold what they must not."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from weakref import WeakKeyDictionary

from benchwright.files import sha256_file
from benchwright.gold import RequiredFile
from benchwright.proving.findings import Severity
from benchwright.proving.lint.base import Case, Hit, SuiteRule, cases, quoted
from benchwright.suite import Suite

_TELLING = re.compile(
    r"(?i)(?:^|[_\W])(?:solutions?|answers?|gold|golden|expected|answer_?key|ground_?truth|solution_trace)(?:[_\W]|$)"
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
_SCAN_BYTES = 256 * 1024
_listings: WeakKeyDictionary[Suite, Mapping[str, frozenset[str]]] = WeakKeyDictionary()


def listings(suite: Suite) -> Mapping[str, frozenset[str]]:
    """The regular files of every room that is on this machine, by paths relative to the room; walked once a suite."""
    if suite not in _listings:
        rooms = {name: suite.room_path(name) for name in suite.info.rooms}
        _listings[suite] = {name: frozenset(_walk(path)) for name, path in rooms.items() if path.is_dir()}
    return _listings[suite]


def _walk(root: Path) -> Iterator[str]:
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder) / name
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(root).as_posix()


def absent(suite: Suite) -> Iterator[Hit]:
    """Rooms that are not here: what needs data was not checked."""
    away = sorted(set(suite.info.rooms) - set(listings(suite)))
    if away:
        yield Hit("", f"{len(away)} of {len(suite.info.rooms)} rooms are not on this machine: {', '.join(away[:5])}")


def counts(suite: Suite) -> Iterator[Hit]:
    """Rooms that hold another number of files than suite.toml says."""
    for name, files in listings(suite).items():
        stated = suite.info.rooms[name].files
        if stated is not None and stated != len(files):
            yield Hit("", f"room {name}: suite.toml says {stated} files, the folder holds {len(files)}")


def required_missing(suite: Suite) -> Iterator[Hit]:
    """A required file that is in none of the task's rooms, in a folder that is."""
    yield from (Hit(case.task.id, text) for case, text, folder in _missing(suite) if folder)


def folder_missing(suite: Suite) -> Iterator[Hit]:
    """The whole folder of a required file is missing in the task's rooms."""
    yield from (Hit(case.task.id, text) for case, text, folder in _missing(suite) if not folder)


def respelled(suite: Suite) -> Iterator[Hit]:
    """A required file whose folder is spelled otherwise on disk (case, hyphen or underscore)."""
    for case, required, files in _required(suite):
        exact, alike = _matches(required, files), _alike(required.path, files)
        if not exact and alike:
            yield Hit(case.task.id, f"required {quoted(required.path)}, the room has {quoted(alike)}")


def _required(suite: Suite) -> Iterator[tuple[Case, RequiredFile, frozenset[str]]]:
    """Required files with the files of the rooms where they may be; tasks some of whose rooms are away are left out."""
    here = listings(suite)
    for case in cases(suite):
        rooms = [mount.room for mount in case.task.data]
        for required in case.gold.required_files:
            wanted = [required.room] if required.room else rooms
            if wanted and all(room in here for room in wanted):
                yield case, required, frozenset().union(*(here[room] for room in wanted))


def required_paths(suite: Suite, case: Case) -> tuple[Path, ...]:
    """The required files of a task on this machine; empty where one of them, or one of its rooms, is not here."""
    here = listings(suite)
    found: dict[Path, None] = {}
    for required in case.gold.required_files:
        rooms = [required.room] if required.room else [mount.room for mount in case.task.data]
        paths = [
            suite.room_path(room) / file for room in rooms for file in _found(required, here.get(room, frozenset()))
        ]
        if not paths:
            return ()
        found.update(dict.fromkeys(paths))
    return tuple(found)


def _found(required: RequiredFile, files: frozenset[str]) -> tuple[str, ...]:
    """The files that a required file stands for: itself, its glob's matches, or its nearly equal spelling."""
    if required.glob:
        return tuple(sorted(file for file in files if fnmatchcase(file, required.path)))
    if required.path in files:
        return (required.path,)
    alike = _alike(required.path, files)
    return (alike,) if alike else ()


def _missing(suite: Suite) -> Iterator[tuple[Case, str, bool]]:
    for case, required, files in _required(suite):
        if _matches(required, files) or _alike(required.path, files):
            continue
        if any(_matches(RequiredFile(path=path, glob=required.glob), files) for path in required.alternatives):
            continue
        folder = required.path.rpartition("/")[0].split("/")[0]
        present = not folder or any(_fold(file.split("/")[0]) == _fold(folder) for file in files)
        what = f"gold file not on disk: {quoted(required.path)}" if present else f"no folder {quoted(folder)}"
        yield case, f"{what} among {len(files)} files{_nearest(required.path, files)}", present


def _matches(required: RequiredFile, files: frozenset[str]) -> bool:
    if required.glob:
        return any(fnmatchcase(file, required.path) for file in files)
    return required.path in files


def _alike(path: str, files: frozenset[str]) -> str:
    """The file of that name in a folder that is spelled nearly so, with or without the `source` folder."""
    wanted = _canonical(path)
    return next((file for file in sorted(files) if _canonical(file) == wanted), "")


def _canonical(path: str) -> tuple[str, ...]:
    *folders, name = path.split("/")
    return (*(_fold(folder) for folder in folders if folder != "source"), name)


def _fold(folder: str) -> str:
    return re.sub(r"[-_ ]+", "-", folder.casefold())


def _nearest(path: str, files: frozenset[str]) -> str:
    """A file with nearly the same name, to show in the evidence."""
    name = _fold(path.rpartition("/")[2])
    near = next((file for file in sorted(files) if _fold(file.rpartition("/")[2]) == name), "")
    return f"; the nearest is {quoted(near)}" if near else ""


def holds_gold(suite: Suite) -> Iterator[Hit]:
    """A room from which the suite's gold can be read: it holds the gold folder, or a copy of a gold file."""
    gold = (suite.folder / "gold").resolve()
    digests = {sha256_file(path): path for path in sorted((gold / "files").rglob("*")) if path.is_file()}
    sizes = {path.stat().st_size for path in digests.values()}
    for name, files in listings(suite).items():
        root = suite.room_path(name)
        if gold == root.resolve() or root.resolve() in gold.parents:
            yield Hit("", f"room {name} ({root}) holds the suite's gold folder: mounted, agents read it")
            continue
        for file in sorted(files):
            path = root / file
            copied = digests.get(sha256_file(path)) if path.stat().st_size in sizes else None
            if copied is not None and path.stat().st_size:
                yield Hit(
                    copied.parent.name, f"room {name} holds a copy of the gold file {copied.name}: {quoted(file)}"
                )


def gold_in_data(suite: Suite) -> Iterator[Hit]:
    """A text file whose name promises a solution, and that holds a gold answer."""
    here = listings(suite)
    texts = {
        (room, file): _text(suite.room_path(room) / file)
        for room, files in here.items()
        for file in sorted(files)
        if _TELLING.search(file) and Path(file).suffix.lower() in _TEXT
    }
    for case in cases(suite):
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
    SuiteRule("room-count-differs", Severity.WARNING, "build the suite again, or restore the room", counts),
    SuiteRule("required-file-missing", Severity.ERROR, "the task cannot be solved: add the file", required_missing),
    SuiteRule(
        "target-folder-missing",
        Severity.ERROR,
        "the task's data are not in its room: another release, or the wrong room",
        folder_missing,
    ),
    SuiteRule("required-file-respelled", Severity.NOTE, "write the path as it is on disk", respelled),
    SuiteRule("room-holds-gold", Severity.ERROR, "agents can read the gold: move it out of the room", holds_gold),
    SuiteRule("gold-in-data", Severity.WARNING, "a file of the room gives the answer away: remove it", gold_in_data),
)
