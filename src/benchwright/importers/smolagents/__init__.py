"""smolagents: what its agents remember, as JSON or one step a line, what it prints, and its scripts' answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchwright.importers.base import Draft
from benchwright.importers.log_file import LogFile
from benchwright.importers.smolagents.answers import answer_of, is_answer
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


def _runs(values: Iterable[Any]) -> list[Memory | Draft]:
    """Every run of a log of JSON that tells of anything."""
    runs: list[Memory | Draft] = []
    run = Memory()
    for value in values:
        record = mapping(value)
        steps = next(
            (record[name] for name in ("steps", "memory", "trajectory", "logs") if items(record.get(name))), None
        )
        if steps is None and not is_answer(record):
            if run.begins(record):
                runs.append(run)
                run = Memory()
            run.take(record)
            continue
        runs.append(run)
        runs.append(answer_of(record) if steps is None else _of_steps(steps, record))
        run = Memory()
    kept = [*runs, run]
    return [each for each in kept if isinstance(each, Draft) or not each.draft.empty or each.last_error]


def _of_steps(steps: Iterable[Any], record: Mapping[str, Any]) -> Memory:
    """A run by its steps, and by what stands around them."""
    run = Memory()
    for step in steps:
        run.take(mapping(step))
    run.result(record)
    return run
