"""What strace writes, as calls: joins split lines, undoes its escapes, and takes arguments and results apart."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from benchwright.sandbox.reads import Lost, Unfollowable

_LINE = re.compile(rb"(\d+) +(.*)", re.DOTALL)
_RESUMED = re.compile(rb"<\.\.\. \S+ resumed>(.*)", re.DOTALL)
_UNFINISHED = b" <unfinished ...>"
_UNSEEN = b"???("  # strace's own word for a call whose beginning it did not see, as its thread was killed
_ENDED = re.compile(rb"\+\+\+ (?:exited with \d+|killed by .*) \+\+\+")
# A thread that executes a file gets the number of its program's first one: it succeeded, whatever strace says next.
_CHANGED = re.compile(rb"(.*)<pid changed to (\d+) \.\.\.>", re.DOTALL)
_SUPERSEDED = re.compile(rb"\+\+\+ superseded by execve in pid (\d+) \+\+\+")
_SIGNAL = re.compile(rb"--- .* ---", re.DOTALL)
# Greedy up to the last ") = ": a file name may hold one, but "<" and ">" of a path behind it are escaped.
_CALL = re.compile(
    rb"(\w+|\?\?\?)\((.*)\)\s+= "
    rb"(?:(\d+)(?:<([^<>]*)>(\(deleted\))?| /\* (\d+) in strace's PID NS \*/)?|-\d+ (?:(E\w+) )?\(.*\)|\?.*)",
    re.DOTALL,
)
_STRING = rb'"((?:[^"\\]|\\.)*)"(\.\.\.)?'
_DESCRIPTOR = rb"(AT_FDCWD|\d+)(?:<([^<>]*)>(?:\(deleted\))?)?"
_ITEM = re.compile(_STRING + rb"|" + _DESCRIPTOR, re.DOTALL)
EXECUTIONS = ("execve", "execveat")
"""The calls that open files even where they fail."""
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"|<[^<>]*>', re.DOTALL)
_ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|[0-7]{1,3}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"f": b"\f", b"v": b"\v"}
_LONGEST_LINE = 1 << 20
DELETED = " (deleted)"
"""What the kernel puts behind the path of an open file whose name was removed; a file's name may end so as well."""


class Text(NamedTuple):
    """A string argument."""

    value: str


class Folder(NamedTuple):
    """A descriptor argument and the path behind it; "" where strace did not say, AT_FDCWD is -100."""

    number: int
    path: str


@dataclass(frozen=True, slots=True)
class Call:
    """One system call that succeeded, or one of EXECUTIONS that failed.

    `error` is the failure's name ("?" where strace does not know it), "" for none. `path` is the result's where that is
    a descriptor, "" where strace may not look; `process` is the new thread of a fork as the host numbers it, where
    strace could tell. `began` and `ended` are the numbers of the lines that say so: two threads' calls may overlap.
    """

    thread: int
    name: str
    arguments: bytes
    path: str = ""
    deleted: bool = False
    process: int | None = None
    began: int = 0
    ended: int = 0
    error: str = ""

    def items(self) -> Iterator[Text | Folder]:
        """The strings and descriptors among the arguments (and other plain numbers), in order, as they are asked for:
        what a program is given to work on may be longer than strace tells, and no file's name.
        """
        return map(_item, _ITEM.finditer(self.arguments))

    def flags(self) -> frozenset[str]:
        """The symbolic constants among the arguments; file names cannot pose as them."""
        bare = _QUOTED.sub(b"", self.arguments)
        return frozenset(re.findall(r"[A-Z][A-Z_0-9]+", bare.decode("ascii", "replace")))


@dataclass(frozen=True, slots=True)
class Ended:
    """A thread is gone."""

    thread: int


def _item(match: re.Match[bytes]) -> Text | Folder:
    text, cut, number, path = match.groups()
    if cut:
        raise Unfollowable("strace cut a file name short")
    if text is not None:
        return Text(unescape(text))
    return Folder(-100 if number == b"AT_FDCWD" else int(number), unescape(path or b""))


def unescape(text: bytes) -> str:
    """A string as strace prints it, as a path: octal, hexadecimal and C escapes undone, bytes kept."""
    return os.fsdecode(_ESCAPE.sub(_unescape_one, text))


def _unescape_one(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if code[:1] == b"x" and len(code) == 3:
        return bytes([int(code[1:], 16)])
    if code[:1].isdigit():
        return bytes([int(code, 8) & 0xFF])
    return _LETTERS.get(code, code)


class Lines:
    """Turns pieces of output into calls, across line ends and across interrupted calls.

    A line that is none of strace's raises Lost: something was missed.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._number = 0
        self._begun: dict[int, tuple[int, bytes]] = {}
        self._changed: set[int] = set()

    def feed(self, data: bytes) -> Iterator[Call | Ended]:
        """The calls that this piece completes, in the order in which they were completed."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            raise Lost("strace wrote a line without end")
        for line in lines:
            yield from self._line(line)

    def end(self) -> None:
        """No more output comes; raises Lost where the last line is incomplete."""
        if self._rest:
            raise Lost("the output of strace ends inside a line")

    def _line(self, line: bytes) -> Iterator[Call | Ended]:
        self._number += 1
        match = _LINE.fullmatch(line)
        if match is None:
            raise Lost(f"strace wrote a line that cannot be read: {line[:100]!r}")
        thread, text, began = int(match[1]), match[2], self._number
        superseded = _SUPERSEDED.fullmatch(text)
        if superseded:
            yield from self._succeeded(int(superseded[1]), thread)
            yield Ended(int(superseded[1]))
        elif _ENDED.fullmatch(text):
            self._begun.pop(thread, None)
            yield Ended(thread)
        elif not _SIGNAL.fullmatch(text):
            yield from self._part(thread, text, began)

    def _part(self, thread: int, text: bytes, began: int) -> Iterator[Call | Ended]:
        """A call, or the beginning or the end of one."""
        resumed = _RESUMED.fullmatch(text)
        if resumed and thread in self._changed:
            self._changed.remove(thread)
            return  # its success has been told
        if resumed:
            began, begun = self._begun.pop(thread, (began, _UNSEEN))
            text = begun + resumed[1]
        changed = _CHANGED.fullmatch(text)
        if changed or text.endswith(_UNFINISHED):
            self._begun[thread] = began, changed[1] if changed else text.removesuffix(_UNFINISHED)
            return
        call = _call(thread, text)
        if call:
            yield replace(call, began=began, ended=self._number)

    def _succeeded(self, thread: int, first: int) -> Iterator[Call]:
        """A thread has executed a file, and has its program's first thread's number from now on."""
        self._begun.pop(first, None)
        began, begun = self._begun.pop(thread, (self._number, _UNSEEN))
        self._changed.add(first)
        call = _call(first, begun + b") = 0")
        if call:
            yield replace(call, began=began, ended=self._number)


def _call(thread: int, text: bytes) -> Call | None:
    """A call that tells something; None for one that failed or whose thread died in it, but for executions."""
    match = _CALL.fullmatch(text)
    if match is None:
        raise Lost(f"strace wrote a call that cannot be read: {text[:100]!r}")
    name, arguments, result, path, deleted, process, error = match.groups()
    if result is None:
        text_name = name.decode("ascii")
        return Call(thread, text_name, arguments, error=(error or b"?").decode()) if text_name in EXECUTIONS else None
    if name == b"???":
        raise Lost("strace did not see the beginning of a call")
    seen = unescape(path or b"")
    if seen.endswith(DELETED):  # strace before 6.0 leaves the kernel's own remark inside
        seen, deleted = seen.removesuffix(DELETED), b"(deleted)"
    child = int(process) if process else None
    return Call(thread, name.decode("ascii"), arguments, seen, deleted is not None, child)
