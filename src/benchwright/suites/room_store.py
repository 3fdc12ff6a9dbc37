"""Rooms unpacked from archives: each archive once, whole or not at all, shared by all suites that use it."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchwright.errors import EnvironmentFault
from benchwright.files import FileEntry, home, read_jsonl, sha256_file, write_jsonl
from benchwright.suites.archives import ArchiveLimits, unpack

_PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class RoomData:
    """A room's data on this machine, and the index of its files."""

    folder: Path
    index: tuple[FileEntry, ...]


@dataclass(frozen=True, slots=True)
class UnpackedArchive:
    """An archive as it lies on disk: the folder of its files, and their index."""

    folder: Path
    index: tuple[FileEntry, ...]

    def inner(self, *names: str) -> Path:
        """The outermost folder of the first of these names that there is; else all of the archive."""
        for name in names:
            found = [Path(parent, name) for parent, folders, _ in os.walk(self.folder) if name in folders]
            if found:
                return min(found, key=lambda path: len(path.parts))
        return self.folder

    def below(self, folder: Path) -> RoomData:
        """What lies below a folder of the archive."""
        prefix = "" if folder == self.folder else folder.relative_to(self.folder).as_posix() + "/"
        paths = [entry for entry in self.index if entry.path.startswith(prefix)]
        return RoomData(folder, tuple(entry._replace(path=entry.path.removeprefix(prefix)) for entry in paths))


class RoomStore:
    """Unpacked archives by their SHA-256, under `$BENCHWRIGHT_HOME/rooms`."""

    def __init__(self, folder: Path | None = None, limits: ArchiveLimits | None = None) -> None:
        self.folder = folder or home() / "rooms"
        self._limits = limits

    def unpacked(self, archive: Path, sha256: str = "") -> UnpackedArchive:
        """The archive's files, unpacked now or at an earlier time.

        `sha256` is what a manifest says of the archive. Whatever is interrupted leaves nothing that could be taken for
        whole, and is cleared away by the next call.
        """
        digest = sha256 or sha256_file(archive)
        place = self.folder / digest
        with self._locked(digest):
            self._clear(digest)
            if not place.is_dir():
                self._unpack(archive, digest, place)
        return UnpackedArchive(place / "files", _read_index(place / "index.jsonl"))

    def _unpack(self, archive: Path, digest: str, place: Path) -> None:
        self._require_space(archive)
        partial = Path(tempfile.mkdtemp(prefix=f".{digest}.", suffix=_PARTIAL, dir=self.folder))
        try:
            os.chmod(partial, 0o755)  # noqa: S103 - rooms are read by everyone; mkdtemp makes it private
            (partial / "files").mkdir()
            index = unpack(archive, partial / "files", sha256=digest, limits=self._limits)
            write_jsonl(partial / "index.jsonl", (entry._asdict() for entry in index))
            os.replace(partial, place)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise

    def _require_space(self, archive: Path) -> None:
        free, packed = shutil.disk_usage(self.folder).free, archive.stat().st_size
        if free < packed:
            raise EnvironmentFault(
                f"too little space to unpack {archive.name}",
                found=f"{free >> 20} MB free under {self.folder}",
                expected=f"at least the archive's own {packed >> 20} MB",
                hint="free some space, or set BENCHWRIGHT_HOME to a larger disk",
            )

    @contextmanager
    def _locked(self, digest: str) -> Iterator[None]:
        """Two builds at once unpack an archive once: the second waits for the first."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f".{digest}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _clear(self, digest: str) -> None:
        """Remove what interrupted calls left; under the lock nobody else can be at work on it."""
        for stale in self.folder.glob(f".{digest}.*{_PARTIAL}"):
            shutil.rmtree(stale, ignore_errors=True)


def _read_index(path: Path) -> tuple[FileEntry, ...]:
    return tuple(FileEntry(**value) for _, value in read_jsonl(path))
