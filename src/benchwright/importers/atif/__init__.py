"""ATIF, the interchange format of agents' trajectories: reads versions 1.0 to 1.8, and writes 1.8."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchwright.importers.atif.reading import trajectory_of
from benchwright.importers.atif.writing import document_of
from benchwright.importers.base import log_files
from benchwright.importers.log_file import LogFile
from benchwright.importers.values import dollars, items, mapping, text
from benchwright.trajectory import Trajectory

_PART = re.compile(r"(.+)\.(?:cont-\d{1,6}|summarization-[\w-]{1,100})\.json")
_BESIDE = re.compile(r"[\w][\w.-]{0,200}\.json")
_MOST_PARTS = 100


class Atif:
    """Reads ATIF documents."""

    name = "atif"
    keeps_folder = True

    def parse(self, path: Path) -> tuple[Trajectory, ...]:
        """See `Importer.parse`; files that a document goes on in, right beside it, are part of it."""
        log = LogFile(path)
        documents = list(_documents(log))
        if len(documents) == 1:
            documents = [_continued(documents[0], path, log)]
        return tuple(trajectory_of(document, log.notes) for document in documents)

    def find(self, folder: Path) -> Iterator[Path]:
        """Every file of a folder that may be a log of its own: parts of another one are none."""
        yield from (path for path in log_files(folder) if not _is_part(path))

    def handed_in(self, _path: Path) -> Mapping[str, Path]:
        """No output files lie beside ATIF documents."""
        return {}


def _documents(log: LogFile) -> Iterator[Mapping[str, Any]]:
    for document in map(mapping, log.values()):
        if text(document.get("schema_version")).startswith("ATIF") or items(document.get("steps")):
            yield document


def _is_part(path: Path) -> bool:
    named = _PART.fullmatch(path.name)
    return named is not None and path.with_name(f"{named.group(1)}.json").is_file()


def _continued(document: Mapping[str, Any], path: Path, log: LogFile) -> Mapping[str, Any]:
    """A document with those that it names as going on with it."""
    whole, seen, named = dict(document), {path.name}, text(document.get("continued_trajectory_ref"))
    while _BESIDE.fullmatch(named) and named not in seen and len(seen) < _MOST_PARTS:
        seen.add(named)
        beside = path.with_name(named)
        part = next(_documents(LogFile(beside)), None) if beside.is_file() and not beside.is_symlink() else None
        if part is None:
            log.notes.append(f"the trajectory goes on in {named}, which is not there")
            break
        whole["steps"] = [*items(whole.get("steps")), *items(part.get("steps"))]
        whole["final_metrics"] = _totals(mapping(whole.get("final_metrics")), mapping(part.get("final_metrics")))
        named = text(part.get("continued_trajectory_ref"))
    return whole


def _totals(first: Mapping[str, Any], second: Mapping[str, Any]) -> Mapping[str, Any]:
    """The totals of both parts: the second's where they have grown from the first's, else both together."""
    told = {name: value for name in {*first, *second} if (value := dollars(second.get(name))) is not None}
    before = {name: value for name in first if (value := dollars(first.get(name))) is not None}
    if all(told.get(name, 0) >= value for name, value in before.items() if name != "total_steps"):
        return second or first
    return {name: before.get(name, 0) + told.get(name, 0) for name in {*before, *told}}


__all__ = ["Atif", "document_of"]
