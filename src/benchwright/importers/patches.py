"""The files that a patch in Codex's form writes, with their text where the patch holds all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEAD = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$")


def patched(patch: str) -> Iterator[tuple[str, str | None]]:
    """Each file that a patch writes and its new text; None for a file of which only some lines change."""
    path, added, lines = "", False, list[str]()
    for line in patch.splitlines():
        head = _HEAD.match(line.strip())
        if head or line.startswith("*** End Patch"):
            if path:
                yield path, "".join(lines) if added else None
            path = head.group(2).strip() if head and head.group(1) != "Delete" else ""
            added, lines = bool(head and head.group(1) == "Add"), []
        elif line.startswith("+"):
            lines.append(f"{line[1:]}\n")
    if path:
        yield path, "".join(lines) if added else None
