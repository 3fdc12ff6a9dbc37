"""What somebody handed in, opened without trust: a folder, a zip archive, or one JSON document; sizes are bounded."""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from benchwright.errors import InputError
from benchwright.files import sha256_file
from benchwright.publishing.submission.strict_json import parse
from benchwright.scratch import scratch_folder

DETAILED, PROTOCOL, PREDICTIONS, MANIFEST = "submission.json", "protocol.json", "predictions.jsonl", "manifest.json"
TEXTS = (DETAILED, PROTOCOL, PREDICTIONS, MANIFEST)
_FILE = re.compile(r"files/[0-9a-f]{64}")
_CHUNK = 1 << 16
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much a submission may hold: bytes of the archive, of each JSON text, of all unpacked; members; lines."""

    archive_bytes: int = 1 << 30
    text_bytes: int = 128 << 20
    all_bytes: int = 4 << 30
    members: int = 20_000
    lines: int = 200_000


BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class Parcel:
    """A submission as it came: documents by name as plain values, predictions by line, files by the hash in their name.

    `texts` are where the texts themselves lie; they and the files are there as long as the parcel is open.
    """

    documents: Mapping[str, Any]
    predictions: tuple[Any, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    texts: Mapping[str, Path] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether it can be scored again: with predictions and their manifest."""
        return PREDICTIONS in self.texts and MANIFEST in self.documents


@contextmanager
def opened(path: Path, bounds: Bounds = BOUNDS) -> Iterator[Parcel]:
    """Open a submission. Errors: InputError where it is none, is damaged, or holds more or other things than may be."""
    with scratch_folder("submission") as folder:
        members = _folder(path, bounds) if path.is_dir() else _file(path, folder, bounds)
        yield _parcel(path, members, bounds)


def _parcel(path: Path, members: Mapping[str, Path], bounds: Bounds) -> Parcel:
    texts = {name: place for name, place in members.items() if name in TEXTS}
    if DETAILED not in texts and PROTOCOL not in texts:
        raise InputError(
            f"{path} holds no submission",
            found=", ".join(sorted(members)[:5]) or "nothing",
            expected=f"{DETAILED}, {PREDICTIONS} and {MANIFEST}",
            hint="make one with: benchwright submission make RUN --out FILE.zip",
        )
    return Parcel(
        documents={name: parse(_text(place, bounds), name) for name, place in texts.items() if name != PREDICTIONS},
        predictions=tuple(_lines(texts[PREDICTIONS], bounds)) if PREDICTIONS in texts else (),
        files={name.removeprefix("files/"): place for name, place in members.items() if name not in TEXTS},
        texts=texts,
    )


def _text(place: Path, bounds: Bounds) -> str:
    if place.stat().st_size > bounds.text_bytes:
        raise InputError(f"{place.name} is larger than {bounds.text_bytes:,} bytes")
    try:
        return place.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{place.name} is not UTF-8 text", found=str(error)) from error


def _lines(place: Path, bounds: Bounds) -> Iterator[Any]:
    lines = [line for line in _text(place, bounds).split("\n") if line.strip()]
    if len(lines) > bounds.lines:
        raise InputError(f"{PREDICTIONS} has {len(lines):,} lines", expected=f"at most {bounds.lines:,}")
    for number, line in enumerate(lines, start=1):
        yield parse(line, f"{PREDICTIONS}, prediction {number}")


# --- where the members lie


def _folder(path: Path, bounds: Bounds) -> dict[str, Path]:
    """The members of a folder; links are refused, not followed."""
    found: dict[str, Path] = {}
    for entry in _entries(path, bounds):
        mode = entry.stat(follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode) and entry.name == "files":
            found |= _folder_files(Path(entry.path), bounds)
        elif stat.S_ISREG(mode) and entry.name in TEXTS:
            found[entry.name] = Path(entry.path)
        else:
            raise _unknown(path, entry.name)
    return found


def _folder_files(path: Path, bounds: Bounds) -> dict[str, Path]:
    found = {}
    for entry in _entries(path, bounds):
        name = f"files/{entry.name}"
        if not stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode) or not _FILE.fullmatch(name):
            raise _unknown(path.parent, name)
        found[name] = Path(entry.path)
    return found


def _entries(path: Path, bounds: Bounds) -> list[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        found: list[os.DirEntry[str]] = []
        for entry in entries:
            found.append(entry)
            if len(found) > bounds.members:
                raise InputError(f"{path} holds more than {bounds.members:,} files")
    return sorted(found, key=lambda entry: entry.name)


def _file(path: Path, into: Path, bounds: Bounds) -> dict[str, Path]:
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise InputError(f"cannot read {path}", found="a device, pipe or socket", expected="a file or a folder")
        with path.open("rb") as stream:
            begins = stream.read(4)
    except OSError as error:
        raise InputError(f"cannot read {path}", found=error.strerror or str(error)) from error
    if about.st_size > bounds.archive_bytes:
        raise InputError(f"{path} is larger than {bounds.archive_bytes:,} bytes")
    if not begins:
        raise InputError(f"{path} is empty", expected="a submission: a zip archive, or one JSON document")
    if not begins.startswith(b"PK"):
        return _bare(path, bounds)
    try:
        with zipfile.ZipFile(path) as archive:
            return _unpacked(archive, path, into, bounds)
    except _DAMAGED as error:
        raise InputError(f"{path} is no zip archive that can be read", found=str(error)[:200]) from error


def _bare(path: Path, bounds: Bounds) -> dict[str, Path]:
    """One JSON document alone, in either form: told by what it holds."""
    value = parse(_text(path, bounds), str(path))
    if not isinstance(value, dict):
        raise InputError(f"{path} holds no submission", found=f"a JSON {type(value).__name__}", expected="an object")
    return {DETAILED if "results" in value or "submission_id" in value else PROTOCOL: path}


def _unpacked(archive: zipfile.ZipFile, path: Path, into: Path, bounds: Bounds) -> dict[str, Path]:
    infos = archive.infolist()
    if len(infos) > bounds.members:
        raise InputError(f"{path} holds {len(infos):,} members", expected=f"at most {bounds.members:,}")
    found: dict[str, Path] = {}
    left = bounds.all_bytes
    for info in infos:
        if info.filename == "files/":
            continue
        if info.filename in found or not _may_be(info):
            raise _unknown(path, info.filename)
        place = into / info.filename
        place.parent.mkdir(exist_ok=True)
        most = min(left, bounds.text_bytes) if info.filename in TEXTS else left
        with archive.open(info) as source, place.open("wb") as target:
            left -= _copied(source, target, most, path)
        found[info.filename] = place
    return found


def _may_be(info: zipfile.ZipInfo) -> bool:
    """A plain file of a known name, packed in a way whose unpacking is bounded."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    named = info.filename in TEXTS or _FILE.fullmatch(info.filename)
    return bool(named) and kind in (0, stat.S_IFREG) and not info.flag_bits & 1 and info.compress_type in _PACKINGS


def _copied(source: IO[bytes], target: IO[bytes], most: int, path: Path) -> int:
    count = 0
    while piece := source.read(_CHUNK):
        count += len(piece)
        if count > most:
            raise InputError(f"{path} unpacks to more than may be", expected=f"at most {most:,} bytes here")
        target.write(piece)
    return count


def _unknown(path: Path, name: str) -> InputError:
    return InputError(
        f"{path} holds something that is no part of a submission",
        found=ascii(name)[:200],
        expected=f"plain files, each once: {', '.join(TEXTS)}, and files/ named by their SHA-256",
    )


def wrong_files(files: Mapping[str, Path]) -> tuple[str, ...]:
    """The files whose content is not what their name says."""
    return tuple(name for name, place in sorted(files.items()) if sha256_file(place) != name)
