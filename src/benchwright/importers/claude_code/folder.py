"""The files that Claude Code keeps beside a session's own: what its sub-agents did, and results too long for a line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from benchwright.importers.base import log_files, regular_files
from benchwright.importers.log_file import LogFile
from benchwright.importers.values import mapping, text

_FOLDERS = frozenset(("subagents", "tool-results"))
_INDEX = "sessions-index.json"
_SESSION = re.compile(r"[\w-]{1,100}")
_FIRST_LINES = 5
_MOST_PARTS = 1000


def is_part(path: Path) -> bool:
    """Whether a file belongs to the session of another file, or tells of no session at all."""
    if path.name == _INDEX:
        return True
    inside = next((parent for parent in path.parents if parent.name in _FOLDERS), None)
    if inside is not None:
        return inside.parent.with_suffix(".jsonl").is_file() or inside.name == "tool-results"
    owner = _owner(path)
    return bool(owner) and path.with_name(f"{owner}.jsonl").is_file()


def parts_of(path: Path, session: str) -> Iterator[Path]:
    """The files of the sub-agents of a session: in its folder, or right beside it as earlier versions keep them."""
    if not session or path.name != f"{session}.jsonl":
        return
    folder = path.with_suffix("") / "subagents"
    if folder.is_dir() and not folder.is_symlink():
        yield from itertools.islice((file for file in log_files(folder) if _agents(file.name)), _MOST_PARTS)
    beside = (file for name, file in sorted(regular_files(path.parent).items()) if _agents(name))
    yield from (file for file in itertools.islice(beside, _MOST_PARTS) if _owner(file) == session)


def _agents(name: str) -> bool:
    return name.startswith("agent-") and name.endswith(".jsonl")


def _owner(path: Path) -> str:
    """The session that a sub-agent's file names; nothing for any other file."""
    if not _agents(path.name):
        return ""
    lines = map(mapping, itertools.islice(LogFile(path).values(), _FIRST_LINES))
    named = next((text(line.get("sessionId")) for line in lines if line.get("isSidechain") is True), "")
    return named if _SESSION.fullmatch(named) else ""
