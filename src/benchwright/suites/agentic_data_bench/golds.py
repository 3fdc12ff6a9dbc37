"""The gold files of a task: copied into the suite, and those that are missing named."""

from __future__ import annotations

import csv
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchwright.suites.agentic_data_bench.records import AgenticTask

CHART: Final = ".png"
_COMPANIONS: Final = (".json", ".npy")
"""What the published hook writes beside a chart: its description and its data."""
_HEADER_BYTES: Final = 1 << 20


def gold_names(task: AgenticTask) -> tuple[str, ...]:
    """Every gold file of a task: first the gold of each output in the outputs' order, then the charts' companions."""
    beside = (name for gold in task.golds for name in companions(gold))
    return tuple(dict.fromkeys((*task.golds, *beside)))


def companions(name: str) -> tuple[str, ...]:
    """The files that belong to a chart; none for other files."""
    if not name.lower().endswith(CHART):
        return ()
    return tuple(f"{name[: -len(CHART)]}{ending}" for ending in _COMPANIONS)


class GoldFolder:
    """The folder with one sub-folder of gold files a task; None: no gold at all is here."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def path(self, task: AgenticTask, name: str) -> Path | None:
        """A gold file; None where it is missing. Links and special files count as missing."""
        if self._folder is None:
            return None
        path = self._folder / task.id / name
        try:
            return path if stat.S_ISREG(path.lstat().st_mode) else None
        except OSError:
            return None

    def missing(self, task: AgenticTask) -> tuple[str, ...]:
        """The gold files of a task that are not here."""
        return tuple(name for name in gold_names(task) if self.path(task, name) is None)

    def copy(self, task: AgenticTask, into: Path) -> None:
        """Copy what is here of a task's gold files."""
        for name in gold_names(task):
            if (path := self.path(task, name)) is not None:
                into.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, into / name)
                os.chmod(into / name, 0o644)

    def header(self, task: AgenticTask, name: str) -> tuple[str, ...] | None:
        """The column names of a gold table; None where it is missing."""
        path = self.path(task, name)
        if path is None:
            return None
        with path.open("rb") as stream:
            text = stream.read(_HEADER_BYTES).decode("utf-8-sig", errors="replace")
        return next(_rows(text), ())


def _rows(text: str) -> Iterator[tuple[str, ...]]:
    """The rows of a table's beginning until one cannot be read."""
    try:
        yield from map(tuple, csv.reader(text.splitlines(keepends=True)))
    except csv.Error:
        return
