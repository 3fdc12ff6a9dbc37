"""Where uploads lie: one folder an entry, there whole or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from benchwright.errors import InputError
from benchwright.files import sha256

SUBMISSION, TRAJECTORIES = "submission", "trajectories"
"""The files of an upload, by the name of their field."""
_CHUNK = 1 << 20
_ID = re.compile(r"[A-Za-z0-9_-]{22}")


@dataclass(frozen=True, slots=True)
class Kept:
    """An upload that is on disk: its id, its size in bytes, the SHA-256 over its files, and that of each by name."""

    id: str
    bytes: int
    sha256: str
    files: Mapping[str, str]


class Store:
    """The folder of a leaderboard server.

    `incoming/` holds what is still being written, `entries/` one folder for each upload: the files as they came, and
    what was made of them (`made/`).
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._incoming, self._entries = self.path / "incoming", self.path / "entries"
        for folder in (self.path, self._incoming, self._entries):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the store against a second server. Errors: InputError where one has it."""
        with (self.path / "lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise InputError(f"another leaderboard server uses {self.path}", hint="end it first") from error
            try:
                yield
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)  # a program that is just being started has the file open, too

    def keep(self, files: dict[str, IO[bytes]]) -> Kept:
        """Write an upload; when this returns, it is on disk under its final name. No name is the sender's."""
        entry = secrets.token_urlsafe(16)
        folder = self._incoming / entry
        folder.mkdir(mode=0o700)
        size, told = 0, {}
        try:
            for name, stream in sorted(files.items()):
                told[name], copied = _copy(stream, folder / name)
                size += copied
            _flush(folder)
            folder.rename(self._entries / entry)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        _flush(self._entries)
        return Kept(entry, size, digest_of(told), told)

    def folder(self, entry: str) -> Path:
        """Where an entry's files lie. Errors: InputError for what is no id."""
        if not is_id(entry):
            raise InputError("no such entry", found=repr(entry)[:60])
        return self._entries / entry

    def made(self, entry: str) -> Path:
        """Where what was made of an entry's files lies; it may not be there."""
        return self.folder(entry) / "made"

    def remove(self, entry: str) -> None:
        """Delete an entry's files."""
        shutil.rmtree(self.folder(entry), ignore_errors=True)

    def tidy(self, known: Collection[str]) -> int:
        """Delete uploads that were cut off, and those that nobody was told are accepted; how many."""
        halves = list(self._incoming.iterdir())
        unknown = [path for path in self._entries.iterdir() if path.name not in known]
        for path in (*halves, *unknown):
            shutil.rmtree(path, ignore_errors=True)
        return len(halves) + len(unknown)


def is_id(text: str) -> bool:
    """Whether an entry can be called so. What cannot is asked of no database: PostgreSQL takes no NUL."""
    return _ID.fullmatch(text) is not None


def digest_of(files: Mapping[str, str]) -> str:
    """The SHA-256 over files by that of each, in lines as `sha256sum` writes them, by name."""
    return sha256("".join(f"{told}  {name}\n" for name, told in sorted(files.items())))


def _copy(stream: IO[bytes], path: Path) -> tuple[str, int]:
    """Copy in pieces; the SHA-256 and the size of what is on disk then."""
    digest, size = hashlib.sha256(), 0
    with path.open("xb") as written:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            written.write(chunk)
        written.flush()
        os.fsync(written.fileno())
    return digest.hexdigest(), size


def _flush(folder: Path) -> None:
    """Have a folder's names on disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
