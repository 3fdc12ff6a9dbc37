"""Codex: what `codex exec --json` prints, in its old and its new form, and rollout files of its sessions folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchwright.importers.codex.events import Events
from benchwright.importers.codex.reader import Reader
from benchwright.importers.codex.rollout import Rollout
from benchwright.importers.log_file import LogFile
from benchwright.importers.values import mapping
from benchwright.trajectory import Trajectory


class Codex:
    """Reads Codex's logs, whatever their form."""

    name = "codex"
    keeps_folder = False

    def parse(self, path: Path) -> tuple[Trajectory, ...]:
        """See `Importer.parse`."""
        log = LogFile(path)
        readers: list[Reader] = []
        for value in log.values():
            line = mapping(value)
            kind = _form(line)
            if kind is None and not readers:
                continue
            if not readers or readers[-1].begins(line):
                readers.append((kind or Events)())
            readers[-1].take(line)
        return tuple(
            reader.finished(log.notes) for reader in readers if not reader.draft.empty or reader.ended or reader.failure
        )


def _form(line: Mapping[str, Any]) -> type[Reader] | None:
    """The form that a line is of; None where it tells nothing."""
    kind = line.get("type")
    if isinstance(line.get("msg"), dict) or "workdir" in line or "prompt" in line:
        return Events
    if not isinstance(kind, str):
        return Rollout if {"id", "timestamp"} <= line.keys() else None
    return Events if "." in kind or kind == "error" else Rollout
