"""Archives and compressed files: their members are profiled one by one under names of ours, within bounds."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

from benchwright.profiles.entries import FileProfile
from benchwright.profiles.formats.base import Found, Source, Unreadable
from benchwright.profiles.tables import cut
from benchwright.scratch import scratch_folder

_PIECE = 1 << 20
_LISTED = 10_000
_FREE = 1 << 20


@dataclass(frozen=True, slots=True)
class _Member:
    """A file in an archive: what it is called there, and how to open it; `refused` says why it is not."""

    name: str
    open: Callable[[], IO[bytes]]
    refused: str = ""


class _TooMuch(Exception):
    """More came out than may."""


class _Budget:
    """What may still come out of one archive."""

    def __init__(self, source: Source) -> None:
        packed = source.path.stat().st_size
        self.left = min(source.bounds.bytes, max(_FREE, packed * source.bounds.ratio))

    def copied(self, stream: IO[bytes], target: Path) -> int:
        """Unpack to a file; _TooMuch where the budget ends first."""
        size = 0
        with target.open("xb") as out:
            while piece := stream.read(_PIECE):
                self.left -= len(piece)
                if self.left < 0:
                    raise _TooMuch
                out.write(piece)
                size += len(piece)
        return size


def read_zip(source: Source) -> Found:
    """A zip: every member is listed in the counts, the first ones are profiled."""
    with zipfile.ZipFile(source.path) as archive:
        parts = [part for part in archive.infolist() if not part.is_dir()]
        members = (_Member(part.filename, _opener(archive, part), _zip_fault(part)) for part in parts)
        return _profiled(source, members, len(parts))


def _opener(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(part)


def _zip_fault(part: zipfile.ZipInfo) -> str:
    if part.flag_bits & 1:
        return "encrypted"
    return "a link" if (part.external_attr >> 16) & 0o170000 == 0o120000 else _name_fault(part.filename)


def read_tar(source: Source) -> Found:
    """A tar, compressed or not."""
    with tarfile.open(source.path, "r:") as archive:
        return _profiled(source, _tar_members(archive), None)


def _tar_members(archive: tarfile.TarFile) -> Iterator[_Member]:
    for part in archive:
        if part.isdir():
            continue
        fault = _name_fault(part.name) if part.isreg() else "no regular file"
        yield _Member(part.name, _tar_opener(archive, part), fault)


def _tar_opener(archive: tarfile.TarFile, part: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    def opened() -> IO[bytes]:
        stream = archive.extractfile(part)
        assert stream is not None
        return stream

    return opened


def _name_fault(name: str) -> str:
    path = PurePosixPath(name.replace("\\", "/"))
    outside = path.is_absolute() or ".." in path.parts or (len(name) > 1 and name[1] == ":")
    return "its name leads out of the archive" if outside else ""


def compressed(opener: Callable[[Path], Any], suffixes: tuple[str, ...]) -> Callable[[Source], Found]:
    """The function that reads one compressed file: what is in it, as an inner file."""

    def read(source: Source) -> Found:
        path = source.path
        name = path.name
        for suffix in suffixes:
            if name.lower().endswith(suffix):
                name = name[: -len(suffix)] + (".tar" if suffix.startswith(".t") else "")
                break
        found = _profiled(source, [_Member(name, lambda: opener(path))], 1)
        inner = found.inner[0] if len(found.inner) == 1 else None
        return replace(found, rows=inner.rows if inner else None, error=inner.error if inner else "")

    return read


read_gzip = compressed(gzip.open, (".tgz", ".gz"))
read_bzip2 = compressed(bz2.open, (".tbz2", ".tbz", ".bz2"))
read_xz = compressed(lzma.open, (".txz", ".xz"))


def _profiled(source: Source, members: Iterable[_Member], count: int | None) -> Found:
    """Members are unpacked one at a time under names of ours, which their own cannot steer, and gone when profiled."""
    if source.bounds.depth <= 0:
        raise Unreadable("archives within archives: not opened any deeper")
    budget = _Budget(source)
    inner: list[FileProfile] = []
    suffixes: Counter[str] = Counter()
    refused: list[str] = []
    seen = 0
    error = ""
    for seen, member in enumerate(members, 1):
        if seen > _LISTED:
            break
        suffixes[cut(PurePosixPath(member.name).suffix.lower())] += 1
        if member.refused:
            refused.append(cut(f"{member.name}: {member.refused}"))
        elif len(inner) < source.bounds.members and not error:
            entry = _member(source, member, budget)
            inner.append(entry)
            error = entry.error if entry.error.startswith("unpacks to more") else ""
    exact = count is not None or seen <= _LISTED
    total = count if count is not None else seen
    facts = {
        "members": {"value": total, "exact": exact},
        "members_profiled": len(inner),
        "suffixes": dict(suffixes.most_common(20)),
        "refused": refused[:20],
    }
    return Found(inner=tuple(inner), facts=facts, error=error)


def _member(source: Source, member: _Member, budget: _Budget) -> FileProfile:
    name = cut(member.name)
    bounds = replace(source.bounds, bytes=max(0, budget.left), depth=source.bounds.depth - 1)
    with scratch_folder("profile") as folder:
        suffix = "".join(char for char in PurePosixPath(member.name).suffix[:12] if char.isalnum() or char == ".")
        target = folder / f"member{suffix}"
        try:
            with member.open() as stream:
                budget.copied(stream, target)
        except _TooMuch:
            size = target.stat().st_size
            text = f"unpacks to more than may come out of this archive ({size:,} bytes came out)"
            return FileProfile(path=name, bytes=size, format="unknown", error=text)
        except (
            OSError,
            EOFError,
            ValueError,
            lzma.LZMAError,
            zipfile.BadZipFile,
            RuntimeError,
            NotImplementedError,
        ) as error:
            return FileProfile(path=name, bytes=0, format="unknown", error=cut(str(error) or type(error).__name__))
        return source.look(target, name, bounds)
