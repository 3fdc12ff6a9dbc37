"""What the kernel opens beside a file that it executes: what a script's first line or a program's header names."""

from __future__ import annotations

import os
import re
import stat
import struct
import sys
from typing import NamedTuple

from benchwright.sandbox.reads import Lost

# include/uapi/linux/binfmts.h and fs/exec.c, fs/binfmt_script.c, fs/binfmt_elf.c of Linux
_HEAD_BYTES = 256
_FIRST_LINE = re.compile(rb"#![ \t]*([^ \t\n\0]+)[ \t\n\0]")
MOST_OPENED = 7
"""A file and the interpreters that name one another: the kernel opens the sixth of these, and then gives up."""
_LOADER = 3
_MOST_SEGMENTS_BYTES = 1 << 16
_LONGEST_LOADER = 4096
_ORDER = "<" if sys.byteorder == "little" else ">"
_ELF_ORDER = 1 if sys.byteorder == "little" else 2


class Named(NamedTuple):
    """What a file names to be opened beside it: a script's interpreter, or a program's loader."""

    path: str
    loader: bool


class Executed(NamedTuple):
    """A regular file that is to be executed: its permission bits, and what it names."""

    mode: int
    names: Named | None


class _Layout(NamedTuple):
    """Where an ELF header and its segments keep what is needed, for one size of word."""

    header: struct.Struct
    segment: struct.Struct
    offset_at: int
    size_at: int


# the header: type, machine, version, entry, offset of the segments, then (past three fields) their size and number
_LAYOUTS = {
    1: _Layout(struct.Struct(_ORDER + "16xHHIIIIIHHH"), struct.Struct(_ORDER + "8I"), 1, 4),
    2: _Layout(struct.Struct(_ORDER + "16xHHIQQQIHHH"), struct.Struct(_ORDER + "IIQQQQQQ"), 2, 5),
}


def look(root: int, path: str) -> Executed | None:
    """A file that is executed, by its absolute path inside the sandbox without links; None for what is no regular file.

    `root` is the open root folder. The file is the agent's: nothing but a regular file is opened, at most 72 KB of it
    are read, and what it says is only a name. Raises OSError where it is missing or cannot be read.
    """
    found = os.open(path.lstrip("/") or ".", os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=root)
    try:
        mode = os.fstat(found).st_mode
        if not stat.S_ISREG(mode):
            return None
        if not mode & 0o111:
            return Executed(mode, None)
        opened = os.open(f"/proc/self/fd/{found}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    finally:
        os.close(found)
    try:
        return Executed(mode, named_by(opened))
    finally:
        os.close(opened)


def named_by(file: int) -> Named | None:
    """What an open regular file names, by the kernel's own rules; None for what those do not understand."""
    head = os.pread(file, _HEAD_BYTES, 0).ljust(_HEAD_BYTES, b"\0")
    line = _FIRST_LINE.match(head)
    if line is not None:
        return Named(os.fsdecode(line[1]), loader=False)
    loader = _loader(file, head) if head.startswith(b"\x7fELF") else None
    return Named(os.fsdecode(loader), loader=True) if loader else None


def _loader(file: int, head: bytes) -> bytes | None:
    layout = _LAYOUTS.get(head[4])
    if layout is None or head[5] != _ELF_ORDER:
        return None
    _, _, _, _, at, _, _, _, size, number = layout.header.unpack_from(head)
    length = size * number
    if size != layout.segment.size or length > _MOST_SEGMENTS_BYTES:
        return None
    segments = _piece(file, at, length)
    for segment in layout.segment.iter_unpack(segments):
        if segment[0] == _LOADER:
            return _text(_piece(file, segment[layout.offset_at], min(segment[layout.size_at], _LONGEST_LOADER + 1)))
    return None


def _piece(file: int, at: int, length: int) -> bytes:
    """A whole piece of a file; empty where the file does not hold it all."""
    if at + length >= 1 << 63:
        return b""
    found = os.pread(file, length, at)
    return found if len(found) == length else b""


def _text(data: bytes) -> bytes | None:
    """A name as a header holds it: the kernel wants it to end in a zero byte, and takes it up to the first."""
    if not 2 <= len(data) <= _LONGEST_LOADER or not data.endswith(b"\0"):
        return None
    return data.partition(b"\0")[0]


# errors of an execve, by what they say of the files that it was to open
_FOUND = frozenset({"", "ENOENT", "ENOEXEC", "ELOOP", "ELIBBAD", "EACCES", "EIO"})
"""A file that is there and may be executed was opened: what failed came later, or nothing did."""
_NO_LOADER = frozenset({"ENOENT", "ENOEXEC", "ELOOP", "EACCES"})
"""The loader was not opened."""
MISSING = frozenset({"ENOENT", "ENOTDIR"})
"""Where the file is not there, this is why."""


def was_opened(error: str, mode: int, *, everybody: bool, loader: bool) -> bool:
    """Whether the kernel opened a room's regular file on the way to an error ("" for none).

    `everybody`: the file may be executed, and its folders entered, by everybody. Raises Lost where that cannot be told.
    """
    if (loader and error in _NO_LOADER) or (error and not mode & 0o111):
        return False
    if error not in _FOUND or (loader and error == "EIO") or (error == "EACCES" and not everybody):
        raise Lost(f"a file of a room may have been opened to be executed, before that failed ({error})")
    return True
