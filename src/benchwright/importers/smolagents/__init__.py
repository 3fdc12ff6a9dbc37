"""smolagents: what its agents remember, as JSON or one step a line, and what it prints while they work."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchwright.importers.log_file import LogFile
from benchwright.importers.smolagents.memory import Memory
from benchwright.importers.smolagents.printed import printed_runs
from benchwright.importers.values import items, mapping
from benchwright.trajectory import Trajectory


class Smolagents:
    """Reads what a smolagents agent remembers, and what is printed of it."""

    name = "smolagents"
    keeps_folder = True

    def parse(self, path: Path) -> tuple[Trajectory, ...]:
        """See `Importer.parse`."""
        log = LogFile(path)
        found = tuple(run.finished(log.notes) for run in _runs(log.values()))
        if found:
            return found
        log = LogFile(path)
        return tuple(draft.finished(log.notes) for draft in printed_runs(log.lines()))


def _runs(values: Iterable[Any]) -> list[Memory]:
    """Every run of a log of JSON that tells of anything."""
    runs: list[Memory] = []
    for value in values:
        record = mapping(value)
        steps = next(
            (record[name] for name in ("steps", "memory", "trajectory", "logs") if items(record.get(name))), None
        )
        if steps is not None:
            runs.append(Memory())
            for step in steps:
                runs[-1].take(mapping(step))
            runs[-1].result(record)
            runs.append(Memory())
            continue
        if not runs or runs[-1].begins(record):
            runs.append(Memory())
        runs[-1].take(record)
    return [run for run in runs if not run.draft.empty or run.last_error]
