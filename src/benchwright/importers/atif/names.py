"""What ATIF has no field for goes under one name into its free fields; and how arguments stand for a call's text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright.importers.values import mapping, parsed, shown
from benchwright.trajectory import CallKind

OURS = "benchwright"

TEXT_IN: dict[CallKind, str] = {
    "shell": "command",
    "python": "code",
    "sql": "query",
    "write": "content",
    "submit": "answer",
}
"""The argument that holds a call's text, by its kind."""

PATH_IN = "path"
INPUT = "input"
"""The argument that holds the text of any other call that is no object of its own."""


def arguments_of(kind: CallKind, words: str, path: str) -> dict[str, Any]:
    """A call's text and path as arguments."""
    if kind in TEXT_IN:
        return {TEXT_IN[kind]: words, **({PATH_IN: path} if path else {})}
    told = parsed(words)
    if isinstance(told, dict) and told and set(told) != {INPUT} and shown(told) == words:
        return told
    return {INPUT: words} if words else {}


def ours(extra: object) -> Mapping[str, Any] | None:
    """What we wrote into a free field; None where another program wrote the document."""
    kept = mapping(extra).get(OURS)
    return kept if isinstance(kept, dict) else None
