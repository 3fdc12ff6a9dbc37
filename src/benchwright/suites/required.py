"""Which files of a room the required files of a task mean, and which other files hold the same content."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from benchwright.files import FileEntry
from benchwright.gold import Gold, RequiredFile
from benchwright.reading import canonical_key, matches_pattern


class RoomFiles:
    """The files of one room, looked up by path, by canonical key, by name and by content."""

    def __init__(self, index: Iterable[FileEntry]) -> None:
        self.entries = {entry.path: entry for entry in index}
        self._by_key: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_content: dict[str, list[str]] = defaultdict(list)
        for path, entry in self.entries.items():
            self._by_key[canonical_key(path)].append(path)
            self._by_name[posixpath.basename(path).lower()].append(path)
            self._by_content[entry.sha256].append(path)

    def meant(self, required: RequiredFile) -> tuple[str, ...]:
        """The files that a required file means.

        A path that is there is meant as it stands. Otherwise paths derived from a program (`convention` is set) are
        compared by canonical key, patterns match every file that fits, and a bare name any file of that name.
        """
        if required.path in self.entries:
            return (required.path,)
        if required.glob:
            return tuple(path for path in self.entries if _fits(path, required))
        if not required.convention:
            return ()
        if "/" not in required.path:
            return tuple(self._by_name[required.path.lower()])
        return tuple(self._by_key[canonical_key(required.path)])

    def copies(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Other files with the content of one of these; empty files are no copies of each other."""
        known = [self.entries[path] for path in paths if self.entries[path].size]
        return tuple(sorted({path for entry in known for path in self._by_content[entry.sha256]} - set(paths)))


def _fits(path: str, required: RequiredFile) -> bool:
    if matches_pattern(path, required.path):
        return True
    dataset, below = canonical_key(path)
    wanted, pattern = canonical_key(required.path)
    return bool(required.convention) and dataset == wanted and matches_pattern(below, pattern)


def resolve(gold: Gold, rooms: Mapping[str, RoomFiles], default_room: str = "") -> Gold:
    """The gold with the required files looked up in their rooms; a single match gives the path its spelling on disk."""
    files = tuple(_resolved(file, rooms.get(file.room or default_room)) for file in gold.required_files)
    return gold.model_copy(update={"required_files": files})


def _resolved(file: RequiredFile, room: RoomFiles | None) -> RequiredFile:
    if room is None:
        return file
    matches = room.meant(file)
    path = matches[0] if len(matches) == 1 and not file.glob else file.path
    return file.model_copy(update={"path": path, "matches": matches, "copies": room.copies(matches)})
