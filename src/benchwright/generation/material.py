"""From a folder of data to the rooms of a suite: copied, indexed, profiled, related, each once."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from benchwright.errors import InputError
from benchwright.files import folder_digest, index_folder, sha256_file, write_jsonl
from benchwright.generation.copying import copy_room
from benchwright.generation.rooms.writing import MANIFEST
from benchwright.generation.trial import Room
from benchwright.generation.workflow import Material
from benchwright.profiles.finding_relations import find_relations, read_tables
from benchwright.profiles.folders import Looking, profile_paths
from benchwright.profiles.relations import read_relations
from benchwright.profiles.reviewed import honoured, read_review, usable
from benchwright.spreading import Spread
from benchwright.suite import write_room_index

Say = Callable[[str], None]
T = TypeVar("T")
MOST_RELATED = 2_000
"""Every table is compared with every other: a thousand take some seconds, ten thousand some minutes."""
_OTHER = re.compile(r"[^A-Za-z0-9._-]+")


def rooms_in(data: Path) -> dict[str, Path]:
    """The rooms of a folder by name: its sub-folders where no file lies beside them, else the folder itself.

    Of what `generate rooms` wrote, each room is one. Hidden names are passed over.
    Errors: InputError where there is no file, or two rooms would have one name.
    """
    if not data.is_dir():
        raise InputError(f"no such folder: {data}", expected="a folder of data files, or of folders of them")
    shown = [entry for entry in sorted(data.iterdir()) if not entry.name.startswith(".")]
    folders = [entry for entry in shown if entry.is_dir() and not entry.is_symlink()]
    alone = any(entry.is_file() for entry in shown) and not (data / MANIFEST).is_file()
    sources = [data.resolve()] if alone else [folder for folder in folders if _holds_files(folder)]
    found: dict[str, Path] = {}
    for source in sources:
        name = _name(source.name)
        if name in found:
            raise InputError(f"{data}: two rooms would be called {name}", found=source.name, hint="rename one")
        found[name] = source
    if not found:
        raise InputError(f"{data} holds no files", expected="data files, or folders of them")
    return found


def _holds_files(folder: Path) -> bool:
    return any(names for _, _, names in os.walk(folder))


def _name(text: str) -> str:
    """A room's name: letters, digits, dots, dashes and underscores."""
    return _OTHER.sub("_", text).strip("._-") or "room"


def prepare(
    data: Path, suite: Path, work: Path, say: Say, reviewed: Path | None = None, spread: Spread | None = None
) -> Iterator[Room]:
    """Every room, copied into the suite's folder; what is there already and unchanged is not made again.

    `reviewed` are relations of `data` as people reviewed them: what they refused is left out, what they added is there.
    A `spread` says who looks at the files; None: this machine.
    """
    review = read_review(reviewed) if reviewed is not None else None
    mark = f"-{sha256_file(reviewed)[:12]}" if reviewed is not None else ""
    for name, source in rooms_in(data).items():
        folder = suite / "data" / name
        if not folder.is_dir():
            say(f"room {name}: copying {source}")
            copy_room(source, folder, note_of(work, name))
        index = index_folder(folder)
        write_room_index(suite, name, index)
        say(f"room {name}: looking at {len(index)} files")
        profiles = tuple(profile_paths([folder], Looking(spread=spread)))
        place = work / "relations" / f"{name}-{folder_digest(index)[:12]}{mark}.jsonl"
        if not place.is_file():
            # What could not be profiled within bounds, in a process of its own, is not opened in this one.
            sound = frozenset(profile.path for profile in profiles if not profile.error)
            tables = to_relate(read_tables([folder], sound).read, name, say)
            mine = review.inside(source.name) if review is not None and source != data.resolve() else review
            found = find_relations(tables)
            write_jsonl(place, found if mine is None else honoured(tables, found, mine))
        yield Room(Material(name, folder, profiles, usable(read_relations(place))), index)


def to_relate(tables: Sequence[T], room: str, say: Say, most: int = MOST_RELATED) -> Sequence[T]:
    """The tables of a room whose relations are looked for, the first by path; where that is not all, it is said."""
    if len(tables) > most:
        say(f"room {room}: {len(tables)} tables; how they belong together is looked for among the first {most} alone")
    return tables[:most]


def note_of(work: Path, room: str) -> Path:
    """Where it stands what was left out of a room's copy."""
    return work / "left_out" / f"{room}.json"
