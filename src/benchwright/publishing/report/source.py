"""What a report is made from: the runs, their suite, and what analysis says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchwright.analysis.failures import Failure
from benchwright.analysis.overview import Overview
from benchwright.publishing.titles import told_apart
from benchwright.run import Key, RunFolder
from benchwright.scoring.verdicts import Mode

OTHER: Mapping[Mode, Mode] = {"sound": "reference", "reference": "sound"}
"""The verdict beside each."""


@dataclass(frozen=True)
class Source:
    """Runs over one suite under one verdict, and under the other where all runs have it.

    `names` are the runs' names as tables have them, by their path; `faulty` are the tasks that a check of the suite
    found faulty, with the reasons; None: it was not checked.
    """

    overview: Overview
    beside: Overview | None
    names: Mapping[str, str]
    faulty: Mapping[str, str] | None = None

    @property
    def mode(self) -> Mode:
        """The verdict that the report is about."""
        return self.overview.mode

    @property
    def other(self) -> str:
        """The verdict beside it; empty where runs lack it."""
        return self.beside.mode if self.beside else ""

    @property
    def runs(self) -> Sequence[RunFolder]:
        """The runs, each once."""
        found = {str(each.run.path): each.run for each in self.overview.sides.values()}
        return list(found.values())

    @cached_property
    def document(self) -> dict[str, Any]:
        """Everything that analysis says, under the main verdict."""
        return self.overview.document()

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Cells by their mean, best first."""
        means = {cell["title"]: cell["mean"] for cell in self.document["cells"]}
        return tuple(sorted(means, key=lambda title: (means[title] is None, -(means[title] or 0.0), title)))

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """By the title of a cell, what plots call it."""
        return told_apart(self.titles)

    @cached_property
    def repeats(self) -> tuple[str, ...]:
        """The names of pass@k and pass^k that any cell has."""
        found = (name for cell in self.document["cells"] for name in cell["pass"] if name != "tasks")
        return tuple(dict.fromkeys(found))

    @cached_property
    def _failures(self) -> dict[tuple[str, Key], Failure]:
        return {(title, row.key): row for title, rows in self.overview.failures.items() for row in rows}

    def failure(self, title: str, key: Key) -> Failure | None:
        """What became of an attempt of a cell, and why."""
        return self._failures.get((title, key))

    def anchor(self, task_id: str) -> str:
        """Where a task stands on the page."""
        return f"task-{self._places[task_id] + 1}"

    @cached_property
    def _places(self) -> dict[str, int]:
        return {task: place for place, task in enumerate(self.overview.tasks)}

    def key(self, title: str) -> dict[str, str]:
        """By which a cell's rows join the tables of runs."""
        side = self.overview.sides[title]
        return {"run": self.names[str(side.run.path)], "cell": side.cell.id}

    def other_mean(self, title: str) -> float | None:
        """A cell's mean by the other verdict."""
        side = self.beside.sides.get(title) if self.beside else None
        mean: float | None = side.summary(list(side.values))["mean"] if side else None
        return mean
