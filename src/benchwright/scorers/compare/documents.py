"""JSON documents from hostile files: one value, or one a line, within limits of size, depth and number of values."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.dialects import decode
from benchwright.scorers.compare.opening import UnreadableOutput, read_output
from benchwright.scorers.compare.text import fold, normalise

_MAX_DIGITS = 400
"""More digits than any machine number has; Python takes quadratic time to read thousands of them."""
_GAPS = re.compile(r"[\s_]+|(?<=\w)-(?=\w)")


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """What is read of one document: `bytes` of the file, levels of nesting, and values in all."""

    bytes: int = 64 << 20
    depth: int = 64
    values: int = 5_000_000


DEFAULT_LIMITS = DocumentLimits()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """What an object says of a key that it holds twice, with different values."""


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed value, and `notes` on how it was read."""

    value: Any
    notes: tuple[str, ...] = ()


def read_document(path: Path, *, lines: bool = False, limits: DocumentLimits = DEFAULT_LIMITS) -> Document:
    """Read a JSON file; `lines`: as JSON Lines, which are a list. UnreadableOutput says why a file is no document.

    NaN and the infinities are read, byte order marks and UTF-16 and UTF-32 too. Of equal keys in one object the
    value counts if it is the same; otherwise it is `Ambiguous`. A file of several lines with one value each is a list.
    """
    text, notes = _decoded(read_output(path, limits.bytes))
    # Every value but the first has a comma or a bracket before it: counted before any of them takes memory.
    if sum(map(text.count, ",[{")) > limits.values:
        raise UnreadableOutput(f"more than {limits.values:,} values")
    if not text.strip():
        raise UnreadableOutput("an empty file")
    try:
        value = _lines(text) if lines else _one_or_lines(text)
    except json.JSONDecodeError as error:
        raise UnreadableOutput(f"not valid JSON: {error}") from error
    except RecursionError as error:
        raise UnreadableOutput(f"more than {limits.depth} levels deep") from error
    if _deeper_than(value, limits.depth):
        raise UnreadableOutput(f"more than {limits.depth} levels deep")
    return Document(value, notes)


def _decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    encoding: str = json.detect_encoding(data)
    if encoding.startswith("utf-8"):
        text, encoding = decode(data)
    else:
        text = data.decode(encoding, errors="replace")
    return text.removeprefix("\ufeff"), () if encoding == "utf-8" else (f"read as {encoding}",)


def _one_or_lines(text: str) -> Any:
    try:
        return _parse(text)
    except json.JSONDecodeError as error:
        if sum(1 for line in text.split("\n") if line.strip()) < 2:
            raise
        try:
            return _lines(text)
        except json.JSONDecodeError:
            # What is wrong with the document says more than what is wrong with its first line.
            raise error from None


def _lines(text: str) -> list[Any]:
    return [_parse(line) for line in text.split("\n") if line.strip()]


def _parse(text: str) -> Any:
    return json.loads(text, parse_int=_whole, object_pairs_hook=_object)


def _whole(digits: str) -> int | float:
    if len(digits) > _MAX_DIGITS:
        return -math.inf if digits.startswith("-") else math.inf
    return int(digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        for name, value in pairs:
            kept = found[name]
            if type(kept) is not type(value) or kept != value:
                found[name] = Ambiguous()
    return found


def _deeper_than(value: Any, depth: int) -> bool:
    """Whether lists and objects lie in each other more than `depth` deep; goes level by level, without recursion."""
    level = [value]
    for _ in range(depth):
        level = [child for parent in level for child in children(parent) if isinstance(child, dict | list)]
        if not level:
            return False
    return True


def children(value: Any) -> Iterable[Any]:
    """What lies directly in a list or an object; nothing in any other value."""
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def fold_key(name: str) -> str:
    """A key without case, accents, spaces, underscores, and hyphens between letters or digits; a leading sign stays."""
    return _GAPS.sub("", fold(normalise(name))) or name


def finder(mapping: Mapping[str, Any], missing: object) -> Callable[[str], Any]:
    """A look-up by key as it is spelled, else by the one key that is equal when folded.

    `missing` is what is found where there is none, `Ambiguous` where several keys are equal when folded.
    """
    folded: dict[str, list[str]] = {}

    def find(name: str) -> Any:
        if name in mapping:
            return mapping[name]
        if not folded:
            for other in mapping:
                folded.setdefault(fold_key(other), []).append(other)
        names = folded.get(fold_key(name), ())
        if len(names) > 1:
            return Ambiguous()
        return mapping[names[0]] if names else missing

    return find
