"""Reads the JSON of a log, whatever surrounds it: lines or a document, torn, mixed with text, packed, oddly encoded."""

from __future__ import annotations

import codecs
import gzip
import io
import itertools
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from benchwright.errors import InputError

LONGEST_VALUE = 128 << 20
"""Characters of one JSON value; longer lines are passed over."""
MOST_CHARACTERS = 2 << 30
"""Characters of a log, unpacked; the rest is not read."""
_SAMPLE = 1 << 16
_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5": "zstd"}
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]', re.DOTALL)
_OPENING = {"{": "}", "[": "]"}
_BLANK = " \t\r\n\x00\ufeff,"
_OBJECT = re.compile(r'\{"')
_STARTS_TRIED = 64
"""Places of a line at which an object is looked for: a line that was torn may have the next one behind it."""
_DECODER = json.JSONDecoder(strict=False)


@dataclass(slots=True)
class LogFile:
    """A log on disk; `notes` say what was passed over while it was read."""

    path: Path
    notes: list[str] = field(default_factory=list)
    _not_json: int = 0

    def values(self) -> Iterator[Any]:
        """Every whole JSON value in order; the members of arrays singly. Never raises on what a log holds.

        Errors: InputError where there is no such file, or it cannot be read.
        """
        lines = self._lines()
        head = next((line for line in lines if line.strip(_BLANK)), "")
        first = _parsed(head)
        if first is not None:
            yield from _members(first)
            yield from self._rest(lines)
        else:
            yield from self._of_text(head, lines)
        if self._not_json:
            self.notes.append(f"{self._not_json} lines are not JSON and were passed over")

    def lines(self) -> Iterator[str]:
        """The lines as text, each with its end, for logs that are none of JSON. Errors: as of `values`."""
        yield from self._lines()

    def _rest(self, lines: Iterator[str]) -> Iterator[Any]:
        for line in lines:
            if not line.strip(_BLANK):
                continue
            values = _parsed_all(line)
            self._not_json += not values
            for value in values:
                yield from _members(value)

    def _of_text(self, head: str, lines: Iterator[str]) -> Iterator[Any]:
        """A log that does not begin with a line of JSON: a document over several lines, or lines after other text."""
        kept, size = [head], len(head)
        for line in lines:
            kept.append(line)
            size += len(line)
            if size > LONGEST_VALUE:
                break
        whole = "".join(kept)
        start = next((place for place, letter in enumerate(whole[:_SAMPLE]) if letter in "{["), -1)
        end = start
        while (found := _document(whole, end)) is not None:
            value, end = found
            yield from _members(value)
        if end > start:
            self._not_json += sum(bool(line.strip(_BLANK)) for line in whole[:start].splitlines())
            yield from self._rest(itertools.chain(io.StringIO(whole[end:]), lines))
            return
        yield from self._of_lines_or_torn(kept, whole, start, lines)

    def _of_lines_or_torn(self, kept: list[str], whole: str, start: int, lines: Iterator[str]) -> Iterator[Any]:
        read = [value for line in kept if line.strip(_BLANK) and (value := _parsed(line)) is not None]
        if start < 0 or len(read) * 2 >= sum(bool(line.strip(_BLANK)) for line in kept) or not whole.strip():
            self._not_json += sum(bool(line.strip(_BLANK)) for line in kept) - len(read)
            for value in read:
                yield from _members(value)
            yield from self._rest(lines)
            return
        value = salvaged(whole[start:])
        if value is None:
            self.notes.append("no JSON could be read")
        else:
            self.notes.append("the log is torn; what was whole is kept")
            yield from _members(value)

    def _lines(self) -> Iterator[str]:
        """The lines, each with its end; too long ones, and what follows a broken end of a packed file, left out."""
        try:
            with self.path.open("rb") as raw:
                yield from self._decoded(_unpacked(raw))
        except OSError as error:
            raise InputError(f"cannot read {self.path}", found=error.strerror or str(error)) from error

    def _decoded(self, raw: _Readable) -> Iterator[str]:
        whole = io.BufferedReader(_Tolerant(raw, self.notes), _SAMPLE)
        stream = io.TextIOWrapper(whole, encoding=_encoding(whole.peek(_SAMPLE)), errors="replace")
        seen, skipping = 0, False
        while line := stream.readline(LONGEST_VALUE):
            seen += len(line)
            if seen > MOST_CHARACTERS:
                self.notes.append(f"only the first {MOST_CHARACTERS:,} characters were read")
                return
            torn = len(line) >= LONGEST_VALUE and not line.endswith("\n")
            if torn or skipping:
                if not skipping:
                    self.notes.append(f"a line of more than {LONGEST_VALUE:,} characters was passed over")
                skipping = torn
                continue
            yield line


class _Readable(Protocol):
    def read1(self, size: int = ..., /) -> bytes: ...


class _Tolerant(io.RawIOBase):
    """The bytes of a packed file up to where it is damaged, which is noted."""

    def __init__(self, source: _Readable, notes: list[str]) -> None:
        self._source, self._notes = source, notes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            chunk = self._source.read1(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile, _zstd_error()):
            self._notes.append("the packed log is damaged; what could be unpacked is kept")
            return 0
        buffer[: len(chunk)] = chunk
        return len(chunk)


def _unpacked(raw: io.BufferedReader) -> _Readable:
    packing = _PACKED.get(raw.read(2), "")
    raw.seek(0)
    if packing == "gzip":
        return gzip.GzipFile(fileobj=raw)
    if packing == "zstd":
        import zstandard

        return io.BufferedReader(zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(raw))
    return raw


def _zstd_error() -> type[Exception]:
    import zstandard

    return zstandard.ZstdError


def _encoding(sample: bytes) -> str:
    """UTF-8 unless a mark, or the bytes, say otherwise."""
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return name
    if sample[1:400:2].count(0) > len(sample[:400]) // 4:
        return "utf-16-le"
    if sample[:400:2].count(0) > len(sample[:400]) // 4:
        return "utf-16-be"
    return next((name for name in ("utf-8", "gb18030") if _fits(sample, name)), "utf-8")


def _fits(sample: bytes, name: str) -> bool:
    try:
        codecs.getincrementaldecoder(name)("strict").decode(sample, final=False)
    except UnicodeDecodeError:
        return False
    return True


def _parsed(line: str) -> Any:
    """The object or array of a line, also behind a time stamp or before a comma; None where there is none."""
    bare = line.strip(_BLANK)
    for start in (0, bare.find('{"')):
        if start < 0 or bare[start : start + 1] not in ("{", "["):
            continue
        try:
            value = json.loads(bare[start:], strict=False)
        except (ValueError, RecursionError, MemoryError):
            continue
        if isinstance(value, dict | list):
            return value
    return None


def _parsed_all(line: str) -> list[Any]:
    """The objects of a line: one as a rule, several without a line's end between, or whole ones behind a torn one."""
    if (value := _parsed(line)) is not None:
        return [value]
    bare = line.strip(_BLANK)
    for start in itertools.islice(_OBJECT.finditer(bare), _STARTS_TRIED):
        found, end = [], start.start()
        while (document := _document(bare, end)) is not None:
            value, end = document
            found.append(value)
        if found and end >= len(bare):
            return found
    return []


def _document(text: str, start: int) -> tuple[Any, int] | None:
    """The object or array that stands here, and where it ends; None where there is none."""
    while 0 <= start < len(text) and text[start] in _BLANK:
        start += 1
    if start < 0 or text[start : start + 1] not in ("{", "["):
        return None
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError, MemoryError):
        return None
    return value, end


def _members(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
    else:
        yield value


def _in_list(stack: list[str]) -> bool:
    """Whether this is inside a list that is the document, or a direct part of it."""
    return bool(stack) and stack[-1] == "]" and len(stack) <= 2


def salvaged(text: str) -> Any:
    """The start of a torn JSON document as a value, up to the last whole member of its list of messages or steps.

    None where no member is whole: a torn record alone may lack what matters.
    """
    stack: list[str] = []
    cut: tuple[int, str] | None = None
    for match in _STRUCTURE.finditer(text):
        mark = match.group()
        if mark in _OPENING:
            stack.append(_OPENING[mark])
            if len(stack) > 500:
                break
        elif mark == ",":
            if _in_list(stack):
                cut = match.start(), "".join(reversed(stack))
        elif mark in ("]", "}"):
            if not stack or stack.pop() != mark:
                break
            if _in_list(stack) or (mark == "]" and len(stack) < 2):
                cut = match.end(), "".join(reversed(stack))
    if cut is None:
        return None
    try:
        return json.loads(text[: cut[0]] + cut[1])
    except (ValueError, RecursionError):
        return None
