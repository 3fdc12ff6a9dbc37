"""Claude Code: what `--output-format stream-json` prints, and the session files of its projects folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchwright.importers.base import log_files
from benchwright.importers.claude_code.folder import is_part, parts_of
from benchwright.importers.claude_code.session import Session
from benchwright.importers.log_file import LogFile
from benchwright.importers.values import mapping, text
from benchwright.trajectory import Trajectory


class ClaudeCode:
    """Reads Claude Code's logs."""

    name = "claude_code"
    keeps_folder = True

    def parse(self, path: Path) -> tuple[Trajectory, ...]:
        """See `Importer.parse`; what sub-agents did, in files beside a session's, is part of it."""
        log = LogFile(path)
        sessions: list[Session] = [Session()]
        for value in log.values():
            line = mapping(value)
            if _begins(line, sessions[-1]):
                sessions.append(Session())
            sessions[-1].take(line)
        found = [session for session in sessions if session.tells]
        notes = list(log.notes)
        for part in parts_of(path, found[-1].draft.session) if found else ():
            beside = LogFile(part)
            for value in beside.values():
                found[-1].take_beside(mapping(value))
            notes += [f"{part.name}: {note}" for note in beside.notes]
        return tuple(session.finished(notes) for session in found)

    def find(self, folder: Path) -> Iterator[Path]:
        """Every file of a folder that may be a log of its own: those of sub-agents are part of their session's."""
        yield from (path for path in log_files(folder) if not is_part(path))

    def handed_in(self, _path: Path) -> Mapping[str, Path]:
        """No output files lie beside Claude Code's logs."""
        return {}


def _begins(line: Mapping[str, Any], before: Session) -> bool:
    """Whether a line begins another session: one more `init`, of another id or behind a result; of session files the
    root of another conversation.
    """
    if line.get("type") == "system" and line.get("subtype") == "init":
        session = text(line.get("session_id"))
        return before.draft.session not in ("", session) or (before.ended and not session)
    root = line.get("type") == "user" and line.get("parentUuid", "") is None and line.get("isSidechain") is not True
    return root and not before.draft.empty and before.draft.session not in ("", text(line.get("sessionId")))
