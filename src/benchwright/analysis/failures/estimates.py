"""The best guess without a model: which of the seven skill categories a wrong attempt failed in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import fsum

from benchwright.analysis.failures.classes import SKILL_CLASSES, skill_class
from benchwright.analysis.failures.record import Finding
from benchwright.labels import Labels

_OF_SCORER = {"chart": "Data Visualization", "model_metric": "Data Modeling"}
"""Kinds of outputs of which only one category makes the last step."""
_PRIOR = 3.0
"""So many applications of a skill, each worth the cell's mean, are counted in where little is known of it."""


@dataclass(frozen=True)
class Estimates:
    """What is known of a cell without a model: its `values` by task, and the skills that its tasks need."""

    values: Mapping[str, float]
    labels: Mapping[str, Labels]

    def guess(self, task: str, checks: Mapping[str, float]) -> Finding:
        """A category for a wrong attempt at a task; `checks` are the values of its checks by their scorer, worst first.

        Where the worst check is of a chart or of predictions and no other kind is as bad, it is that kind's category.
        Else the category in which most applications are expected to go wrong: each of the task's skills by one minus
        its mean over the cell's other tasks. A task without any of the seven categories stays unclassified.
        """
        if by_output := _worst_kind(checks):
            return Finding(failure=skill_class(by_output), rule="worst output", basis="estimate")
        blamed = self._blamed(task)
        if not blamed:
            return Finding(failure="unclassified", rule="no rule fits")
        worst = max(blamed, key=lambda category: (blamed[category], category))
        return Finding(failure=skill_class(worst), rule="weakest skills", basis="estimate")

    def _blamed(self, task: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for skill, category in categories_of(self.labels.get(task)).items():
            found[category] = found.get(category, 0.0) + 1 - self._elsewhere(skill, task)
        return found

    def _elsewhere(self, skill: str, task: str) -> float:
        """A skill's mean over the cell's other tasks, drawn towards the cell's own mean."""
        total, n = self._totals.get(skill, (0.0, 0))
        if task in self.values:
            total, n = total - self.values[task], n - 1
        return (total + _PRIOR * self._mean) / (n + _PRIOR)

    @cached_property
    def _mean(self) -> float:
        return fsum(self.values.values()) / len(self.values) if self.values else 0.0

    @cached_property
    def _totals(self) -> Mapping[str, tuple[float, int]]:
        """By skill, the sum of its tasks' values, and how many they are."""
        found: dict[str, list[float]] = {}
        for task, value in self.values.items():
            for skill in categories_of(self.labels.get(task)):
                found.setdefault(skill, []).append(value)
        return {skill: (fsum(of), len(of)) for skill, of in found.items()}


def categories_of(labels: Labels | None) -> Mapping[str, str]:
    """The category of each of a task's skills; of a suite that does not tell, its categories stand for themselves."""
    if labels is None:
        return {}
    told = labels.extra.get("skill_categories")
    if isinstance(told, dict):
        pairs = {skill: str(told[skill]) for skill in labels.skills if skill in told}
    else:
        pairs = {category: category for category in labels.categories}
    return {skill: category for skill, category in pairs.items() if skill_class(category) in SKILL_CLASSES}


def _worst_kind(checks: Mapping[str, float]) -> str | None:
    """The category of the kind of output that is worse than every other kind."""
    lowest = min(checks.values(), default=1.0)
    worst: Collection[str] = [scorer for scorer, value in checks.items() if value == lowest]
    return _OF_SCORER.get(next(iter(worst))) if len(worst) == 1 and lowest < 1 else None
