"""Finds the data of each domain: folders that are unpacked already, or archives to unpack."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from benchwright.errors import SuiteError
from benchwright.files import index_folder
from benchwright.suites.archives import SUFFIXES
from benchwright.suites.base import Progress
from benchwright.suites.manifests import archive_hashes
from benchwright.suites.room_store import RoomData, RoomStore, UnpackedArchive

ROOTS: Final = ("", "datasets", "data", "testbed/datasets", "archives")


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


class RoomSource:
    """A folder with the domains' data: `<domain>/`, or `<domain>.tar.zst` and the like, here or below `datasets/`."""

    def __init__(self, folder: Path, store: RoomStore, progress: Progress) -> None:
        self._folder, self._store, self._progress = folder, store, progress
        self._hashes = {name: digest for root in ROOTS for name, digest in archive_hashes(folder / root).items()}
        self._unpacked = cache(self._unpack)

    def find(self, room: str) -> RoomData | None:
        """The data of a room (`domain` or `domain/sub`); None where the folder holds none."""
        domain, _, sub = room.partition("/")
        for root in ROOTS:
            folder = self._folder / root / room
            if folder.is_dir():
                self._progress(f"{room}: reading {folder}")
                return RoomData(folder.absolute(), index_folder(folder))
            for suffix in SUFFIXES:
                archive = self._folder / root / f"{domain}{suffix}"
                if archive.is_file():
                    found = self._unpacked(archive)
                    inside = found.inner(domain) / sub
                    return found.below(inside) if inside.is_dir() else None
        return None

    def _unpack(self, archive: Path) -> UnpackedArchive:
        known = self._hashes.get(archive.name, "")
        if self._hashes and not known:
            raise SuiteError(f"{archive.name} is not in the manifest", found=f"{len(self._hashes)} other archives")
        self._progress(f"unpacking {archive} ({archive.stat().st_size >> 20} MB)")
        return self._store.unpacked(archive, known)
