"""The document that `score --json` prints: a contract, key by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.score import Evidence, Score, Scored, unscorable
from benchwright.scorers.registry import reference_task_rule
from benchwright.scoring.aggregate import (
    Judged,
    detail,
    discovery_accuracy,
    reference_accuracy,
    sound_accuracy,
)
from benchwright.scoring.attempt import scorer_digest
from benchwright.scoring.predictions import Predictions
from benchwright.scoring.verdicts import CheckScores, Discovery, Mode
from benchwright.suite import Selection, Suite

_DISCOVERY_DETAILS = ("strict", "content", "basename", "precision", "missing")


@dataclass(frozen=True, slots=True)
class Scoring:
    """The verdicts on a predictions file or a run, over a selection of a suite's tasks.

    `rows` holds one verdict for every attempt that counts, those of tasks without a prediction included.
    `predictions` is None for a run. `faulty` names, by verdict, the tasks whose gold or check is known to be faulty;
    None: the suite was not checked.
    """

    suite: Suite
    selection: Selection
    modes: tuple[Mode, ...]
    rows: tuple[Judged, ...]
    predictions: Predictions | None = None
    cells: tuple[tuple[str, str], ...] = ()
    """For a run: the id and the title of each cell."""
    faulty: Mapping[Mode, tuple[str, ...]] | None = None

    @property
    def flawed(self) -> bool:
        """Whether something is wrong with what was scored: the file, a broken attempt, or a verdict that failed."""
        return bool(
            (self.predictions and self.predictions.flawed)
            or any(row.broke or _failed(row.scores.sound) or _failed(row.scores.reference) for row in self.rows)
        )

    def document(self) -> dict[str, Any]:
        """The whole result as strict JSON values: no NaN, None where a number does not exist."""
        return {
            **self._header(),
            **self._summary(self.rows),
            "subsets": self._subsets(self.rows),
            **({"cells": [self._cell(*cell) for cell in self.cells]} if self.cells else {}),
            "tasks": [_task_json(row) for row in self.rows],
        }

    def _header(self) -> dict[str, Any]:
        ids = [task.id for task in self.suite.select(self.selection)]
        present = {row.scores.task_id for row in self.rows if row.present}
        found = self.predictions
        return {
            "suite": self.suite.name,
            "release": self.suite.info.release,
            "subset": self.selection.subset,
            "suite_digest": self.suite.digest,
            "gold_digest": self.suite.gold_digest,
            "scorer_digest": scorer_digest(self.suite, self.modes),
            "n_tasks": len(ids),
            "n_predictions": found.lines if found else sum(row.present for row in self.rows),
            "n_scored": len(present),
            "n_answered": sum(row.present and row.scores.answered for row in self.rows),
            "coverage": len(present) / len(ids) if ids else None,
            "missing_ids": [name for name in ids if name not in present],
            "extra_ids": list(found.extra_ids) if found else [],
            "duplicate_ids": list(found.duplicate_ids) if found else [],
            "duplicates": found.policy if found else None,
            "bad_lines": [{"line": bad.line, "reason": bad.reason} for bad in found.bad_lines] if found else [],
            "notes": list(found.notes) if found else [],
            "faulty_ids": self._faulty_ids(ids),
        }

    def _faulty_ids(self, ids: Sequence[str]) -> dict[str, list[str]] | None:
        if self.faulty is None:
            return None
        return {mode: [name for name in ids if name in self.faulty.get(mode, ())] for mode in self.modes}

    def _summary(self, rows: Sequence[Judged]) -> dict[str, Any]:
        return {
            "reference": self._with_and_without(
                "reference", rows, lambda some: reference_accuracy(some, self._absent_leave, self.suite.labels)
            ),
            "sound": self._with_and_without("sound", rows, lambda some: sound_accuracy(some, self.suite.labels)),
            "discovery": discovery_accuracy(rows, self.suite.labels),
        }

    def _with_and_without(
        self, mode: Mode, rows: Sequence[Judged], summed: Callable[[Sequence[Judged]], dict[str, Any]]
    ) -> dict[str, Any] | None:
        """A verdict's summary over all tasks, and beside it the one without the tasks that are known to be faulty."""
        if mode not in self.modes:
            return None
        if self.faulty is None:
            return summed(rows)
        faulty = set(self.faulty.get(mode, ()))
        whole = [row for row in rows if row.scores.task_id not in faulty]
        without = summed(whole)
        return {
            **summed(rows),
            "faulty": len({row.scores.task_id for row in rows} & faulty),
            "without_faulty": {name: without[name] for name in ("mean", "ci95", "n", "tasks")},
        }

    @property
    def _absent_leave(self) -> bool:
        rule = reference_task_rule(self.suite.info.reference)
        return rule is not None and rule.absent_leave

    def _subsets(self, rows: Sequence[Judged]) -> dict[str, Any]:
        """Full and hard always; `n_tasks` of the subset were scored, of `of` that the suite has."""
        names = ("full", "hard", *(name for name in self.suite.subsets if name not in ("full", "hard")))
        return {name: self._subset(name, rows) for name in names}

    def _subset(self, name: str, rows: Sequence[Judged]) -> dict[str, Any]:
        ids = set(self.suite.subset(name)) if name in self.suite.subsets else set()
        inside = [row for row in rows if row.scores.task_id in ids]
        tasks = {row.scores.task_id for row in inside}
        return {
            "n_tasks": len(tasks),
            "of": len(ids),
            "n_scored": len({row.scores.task_id for row in inside if row.present}),
            **self._summary(inside),
        }

    def _cell(self, cell: str, title: str) -> dict[str, Any]:
        rows = [row for row in self.rows if row.cell == cell]
        return {"cell": cell, "title": title, **self._summary(rows), "subsets": self._subsets(rows)}


def _failed(score: Score | None) -> bool:
    """Whether a verdict, or that of one of several checks, is missing through no fault of the suite."""
    if score is None or isinstance(score, Scored):
        return score is not None and "unscored_checks" in score.details
    return not unscorable(score)


def _task_json(row: Judged) -> dict[str, Any]:
    scores = row.scores
    return {
        "id": scores.task_id,
        **({"cell": row.cell, "epoch": row.epoch} if row.cell else {}),
        **({"broke": row.broke} if row.broke else {}),
        "present": row.present,
        "answered": scores.answered,
        "reference": _reference_json(scores.reference),
        "sound": _sound_json(scores.sound),
        "discovery": _discovery_json(scores.discovery),
        **({"claimed": _discovery_json(scores.claimed)} if scores.claimed else {}),
        "checks": [_check_json(check) for check in scores.checks],
    }


def _check_json(check: CheckScores) -> dict[str, Any]:
    return {
        "scorer": check.scorer,
        "output": check.output,
        "reference": _reference_json(check.reference),
        "sound": _sound_json(check.sound),
    }


def _reference_json(score: Score | None) -> dict[str, Any] | None:
    if score is None:
        return None
    if not isinstance(score, Scored):
        return {"score": None, "error": score.reason}
    told = {name: detail(score, name) for name in ("exact", "numeric") if detail(score, name) is not None}
    return {"score": score.value, "error": detail(score, "error"), **told}


def _sound_json(score: Score | None) -> dict[str, Any] | None:
    if score is None:
        return None
    if not isinstance(score, Scored):
        trace = detail(score, "trace")
        return {"score": None, "reason": score.reason, **({"trace": trace} if trace else {})}
    return {"score": score.value, "reason": score.reason, "evidence": [_evidence_json(item) for item in score.evidence]}


def _evidence_json(item: Evidence) -> dict[str, Any]:
    return {"part": item.part, "verdict": item.verdict, "reason": item.reason}


def _discovery_json(discovery: Discovery) -> dict[str, Any]:
    score = discovery.score
    return {
        "score": score.value if isinstance(score, Scored) else None,
        "reason": score.reason,
        "known": discovery.known,
        "measured": discovery.measured,
        **({"estimated": True} if discovery.estimated else {}),
        "opened": discovery.opened,
        "swept": discovery.swept,
        **{name: detail(score, name) for name in _DISCOVERY_DETAILS},
    }
