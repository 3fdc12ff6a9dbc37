"""What the text of a file becomes by a call that edits it, in the ways in which programs tell that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchwright.importers.patches import changed
from benchwright.importers.values import items, mapping, text

CHANGED_A_COMMAND = 20_000
"""Characters looked through for changes that cost as much as one command."""
_OLD = ("old_string", "old_str", "oldString", "oldText")
_NEW = ("new_string", "new_str", "newString", "newText")
_PATCH = re.compile(
    r"(?:^|[;&|\n(])[ \t]*apply_?patch\b.{0,200}?(\*\*\* Begin Patch\n.*?(?:\*\*\* End Patch|\Z))", re.DOTALL
)
"""A patch that a command line hands to the program that carries it out."""


def patches_in(command: str) -> list[str]:
    """The patches that a command line carries out."""
    return _PATCH.findall(command) if "*** Begin Patch" in command else []


def weight(change: str) -> int:
    """How many times a change of this length looks through a file's text, about."""
    return 1 + len(change) // 200


def edited(before: str | None, told: Mapping[str, Any]) -> str | None:
    """A file's text after one replacement or several; None where it is not known.

    What replaces nothing makes a file that was not there, or was empty.
    """
    changes = [mapping(change) for change in items(told.get("edits"))] or [told]
    for change in changes:
        old, new = _first(change, _OLD), _first(change, _NEW)
        if new is None or old is None:
            return None
        if not old and not (before or "").strip():
            before = new
        elif before is None or not old or old not in before:
            return None
        else:
            before = before.replace(old, new, -1 if change.get("replace_all", change.get("replaceAll")) is True else 1)
    return before


def written(change: Mapping[str, Any], before: str | None) -> str | None:
    """A file's text after a change as Codex's events tell it: the whole text of an added file, or a diff of another."""
    kind = change.get("kind", change.get("type"))
    kind = mapping(kind).get("type", kind)
    inside = mapping(change.get("add")) or mapping(change.get("update")) or change
    diff = text(inside.get("unified_diff"))
    if "delete" in change or kind == "delete":
        return None
    if diff or (kind == "update" and text(change.get("diff"))):
        return None if before is None else changed(before, (diff or text(change.get("diff"))).splitlines())
    content = inside.get("content", inside.get("diff") if kind == "add" else None)
    return text(content) if isinstance(content, str) else None


def _first(change: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((text(change[name]) for name in names if isinstance(change.get(name), str)), None)
