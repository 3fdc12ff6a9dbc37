"""The files that a patch in Codex's form writes, with their text where that follows from what is known of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$")
_MOVED = re.compile(r"^\*\*\* Move to: (.+)$")
_NUMBERED = re.compile(r"^@@ -\d")
_MOST_COMPARED = 1_000_000
"""Lines looked at while a patch's places are found."""


@dataclass(slots=True)
class _Change:
    """What a patch does to one file."""

    kind: str
    path: str
    target: str = ""
    lines: list[str] = field(default_factory=list)


def patched(patch: str, known: Callable[[str], str | None]) -> Iterator[tuple[str, str | None]]:
    """Each file that a patch writes and its new text, None where that is not known. `known` is a file's text before."""
    for change in _changes(patch):
        if change.kind == "Add":
            added = [line[1:] for line in change.lines if line.startswith("+")]
            yield change.path, "".join(f"{line}\n" for line in added)
        elif change.kind == "Update":
            before = known(change.path)
            after = before if not change.lines else None if before is None else changed(before, change.lines)
            yield change.target or change.path, after


def _changes(patch: str) -> Iterator[_Change]:
    change: _Change | None = None
    for line in patch.splitlines():
        head, moved = _FILE.match(line.strip()), _MOVED.match(line.strip())
        if head or line.startswith("*** End Patch"):
            if change is not None:
                yield change
            change = _Change(head.group(1), head.group(2).strip()) if head else None
        elif change is not None and moved:
            change.target = moved.group(1).strip()
        elif change is not None and not line.startswith("*** "):
            change.lines.append(line)
    if change is not None:
        yield change


def changed(before: str, diff: list[str]) -> str | None:
    """A text after the hunks of a diff, which name places by lines around them; None where one does not fit."""
    lines, place = before.splitlines(), 0
    if len(lines) * len(diff) > _MOST_COMPARED:
        return None
    for header, hunk in _hunks(diff):
        if header:
            found = _find(lines, [header], place)
            place = place if found is None else found + 1
        old = [line[1:] for line in hunk if line[0] in " -"]
        new = [line[1:] for line in hunk if line[0] in " +"]
        start = _find(lines, old, place) if old else len(lines)
        if start is None:
            return None
        lines[start : start + len(old)] = new
        place = start + len(new)
    return "".join(f"{line}\n" for line in lines)


def _hunks(diff: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Each hunk with the line that its head names, if it names one."""
    header, hunk = "", list[str]()
    for line in diff:
        if line.startswith(("--- ", "+++ ")) and not hunk:
            continue
        if line.startswith("@@"):
            if hunk:
                yield header, hunk
            header, hunk = "" if _NUMBERED.match(line) else line[2:].strip(), []
        elif not line.startswith("\\"):
            hunk.append(line if line[:1] in ("+", "-", " ") else f" {line}")
    if hunk:
        yield header, hunk


def _find(lines: list[str], wanted: list[str], start: int) -> int | None:
    """Where these lines stand from here on: just so, or else but for space around them."""
    for bare in (str, str.rstrip, str.strip):
        looked_for = [bare(line) for line in wanted]
        own = [bare(line) for line in lines]
        for place in range(start, len(own) - len(looked_for) + 1):
            if own[place : place + len(looked_for)] == looked_for:
                return place
    return None
