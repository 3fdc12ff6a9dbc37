"""Finds the data of each community: folders that are unpacked already, or archives to unpack."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.errors import SuiteError
from benchwright.files import FileEntry, index_folder, read_json, read_text
from benchwright.suites.archives import SUFFIXES
from benchwright.suites.base import Progress
from benchwright.suites.room_store import RoomStore

_INNER = "full_community"
_ROOTS = ("", "communities", "data", "archives")
_HASH = re.compile(r"[0-9a-f]{64}")
_HASH_LINE = re.compile(r"^(?P<hash>[0-9a-fA-F]{64})\s+\*?(?P<name>\S.*)$")
_MANIFESTS = ("SHA256SUMS", "*.sha256", "*manifest*.json", "checksums*.txt")


@dataclass(frozen=True, slots=True)
class RoomData:
    """A community's data on this machine, and the index of its files."""

    folder: Path
    index: tuple[FileEntry, ...]


class RoomSource:
    """A folder with the communities' data, in whichever layout they were fetched."""

    def __init__(self, folder: Path, store: RoomStore, progress: Progress) -> None:
        if not folder.is_dir():
            raise SuiteError(
                f"no such data folder: {folder}", expected="a folder with archives or unpacked communities"
            )
        self._folder, self._store, self._progress = folder, store, progress
        self._hashes = _manifest(folder)

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
        inner = _inner_folder(found.folder, room)
        prefix = "" if inner == found.folder else inner.relative_to(found.folder).as_posix() + "/"
        index = tuple(
            entry._replace(path=entry.path.removeprefix(prefix))
            for entry in found.index
            if entry.path.startswith(prefix)
        )
        return RoomData(inner, index)


def _inner_folder(folder: Path, room: str) -> Path:
    """The community's root inside an archive: `.../full_community`, else the folder of its name, else all of it."""
    for name in (_INNER, room):
        found = [Path(parent, name) for parent, names, _ in os.walk(folder) if name in names]
        if found:
            return min(found, key=lambda path: len(path.parts))
    return folder


def _manifest(folder: Path) -> dict[str, str]:
    """The SHA-256 of archives by file name, from every manifest that lies beside them."""
    hashes: dict[str, str] = {}
    for root in (folder, folder / "archives"):
        for pattern in _MANIFESTS:
            for path in sorted(root.glob(pattern)):
                hashes.update(_json_hashes(read_json(path)) if path.suffix == ".json" else _line_hashes(path))
    return hashes


def _line_hashes(path: Path) -> Iterator[tuple[str, str]]:
    for line in read_text(path).splitlines():
        if match := _HASH_LINE.match(line.strip()):
            yield os.path.basename(match["name"]), match["hash"].lower()


def _json_hashes(value: Any) -> Iterator[tuple[str, str]]:
    """(name, hash) wherever an object names an archive and a hash, or maps one to the other."""
    if isinstance(value, list):
        for item in value:
            yield from _json_hashes(item)
    if not isinstance(value, dict):
        return
    texts = {key: item for key, item in value.items() if isinstance(item, str)}
    names = [os.path.basename(item) for item in texts.values() if item.endswith(SUFFIXES)]
    found = [item.lower() for item in texts.values() if _HASH.fullmatch(item.lower())]
    if names and found:
        yield names[0], found[0]
    for key, item in value.items():
        if key.endswith(SUFFIXES):
            yield from ((os.path.basename(key), each) for each in _HASH.findall(json.dumps(item).lower())[:1])
        else:
            yield from _json_hashes(item)
