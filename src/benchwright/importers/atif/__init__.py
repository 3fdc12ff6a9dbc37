"""ATIF, the interchange format of agents' trajectories: reads versions 1.0 to 1.8, and writes 1.8."""

from __future__ import annotations

from pathlib import Path

from benchwright.importers.atif.reading import trajectory_of
from benchwright.importers.atif.writing import document_of
from benchwright.importers.log_file import LogFile
from benchwright.importers.values import items, mapping, text
from benchwright.trajectory import Trajectory


class Atif:
    """Reads ATIF documents."""

    name = "atif"
    keeps_folder = True

    def parse(self, path: Path) -> tuple[Trajectory, ...]:
        """See `Importer.parse`."""
        log = LogFile(path)
        documents = [
            document
            for document in map(mapping, log.values())
            if text(document.get("schema_version")).startswith("ATIF") or items(document.get("steps"))
        ]
        return tuple(trajectory_of(document, log.notes) for document in documents)


__all__ = ["Atif", "document_of"]
