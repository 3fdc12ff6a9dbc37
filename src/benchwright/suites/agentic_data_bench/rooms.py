"""Finds the data of each domain: folders that are unpacked already, or archives to unpack."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchwright.errors import SuiteError
from benchwright.files import FileEntry, index_folder
from benchwright.suites.archives import SUFFIXES
from benchwright.suites.base import Progress
from benchwright.suites.room_store import RoomStore

ROOTS: Final = ("", "datasets", "data", "testbed/datasets", "archives")


@dataclass(frozen=True, slots=True)
class RoomData:
    """A room's data on this machine, and the index of its files."""

    folder: Path
    index: tuple[FileEntry, ...]


@dataclass(frozen=True, slots=True)
class RoomSource:
    """A folder with the domains' data: `<domain>/`, or `<domain>.tar.zst` and the like, here or below `datasets/`."""

    folder: Path
    store: RoomStore
    progress: Progress
    _domains: dict[str, Path | None] = field(default_factory=dict)

    def find(self, room: str) -> RoomData | None:
        """The data of a room (`domain` or `domain/sub`); None where the folder holds none."""
        domain, _, sub = room.partition("/")
        if domain not in self._domains:
            self._domains[domain] = self._find(domain)
        root = self._domains[domain]
        folder = root / sub if root else None
        if folder is None or not folder.is_dir():
            return None
        self.progress(f"{room}: reading {folder}")
        return RoomData(folder.absolute(), index_folder(folder))

    def _find(self, domain: str) -> Path | None:
        for root in ROOTS:
            if (self.folder / root / domain).is_dir():
                return self.folder / root / domain
            for suffix in SUFFIXES:
                archive = self.folder / root / f"{domain}{suffix}"
                if archive.is_file():
                    self.progress(f"{domain}: unpacking {archive} ({archive.stat().st_size >> 20} MB)")
                    return _inner_folder(self.store.unpacked(archive).folder, domain)
        return None


def _inner_folder(folder: Path, domain: str) -> Path:
    """The domain's root inside an archive: the outermost folder of its name, else all of it."""
    found = [Path(parent, domain) for parent, names, _ in os.walk(folder) if domain in names]
    return min(found, key=lambda path: len(path.parts), default=folder)


def find_rooms(folder: Path | None, names: list[str], progress: Progress) -> dict[str, RoomData | None]:
    """The data of each room by name; SuiteError where a folder is given that holds none of them."""
    if folder is None:
        return dict.fromkeys(names)
    if not folder.is_dir():
        raise SuiteError(f"no such folder of rooms: {folder}", expected="a folder with one folder a domain")
    source = RoomSource(folder, RoomStore(), progress)
    rooms = {name: source.find(name) for name in names}
    missing = [name for name, data in rooms.items() if data is None]
    if len(missing) == len(rooms):
        raise SuiteError(
            f"{folder} holds no domain's data", expected=f"a folder {names[0]}, here or under {', '.join(ROOTS[1:])}"
        )
    if missing:
        progress(f"no data for {len(missing)} of {len(rooms)} rooms: {', '.join(missing)}")
    return rooms
