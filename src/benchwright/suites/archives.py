"""Unpacks tar archives that nobody vouches for: streaming, member by member, refusing all that could do harm.

Nothing but folders and regular files is ever made, below one folder, with our own modes. Links inside an archive
become further names of the files that they mean; links that lead out, devices, pipes, setuid files, sparse files,
duplicate names, names that are no plain text, and archives that swell are refused.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import posixpath
import stat
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from benchwright.errors import EnvironmentFault, SuiteError
from benchwright.files import FileEntry

_CHUNK = 1 << 20
_BLOCK = 512
_HEADER_SLACK = 4 << 20
_LARGEST_WINDOW = 1 << 27
_LONGEST_NAME = 255
_LONGEST_PATH = 1024
SUFFIXES = (".tar.zst", ".tar.gz", ".tgz", ".tar")


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How much one archive may hold. `ratio` is unpacked against packed bytes, past the first 100 MB."""

    files: int = 500_000
    bytes: int = 200 << 30
    file_bytes: int = 50 << 30
    ratio: int = 300


class _Source(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class _Counted:
    """The archive's own bytes: counted and hashed as they pass."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()
        self.count = 0

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(_CHUNK if size < 0 else min(size, _CHUNK))
        self._hash.update(data)
        self.count += len(data)
        return data

    def digest(self) -> str:
        """SHA-256 of the whole file; reads what is left of it."""
        while self.read(_CHUNK):
            pass
        return self._hash.hexdigest()


class _Budgeted:
    """The unpacked stream, of which no more may be read than the members so far allow: headers cannot swell."""

    def __init__(self, stream: _Source, archive: Path) -> None:
        self._stream = stream
        self._archive = archive
        self.left = _HEADER_SLACK
        self._tail = b""

    @property
    def ended(self) -> bool:
        """Whether the last block was one of zeros, as the end of every tar archive is."""
        return len(self._tail) == _BLOCK and not any(self._tail)

    def read(self, size: int = -1, /) -> bytes:
        if self.left <= 0:
            raise _refused(self._archive, "headers between two members are larger than 4 MB", "")
        data = self._stream.read(min(size if size >= 0 else _CHUNK, _CHUNK))
        self.left -= len(data)
        self._tail = (self._tail + data)[-_BLOCK:]
        return data


def unpack(
    archive: Path, into: Path, *, sha256: str = "", limits: ArchiveLimits | None = None
) -> tuple[FileEntry, ...]:
    """Unpack an archive into an empty folder; the index of what was written, sorted by path.

    Raises SuiteError where the archive is damaged, is not the one that `sha256` names, or holds what is refused;
    EnvironmentFault where the disk is full. What was written until then is for the caller to remove.
    """
    with _faults(archive, into), archive.open("rb") as stream:
        packed = _Counted(stream)
        unpacking = _Unpacking(archive, into, limits or ArchiveLimits(), packed)
        source = _Budgeted(_decompressed(archive, packed), archive)
        with tarfile.open(fileobj=source, mode="r|", errorlevel=2) as tar:  # type: ignore[call-overload]
            for member in tar:
                tar.members = []  # the list would hold every header of the archive
                source.left = member.size + _HEADER_SLACK
                unpacking.take(member, tar)
        if not source.ended:
            raise _refused(archive, "damaged or cut short", "no end of the archive", "a whole archive")
        unpacking.link()
        found = packed.digest()
        if sha256 and found != sha256:
            raise _refused(archive, "not the archive that its manifest names", f"SHA-256 {found}", f"SHA-256 {sha256}")
    return tuple(sorted(unpacking.entries.values()))


@contextmanager
def _faults(archive: Path, into: Path) -> Iterator[None]:
    """Say in plain words what went wrong with the archive or the disk."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise EnvironmentFault(
                f"the disk is full: cannot unpack {archive.name}",
                found=f"no space left under {into}",
                hint="free some space, or set BENCHWRIGHT_HOME to a larger disk, and run the same command again",
            ) from error
        if isinstance(error, tarfile.ReadError | gzip.BadGzipFile) or not error.errno:
            raise _refused(archive, "damaged or cut short", str(error), "a whole archive") from error
        raise SuiteError(f"cannot unpack {archive}", found=error.strerror or str(error)) from error
    except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
        raise _refused(archive, "damaged or cut short", str(error), "a whole archive") from error
    except Exception as error:
        if type(error).__name__ != "ZstdError":  # the library is imported where it is used
            raise
        raise _refused(archive, "damaged or cut short", str(error), "a whole archive") from error


def _decompressed(archive: Path, packed: _Counted) -> _Source:
    if archive.name.endswith(".tar.zst"):
        import zstandard

        decompressor = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
        return decompressor.stream_reader(packed, read_across_frames=True)  # type: ignore[arg-type]
    if archive.name.endswith((".tar.gz", ".tgz")):
        return gzip.GzipFile(fileobj=packed, mode="rb")  # type: ignore[call-overload, no-any-return]
    if archive.name.endswith(".tar"):
        return packed
    raise _refused(
        archive, "not an archive of a known kind", archive.suffix, f"a name that ends in {', '.join(SUFFIXES)}"
    )


def _refused(archive: Path, why: str, found: str, expected: str = "", member: str = "") -> SuiteError:
    where = f"{archive.name}, member {member!r}" if member else archive.name
    return SuiteError(f"{where}: {why}", found=found, expected=expected)


class _Unpacking:
    """One archive on its way to disk."""

    def __init__(self, archive: Path, into: Path, limits: ArchiveLimits, packed: _Counted) -> None:
        self.entries: dict[str, FileEntry] = {}
        self._archive, self._into, self._limits, self._packed = archive, into, limits, packed
        self._folders: set[str] = {""}
        self._links: dict[str, str] = {}
        self._bytes = 0

    def take(self, member: tarfile.TarInfo, tar: tarfile.TarFile) -> None:
        """Check one member, and write it."""
        path = self._checked_path(member.name)
        if member.isdir():
            self._make_folder(path, member.name)
            return
        self._refuse_taken(path, member.name)
        self._make_folder(posixpath.dirname(path), member.name)
        if member.issym() or member.islnk():
            self._links[path] = self._link_target(path, member)
        elif member.isreg() and not member.issparse():
            self._refuse_special(member)
            self._write(path, member, tar)
        else:
            raise self._no("not a regular file, a folder or a link", member.name, f"type {member.type!r}")

    def _no(self, why: str, member: str, found: str = "", expected: str = "") -> SuiteError:
        return _refused(self._archive, why, found, expected, member[:200])

    def _checked_path(self, name: str) -> str:
        if name.startswith("/"):
            raise self._no("an absolute path", name)
        parts = [part for part in name.split("/") if part not in {"", "."}]
        if ".." in parts:
            raise self._no("a path that leads out of the archive", name)
        path = "/".join(parts)
        if any(ord(letter) < 32 or ord(letter) == 127 or 0xD800 <= ord(letter) <= 0xDFFF for letter in path):
            raise self._no("a name that is not plain UTF-8 text", name)
        if len(path.encode()) > _LONGEST_PATH or any(len(part.encode()) > _LONGEST_NAME for part in parts):
            raise self._no("a path that is too long", name)
        return path

    def _refuse_taken(self, path: str, name: str) -> None:
        if not path or path in self.entries or path in self._links or path in self._folders:
            raise self._no("a name that stands twice in the archive", name)
        if len(self.entries) + len(self._links) >= self._limits.files:
            raise self._no(f"more than {self._limits.files} files", name)

    def _make_folder(self, path: str, name: str) -> None:
        if path in self._folders:
            return
        self._make_folder(posixpath.dirname(path), name)
        if path in self.entries or path in self._links:
            raise self._no("a file and a folder of one name", name)
        if len(self._folders) > self._limits.files:
            raise self._no(f"more than {self._limits.files} folders", name)
        os.mkdir(self._into / path, 0o755)
        self._folders.add(path)

    def _refuse_special(self, member: tarfile.TarInfo) -> None:
        if member.mode & (stat.S_ISUID | stat.S_ISGID):
            raise self._no("a setuid or setgid file", member.name, oct(member.mode))
        if member.size > self._limits.file_bytes:
            raise self._no(f"larger than {self._limits.file_bytes >> 20} MB", member.name, f"{member.size >> 20} MB")

    def _write(self, path: str, member: tarfile.TarInfo, tar: tarfile.TarFile) -> None:
        source: IO[bytes] | Any = tar.extractfile(member)
        digest, size = hashlib.sha256(), 0
        handle = os.open(self._into / path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
        with os.fdopen(handle, "wb") as target:
            while chunk := source.read(_CHUNK):
                size += len(chunk)
                self._count(len(chunk), member.name)
                digest.update(chunk)
                target.write(chunk)
        if size != member.size:
            raise self._no("cut short", member.name, f"{size} bytes", f"{member.size} bytes")
        self.entries[path] = FileEntry(path, size, digest.hexdigest())

    def _count(self, size: int, name: str) -> None:
        self._bytes += size
        if self._bytes > self._limits.bytes:
            raise self._no(f"the archive holds more than {self._limits.bytes >> 20} MB", name)
        if self._bytes > (100 << 20) and self._bytes > self._limits.ratio * self._packed.count:
            raise self._no(f"the archive swells to more than {self._limits.ratio} times its size", name)

    def _link_target(self, path: str, member: tarfile.TarInfo) -> str:
        """What a link means: a symbolic one counts from its own folder, a hard one from the archive's root."""
        base = posixpath.dirname(path) if member.issym() else ""
        target = posixpath.normpath(posixpath.join(base, member.linkname))
        if member.linkname.startswith("/") or target == ".." or target.startswith("../"):
            raise self._no("a link that leads out of the archive", member.name, member.linkname[:200])
        return "" if target == "." else target

    def link(self) -> None:
        """Give the files that links mean their further names; a link to a folder becomes a folder of such names."""
        for path in self._links:
            target = self._settled(path)
            inside = [entry for entry in self.entries.values() if entry.path.startswith(f"{target}/")]
            if target in self.entries:
                self._name_again(self.entries[target], path)
            elif target in self._folders and not path.startswith(f"{target}/"):
                for entry in inside:
                    self._name_again(entry, path + entry.path.removeprefix(target))
            else:
                raise self._no("a link to nothing that the archive holds", path, target)

    def _settled(self, path: str) -> str:
        """The end of a chain of links."""
        seen, target = {path}, self._links[path]
        while target in self._links:
            if target in seen:
                raise self._no("links that lead in a circle", path, target)
            seen.add(target)
            target = self._links[target]
        return target

    def _name_again(self, entry: FileEntry, path: str) -> None:
        if path in self.entries or len(self.entries) >= self._limits.files:
            raise self._no("links make too many files, or one twice", path)
        self._make_linked_folder(posixpath.dirname(path))
        os.link(self._into / entry.path, self._into / path)
        self.entries[path] = entry._replace(path=path)

    def _make_linked_folder(self, path: str) -> None:
        if path not in self._folders:
            self._make_linked_folder(posixpath.dirname(path))
            os.mkdir(self._into / path, 0o755)
            self._folders.add(path)
