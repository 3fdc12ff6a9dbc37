"""Finds the data of each community: folders that are unpacked already, or archives to unpack."""

from __future__ import annotations

from pathlib import Path

from benchwright.errors import SuiteError
from benchwright.files import index_folder
from benchwright.suites.archives import SUFFIXES
from benchwright.suites.base import Progress
from benchwright.suites.manifests import archive_hashes
from benchwright.suites.room_store import RoomData, RoomStore

_INNER = "full_community"
_ROOTS = ("", "communities", "data", "archives")


class RoomSource:
    """A folder with the communities' data, in whichever layout they were fetched."""

    def __init__(self, folder: Path, store: RoomStore, progress: Progress) -> None:
        if not folder.is_dir():
            raise SuiteError(
                f"no such data folder: {folder}", expected="a folder with archives or unpacked communities"
            )
        self._folder, self._store, self._progress = folder, store, progress
        self._hashes = archive_hashes(folder)

    def find(self, room: str) -> RoomData | None:
        """A community's data; None where the folder holds none."""
        for root in _ROOTS:
            unpacked = self._folder / root / room
            if unpacked.is_dir():
                self._progress(f"{room}: reading {unpacked}")
                inner = unpacked / _INNER if (unpacked / _INNER).is_dir() else unpacked
                return RoomData(inner.absolute(), index_folder(inner))
            for suffix in SUFFIXES:
                archive = self._folder / root / f"{room}{suffix}"
                if archive.is_file():
                    return self._unpacked(archive, room)
        return None

    def _unpacked(self, archive: Path, room: str) -> RoomData:
        known = self._hashes.get(archive.name, "")
        if self._hashes and not known:
            raise SuiteError(f"{archive.name} is not in the manifest", found=f"{len(self._hashes)} other archives")
        self._progress(f"{room}: unpacking {archive} ({archive.stat().st_size >> 20} MB)")
        found = self._store.unpacked(archive, known)
        return found.below(found.inner(_INNER, room))
