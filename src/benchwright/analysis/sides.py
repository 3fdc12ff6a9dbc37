"""One cell of a run as a comparison sees it: what each task was worth, and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import median
from typing import Any

from benchwright.errors import InputError
from benchwright.run import Attempt, Cell, Key, RunFolder
from benchwright.score import Score, Scored, unscorable


@dataclass(frozen=True, slots=True)
class Side:
    """A cell's verdicts of one mode by task, over all its epochs.

    `scores` are those of single attempts, one without a verdict counting 0, and `values` their means over epochs; tasks
    that the suite leaves without a verdict are in `unscorable` instead. `repeats` has by task the number of attempts
    and of right ones. `stamp` says by which scorers, golds and questions.
    """

    run: RunFolder
    cell: Cell
    scores: Mapping[Key, float]
    values: Mapping[str, float]
    unscorable: frozenset[str]
    unscored: int
    discovered: Mapping[str, float]
    repeats: Mapping[str, tuple[int, int]]
    attempts: tuple[Attempt, ...]
    stamp: Mapping[str, str]

    def summary(self, tasks: Sequence[str]) -> dict[str, Any]:
        """What is shown of the side alone, over the tasks that are compared."""
        chosen = [attempt for attempt in self.attempts if attempt.task_id in set(tasks)]
        return {
            "run": str(self.run.path),
            "cell": self.cell.id,
            "title": self.cell.title,
            "mean": fsum(self.values[task] for task in tasks) / len(tasks) if tasks else None,
            "attempts": len(chosen),
            "unscored": self.unscored,
            "endings": dict(sorted(Counter(attempt.ended for attempt in chosen).items())),
            "cost_usd": _cost(chosen),
            "median_seconds": median(attempt.wall_seconds for attempt in chosen) if chosen else None,
            "median_steps": median(attempt.steps for attempt in chosen) if chosen else None,
        }

    @property
    def mean_all(self) -> float | None:
        """The mean over all tasks, those without a verdict by the suite's doing counting 0."""
        every = len(self.values) + len(self.unscorable)
        return fsum(self.values.values()) / every if every else None

    @property
    def coverage(self) -> float | None:
        """The share of planned attempts, at tasks that have a verdict, that were made."""
        made = {attempt.key for attempt in self.attempts}
        return sum(key in made for key in self.scores) / len(self.scores) if self.scores else None

    @property
    def cost(self) -> float | None:
        """The dollars of all attempts."""
        return _cost(self.attempts)


def _cost(attempts: Sequence[Attempt]) -> float | None:
    """Dollars; None, unknown, where any attempt's are, or there are no attempts."""
    costs = [attempt.usage.cost_usd for attempt in attempts]
    known = [cost for cost in costs if cost is not None]
    return fsum(known) if known and len(known) == len(costs) else None


def side(run: RunFolder, wanted: str, mode: str) -> Side:
    """The cell of a run that is called so, by its id or title; empty: its only one."""
    cell = _cell(run, wanted)
    rows, stamp = run.read_scores(mode)
    mine = {Key(row.cell, row.task_id, row.epoch): row.score for row in rows if (row.cell, row.name) == (cell.id, mode)}
    scores: dict[str, list[Score]] = {}
    for key, score in mine.items():
        scores.setdefault(key.task_id, []).append(score)
    left = frozenset(task for task, found in scores.items() if all(map(unscorable, found)))
    judged = {task: found for task, found in scores.items() if task not in left}
    return Side(
        run=run,
        cell=cell,
        scores={
            key: score.value if isinstance(score, Scored) else 0.0
            for key, score in mine.items()
            if key.task_id in judged
        },
        values={task: _mean(found) for task, found in judged.items()},
        unscorable=left,
        unscored=sum(not isinstance(score, Scored) for found in judged.values() for score in found),
        discovered=_discovered(run, cell),
        repeats={task: (len(found), sum(map(_right, found))) for task, found in judged.items()},
        attempts=tuple(attempt for attempt in run.attempts().values() if attempt.cell == cell.id),
        stamp=stamp,
    )


def _mean(scores: Sequence[Score]) -> float:
    return fsum(score.value for score in scores if isinstance(score, Scored)) / len(scores)


def _right(score: Score) -> bool:
    return isinstance(score, Scored) and score.value == 1


def _discovered(run: RunFolder, cell: Cell) -> dict[str, float]:
    """By task whether all required files were read, where that was measured."""
    if not run.has_scores("discovery"):
        return {}
    found: dict[str, list[float]] = {}
    for row in run.read_scores("discovery")[0]:
        if row.cell == cell.id and row.name == "discovery" and isinstance(row.score, Scored):
            found.setdefault(row.task_id, []).append(row.score.value)
    return {task: fsum(values) / len(values) for task, values in found.items()}


def _cell(run: RunFolder, wanted: str) -> Cell:
    cells = run.spec.cells
    named = [cell for cell in cells if wanted in (cell.id, cell.title) or not wanted]
    if len(named) == 1:
        return named[0]
    raise InputError(
        f"the run in {run.path} has {len(cells)} cells" if not wanted else f"no single cell {wanted!r} in {run.path}",
        found=", ".join(cell.title for cell in cells),
        expected="the title or id of one",
        hint="name it with --first-cell or --second-cell",
    )
