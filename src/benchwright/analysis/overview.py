"""One run or many over any suite: accuracy with intervals, by every label, costs, endings and skills."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchwright.analysis.cost import Costs, costs
from benchwright.analysis.discovery import Search
from benchwright.analysis.discovery.summary import Searched, summary
from benchwright.analysis.discovery.tables import searches
from benchwright.analysis.failures import Failure, failures
from benchwright.analysis.failures.shares import agreement, by, legend
from benchwright.analysis.grouping import GROUPS, clusters
from benchwright.analysis.raised import Raised, raised
from benchwright.analysis.routing import Router, routers
from benchwright.analysis.sides import Side, side
from benchwright.analysis.skill_tables import skills_document
from benchwright.analysis.statistics.intervals import score_interval
from benchwright.analysis.statistics.ranks import ranks
from benchwright.analysis.statistics.repeats import over_tasks
from benchwright.errors import InputError
from benchwright.labels import Labels
from benchwright.run import Attempt, RunFolder, each_once, unlike
from benchwright.run.effort import effort
from benchwright.scoring.runs import require_same_questions
from benchwright.scoring.verdicts import Mode
from benchwright.suite import Suite


@dataclass(frozen=True)
class Overview:
    """Cells of runs over one suite, by title, and the suite's labels by task.

    `faulty` are tasks that a check of the suite found faulty under this verdict; None: it was not checked.
    """

    suite: Suite
    mode: Mode
    sides: Mapping[str, Side]
    faulty: frozenset[str] | None = None

    def document(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "suite": self.suite.name,
            "release": self.suite.info.release,
            "mode": self.mode,
            "n_tasks": len(self.tasks),
            "of_tasks": len(self.suite.tasks),
            "faulty": None if self.faulty is None else sorted(self.faulty.intersection(self.tasks)),
            "cells": [self._cell(title, each) for title, each in self.sides.items()],
            "matrix": self._matrix(),
            "groups": {kind: list(self._groups(rule)) for kind, rule in GROUPS.items()},
            "ranks": list(self._ranks()),
            "skills": self._skills(),
            "failures": self.failures_document(),
            "cost": {
                **self.costs.model_dump(mode="json"),
                "routers": [each.model_dump(mode="json") for each in self.routers],
            },
            "raised": [each.model_dump(mode="json", by_alias=True) for each in self.raised],
            "discovery": {"cells": [each.model_dump(mode="json") for each in self.searched]},
        }

    @cached_property
    def costs(self) -> Costs:
        """What the cells took."""
        return costs(self.sides)

    @cached_property
    def routers(self) -> Sequence[Router]:
        """What it would gain to send each kind of task to the cell that is best at it."""
        return routers(self.sides, self.suite.labels)

    @cached_property
    def raised(self) -> Sequence[Raised]:
        """What became of attempts that were made again with raised limits."""
        return raised(self.sides)

    @cached_property
    def searched(self) -> Sequence[Searched]:
        """What each cell sought and opened."""
        return [self._searched(title, each) for title, each in self.sides.items()]

    @cached_property
    def failures(self) -> Mapping[str, tuple[Failure, ...]]:
        """By cell's title, what became of its planned attempts and why."""
        runs = {each.run.path: each.run for each in self.sides.values()}
        found = {path: failures(self.suite, run, self.mode) for path, run in runs.items()}
        return {
            title: tuple(row for row in found[each.run.path] if row.cell == each.cell.id)
            for title, each in self.sides.items()
        }

    def _searched(self, title: str, each: Side) -> Searched:
        found = [search for attempt, search in self._searches[each.run.path] if attempt.cell == each.cell.id]
        measured, estimated = ([one for one in found if one.basis == basis] for basis in ("measured", "estimated"))
        return Searched(title=title, measured=summary(measured), estimated=summary(estimated))

    @cached_property
    def _searches(self) -> Mapping[Path, list[tuple[Attempt, Search]]]:
        runs = {each.run.path: each.run for each in self.sides.values()}
        return {path: list(searches(self.suite, run)) for path, run in runs.items()}

    def failures_document(self) -> dict[str, Any]:
        """Shares of classes by cell and domain, how far a model agrees, and every failed attempt with its evidence."""
        titled = [(title, row) for title, rows in self.failures.items() for row in rows]
        every = [row for _, row in titled]
        titles = {id(row): title for title, row in titled}
        cells, domains = by(every, lambda row: titles[id(row)]), by(every, lambda row: row.domain)
        return {
            "classes": legend(every),
            "cells": [{"title": title, **found} for title, found in cells.items()],
            "domains": [{"name": name, **domains[name]} for name in sorted(domains)],
            "agreement": agreement(every),
            "attempts": [{"title": title, **row.model_dump(mode="json")} for title, row in titled if row.failure],
        }

    @property
    def tasks(self) -> list[str]:
        """The tasks that any cell was to attempt, in the suite's order."""
        asked = {task for each in self.sides.values() for task in (*each.values, *each.unscorable)}
        return [task for task in self.suite.tasks if task in asked]

    def _cell(self, title: str, each: Side) -> dict[str, Any]:
        tasks = list(each.values)
        sound = [task for task in tasks if task not in (self.faulty or ())]
        return {
            **each.summary(tasks),
            "title": title,
            **self._mean(each, tasks),
            "mean_all": each.mean_all,
            "coverage": each.coverage,
            "beside": self._beside(each),
            "unscorable": len(each.unscorable),
            "without_faulty": None if self.faulty is None else self._mean(each, sound),
            "pass": self._repeats(each),
            "discovery": self._mean_of(each.discovered, list(each.discovered)),
            **_work(each),
        }

    def _mean(self, each: Side, tasks: Sequence[str]) -> dict[str, Any]:
        return self._mean_of(each.values, tasks) or {"mean": None, "ci95": None, "tasks": 0, "clusters": 0}

    def _matrix(self) -> dict[str, Any]:
        """The means by agent (with its preset and wording) and model; settings that tell cells apart are in `title`."""
        rows = [
            {"title": title, "agent": agent_of(each), "model": each.cell.model, **self._mean(each, list(each.values))}
            for title, each in self.sides.items()
        ]
        agents, models = ({row[name]: None for row in rows} for name in ("agent", "model"))
        return {"agents": list(agents), "models": list(models), "cells": rows}

    def _beside(self, each: Side) -> dict[str, Any] | None:
        """The mean by the other rule, over the tasks that it leaves a verdict on; None where it was not asked."""
        other: Mode = "reference" if self.mode == "sound" else "sound"
        if not each.run.has_scores(other):
            return None
        values = side(each.run, each.cell.id, other).values
        return {"mode": other, **(self._mean_of(values, list(values)) or {"mean": None, "ci95": None})}

    def _mean_of(self, values: Mapping[str, float], tasks: Sequence[str]) -> dict[str, Any] | None:
        if not tasks:
            return None
        _, groups = clusters(tasks, self.suite.labels)
        found = score_interval([values[task] for task in tasks], groups)
        return {
            "mean": found.mean,
            "ci95": [found.low, found.high],
            "tasks": found.n,
            "clusters": found.clusters,
        }

    def _label(self, task: str) -> Labels:
        return self.suite.label(task)

    def _repeats(self, each: Side) -> dict[str, Any]:
        """pass@k and pass^k for every k up to the number of epochs, over tasks with so many attempts."""
        told = {}
        for k in range(2, each.run.spec.epochs + 1):
            told[f"pass@{k}"], told["tasks"] = over_tasks(k, list(each.repeats.values()))
            told[f"pass^{k}"], _ = over_tasks(k, list(each.repeats.values()), every=True)
        return told

    def _groups(self, rule: Callable[[Labels], Sequence[str]]) -> Iterator[dict[str, Any]]:
        members: dict[str, list[str]] = {}
        for task in self.tasks:
            for name in dict.fromkeys(rule(self._label(task))):
                if name:
                    members.setdefault(name, []).append(task)
        for name, tasks in sorted(members.items()):
            cells = {title: self._group(each, tasks) for title, each in self.sides.items()}
            if any(cells.values()):
                yield {"name": name, "n_tasks": len(tasks), "cells": cells}

    def _group(self, each: Side, tasks: Sequence[str]) -> dict[str, Any] | None:
        inside = [task for task in tasks if task in each.values]
        if not inside:
            return None
        found = score_interval([each.values[task] for task in inside], clusters(inside, self.suite.labels)[1])
        return {"mean": found.mean, "ci95": [found.low, found.high], "tasks": len(inside)}

    def _ranks(self) -> Iterator[dict[str, Any]]:
        """Places of cells over the tasks that all of them have a verdict on."""
        common = [task for task in self.tasks if all(task in each.values for each in self.sides.values())]
        if len(self.sides) < 2 or not common:
            return
        scores = {title: [each.values[task] for task in common] for title, each in self.sides.items()}
        for rank in ranks(scores, clusters(common, self.suite.labels)[1], times=2_000):
            yield {
                "title": rank.name,
                "mean": rank.mean,
                "place": rank.place,
                "places95": [rank.low, rank.high],
                "group": rank.group,
                "tasks": len(common),
                "complete": self.sides[rank.name].coverage == 1,
            }

    def _skills(self) -> dict[str, Any]:
        return skills_document(self.suite, self.mode, self.sides, self.tasks)


def _work(each: Side) -> dict[str, Any]:
    """Tokens, steps and what a right answer costs, over all attempts."""
    took, total = effort(each.attempts), each.cost
    right = sum(number for _, number in each.repeats.values())
    return {
        "tokens": None
        if took.untold
        else {
            name: sum(getattr(attempt.usage, f"{name}_tokens") for attempt in each.attempts)
            for name in ("input", "cache_write", "cache_read", "output", "reasoning")
        },
        "mean_steps": took.steps,
        "successful_steps": took.successful_steps,
        "finish_rate": took.finished,
        "usd_per_right": total / right if total is not None and right else None,
    }


def agent_of(each: Side) -> str:
    """A cell's agent in words, whatever the model."""
    return " ".join(part for part in (each.cell.agent, each.cell.preset, each.cell.variant) if part)


def overview(suite: Suite, runs: Sequence[RunFolder], mode: Mode, faulty: frozenset[str] | None = None) -> Overview:
    """Every cell of these runs; they must be over the suite's questions and have been scored."""
    each_once([run.path for run in runs])
    found: dict[str, Side] = {}
    for run in runs:
        require_same_questions(suite, run)
        for cell in run.spec.cells:
            title = cell.title if cell.title not in found else f"{cell.title} ({run.path.name})"
            found[unlike(title, found)] = side(run, cell.id, mode)
    _alike(list(found.values()))
    return Overview(suite, mode, found, faulty)


def _alike(sides: Sequence[Side]) -> None:
    """Errors: InputError where the runs were not judged by the same golds and scorers."""
    for name, what in (("gold", "golds"), ("scorers", "scorers")):
        stamps = {each.stamp.get(name, ""): each.run.path for each in sides}
        if len(stamps) > 1:
            raise InputError(
                f"the runs were scored by different {what}",
                found=", ".join(f"{path} {stamp[:12] or 'not told'}" for stamp, path in stamps.items()),
                expected="one release of the suite and one version of the scorers",
                hint="score all of them again with `benchwright score`",
            )
