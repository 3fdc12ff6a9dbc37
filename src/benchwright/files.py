"""Files as the project reads and writes them: JSON Lines, TOML, atomic writes, content hashes."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, ValidationError, model_serializer

from benchwright.errors import InputError
from benchwright.scratch import scratch_folder

_CHUNK = 1 << 20
_DEVICES = (
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/fd",
    "/proc",
)
_SHOWN = 5
"""Names that an error tells at most."""


class Record(BaseModel):
    """A frozen value that can stand as one line of a JSON Lines file; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")

    @classmethod
    def from_json(cls, value: object, where: str) -> Self:
        """Build the record from a parsed JSON value; `where` (file and line) goes into the error."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise InputError(
                f"{where}: not a valid {cls.__name__}",
                found="; ".join(f"{_location(item['loc'])}: {item['msg']}" for item in error.errors()[:5]),
                expected=f"the fields {', '.join(cls.model_fields)}",
            ) from error

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON values, defaults left out."""
        return self.model_dump(mode="json", exclude_defaults=True)


class Tagged(Record):
    """A record that is told from its siblings by its `kind`, which is therefore always written."""

    kind: str

    @model_serializer(mode="wrap")
    def _with_kind(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {"kind": self.kind, **handler(self)}


class Line(NamedTuple):
    """One line of a JSON Lines file: its number (from 1), and its value or what is wrong with it."""

    number: int
    value: Any
    error: str = ""


def _location(parts: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in parts) or "value"


def canonical_json(value: object) -> str:
    """JSON text that is equal for equal values: sorted keys, no spaces, UTF-8 kept, NaN refused."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def parse_json(text: str, where: str) -> Any:
    """Parse one JSON document; an InputError names `where` and the position."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON", found=str(error), expected="one JSON document") from error


def read_text(path: Path) -> str:
    """A UTF-8 text file, with or without a byte order mark; an InputError says why it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise InputError(f"no such file: {path}", hint="check the path") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}", found=str(error), expected="a UTF-8 text file") from error


def read_json(path: Path) -> Any:
    """One JSON document from a file."""
    return parse_json(read_text(path), str(path))


def scan_jsonl(path: Path) -> Iterator[Line]:
    """Every line that is not blank; a bad line carries its error and never loses the others.

    Undecodable bytes become U+FFFD. Lines end at LF or CR LF only, as JSON Lines says.
    """
    for number, raw in enumerate(_lines(path), start=1):
        text = raw.decode("utf-8", errors="replace").strip()
        if not text:
            continue
        try:
            yield Line(number, json.loads(text))
        except (ValueError, RecursionError) as error:
            yield Line(number, None, f"not valid JSON: {error}")


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file one after the other, without its byte order mark."""
    try:
        with path.open("rb") as stream:
            yield stream.readline().removeprefix(b"\xef\xbb\xbf")
            yield from stream
    except OSError as error:
        raise InputError(
            f"cannot read {path}", found=error.strerror or str(error), expected="a JSON Lines file"
        ) from error


def read_jsonl(path: Path) -> Iterator[tuple[int, Any]]:
    """Line numbers and values; the first bad line is an InputError."""
    for line in scan_jsonl(path):
        if line.error:
            raise InputError(f"{path}, line {line.number}: {line.error}", expected="one JSON value a line")
        yield line.number, line.value


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file as plain values."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not valid TOML", found=str(error), expected="a TOML file") from error


def toml_text(values: dict[str, Any]) -> str:
    """Plain values as TOML text; None values are left out."""
    import tomli_w

    return tomli_w.dumps(_without_none(values))


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_without_none(item) for item in value if item is not None]
    return value


def write_atomic(path: Path, data: bytes | str) -> None:
    """Write the whole file or nothing: a temporary file beside it, flushed to disk, then renamed."""
    with replacing(path) as stream:
        stream.write(data.encode() if isinstance(data, str) else data)


def write_jsonl(path: Path, records: Iterable[Record | dict[str, Any]]) -> None:
    """One canonical JSON line a record, written atomically and as the records come."""
    with replacing(path) as stream:
        for record in records:
            value = record.to_json() if isinstance(record, Record) else record
            stream.write((canonical_json(value) + "\n").encode())


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of another when all of it is written and on the disk."""
    with arriving(path) as partial:
        try:
            with partial.open("xb") as stream:
                yield stream
                stream.flush()
                os.fchmod(stream.fileno(), 0o644)
                os.fsync(stream.fileno())
        except OSError as error:
            if error.filename is None:
                error.filename = str(path)  # a write does not say where
            raise


@contextmanager
def arriving(path: Path) -> Iterator[Path]:
    """A new path beside a file, for those who write by name: what lies there at the end takes the file's place.

    Where the block fails nothing is left of it, and what a killed process left is removed by the next one that
    writes in the same folder. Unlike what `write_atomic` writes it is not flushed to disk.
    """
    require_file(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder("part", beside=path.parent) as folder:
        yield folder / ".part"
        os.replace(folder / ".part", path)


def require_file(path: Path) -> None:
    """An InputError where a device, pipe or socket lies in the place of a file that is to be written.

    The file would take its place, for everybody on the machine: that of `/dev/null`, where root asks for it.
    """
    odd = path.exists() and not path.is_file() and not path.is_dir()
    if odd or any(path.absolute().is_relative_to(place) for place in _DEVICES):
        raise InputError(
            f"{path} is no place for a file",
            found="a device, a pipe, a socket or a place of the system",
            expected="a new file, or one that may be replaced",
        )


def sha256(data: bytes | str) -> str:
    """The SHA-256 of some bytes, or of text as UTF-8, in hexadecimal."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def sha256_file(path: Path) -> str:
    """The SHA-256 of a file's content, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


class FileEntry(NamedTuple):
    """One regular file of a folder: its path below the folder (with `/`), its size in bytes, its content's SHA-256."""

    path: str
    size: int
    sha256: str


def index_folder(folder: Path) -> tuple[FileEntry, ...]:
    """Every regular file below a folder, sorted by path; links are neither followed nor listed.

    Several files are hashed at a time. A name that is not UTF-8 text, or a file that cannot be read, is an InputError.
    """
    paths = [Path(parent, name) for parent, _, names in os.walk(folder) for name in names]
    regular = [path for path in paths if stat.S_ISREG(path.lstat().st_mode)]
    with ThreadPoolExecutor() as pool:
        return tuple(sorted(pool.map(lambda path: _entry(folder, path), regular)))


def _entry(folder: Path, path: Path) -> FileEntry:
    name = path.relative_to(folder).as_posix()
    try:
        name.encode()
        return FileEntry(name, path.stat().st_size, sha256_file(path))
    except UnicodeEncodeError as error:
        raise InputError(f"{folder}: a file name is not UTF-8 text", found=repr(name), hint="rename it") from error
    except OSError as error:
        raise InputError(f"cannot read {path}", found=error.strerror or str(error)) from error


def folder_digest(index: Iterable[FileEntry]) -> str:
    """The SHA-256 of the sorted lines "<sha256>  <path>" of a folder's files."""
    return sha256("".join(sorted(f"{entry.sha256}  {entry.path}\n" for entry in index)))


def require_place(folder: Path, mark: str) -> None:
    """An InputError where a folder that is to be written into holds other things.

    It may be new or empty, but for hidden files, or hold what was written there before: a file that the pattern `mark`
    names.
    """
    try:
        there = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    except FileNotFoundError:
        return
    except OSError as error:
        found = error.strerror or str(error)
        raise InputError(f"cannot write into {folder}", found=found, expected="a new or empty folder") from error
    if there and not any(path.is_file() for path in folder.glob(mark)):
        raise InputError(
            f"{folder} holds other things",
            found=", ".join([*there[:_SHOWN], *["..."] * (len(there) > _SHOWN)]),
            expected="a new or empty folder, or one that this command has written before",
            hint="give another folder: nothing of yours is to be overwritten",
        )


def home() -> Path:
    """Where suites, rooms and toolboxes are kept: $BENCHWRIGHT_HOME, else the XDG data folder."""
    named = os.environ.get("BENCHWRIGHT_HOME")
    if named:
        return Path(named).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("benchwright"))
