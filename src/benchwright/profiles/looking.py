"""Looking at one file, whatever it is: its entry, with an error where it cannot be read."""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path

from benchwright.files import sha256_file
from benchwright.profiles.entries import FileProfile
from benchwright.profiles.formats import FORMATS, Bounds, Found, Source, Unreadable
from benchwright.profiles.kinds import HEAD, UNKNOWN, kind_of_file

LARGEST = 1 << 36
"""Bytes of a file that is read at all: more (a sparse file says any size) cannot be read within the time for one."""

_MAGIC = 16
_LONGEST_ERROR = 300


def look(path: Path, name: str, bounds: Bounds) -> FileProfile:
    """The entry of one file under its `name`. Raises nothing but MemoryError, whatever the file holds.

    Links are not followed, and what is no regular file is never opened.
    """
    try:
        entry = basics(path, name)
        if entry.error:
            return entry
        entry = entry.model_copy(update={"sha256": sha256_file(path)})
    except OSError as error:
        return FileProfile(path=name, bytes=0, format=UNKNOWN, error=error.strerror or type(error).__name__)
    return measure(path, entry, bounds)


def basics(path: Path, name: str) -> FileProfile:
    """Size, first bytes and format of a file, without a look at the rest; OSError where that cannot be read."""
    about = path.lstat()
    if not stat.S_ISREG(about.st_mode):
        kind = "link" if stat.S_ISLNK(about.st_mode) else "special file"
        return FileProfile(path=name, bytes=about.st_size, format=kind, error="not a regular file: it is not opened")
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        head = os.read(handle, HEAD)
    finally:
        os.close(handle)
    return FileProfile(
        path=name,
        bytes=about.st_size,
        format=kind_of_file(path, head),
        magic=head[:_MAGIC].hex(),
        error=f"larger than {LARGEST:,} bytes: only its beginning was looked at" if about.st_size > LARGEST else "",
    )


def measure(path: Path, entry: FileProfile, bounds: Bounds) -> FileProfile:
    """The entry with what its format finds in the file."""
    read = FORMATS.get(entry.format)
    if read is None:
        return entry
    with ExitStack() as held:
        try:
            found = read(Source(path, bounds, held, look))
        except MemoryError:
            raise
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - parsers of hostile files fail in every way, polars past Exception
            return entry.model_copy(update={"error": _complaint(error)})
    return entry.model_copy(update={field.name: getattr(found, field.name) for field in fields(Found)})


def _complaint(error: BaseException) -> str:
    text = (str(error).strip() or type(error).__name__).split("\n")[0]
    known = isinstance(error, Unreadable)
    return text[:_LONGEST_ERROR] if known else f"{type(error).__name__}: {text}"[:_LONGEST_ERROR]
