"""Predictions against hidden labels: a metric over the rows that were predicted, times the share of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.score import Evidence, Score, Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.tables import read_table
from benchwright.scorers.compare.values import identity
from benchwright.scorers.model_metric.cells import Cells, Places, find_places
from benchwright.scorers.model_metric.columns import UnfitLabels, read_columns
from benchwright.scorers.model_metric.joining import Join, join_by_id, join_by_place
from benchwright.scorers.model_metric.metrics import MetricFailed
from benchwright.scorers.model_metric.rule import MetricRule
from benchwright.scorers.model_metric.spread import columns_of, read_spread, spread_of, value_of
from benchwright.scorers.outputs import judge_output
from benchwright.trajectory import Submission

_NOISE = 1e-12
"""What arithmetic may leave between a metric and its target."""


class Measured(NamedTuple):
    """One column: its score, the metric (None: it failed), the share of labels predicted, and what went wrong."""

    score: float
    metric: float | None = None
    coverage: float = 0.0
    reason: str = ""


class ModelMetricScorer:
    """Compares the predictions of a check with its labels; with several golds the best one counts."""

    name = "model_metric"
    version = 3

    def score(self, submission: Submission, expected: Expected) -> Score:
        """The mean over the value columns of the metric between baseline and target, times the share predicted."""
        rule = MetricRule.read(expected.check.options)
        return judge_output(submission, expected, _read, lambda gold, found: _compare(gold, found, rule))


def _read(path: Path, _: str) -> Cells:
    return Cells.of(read_table(path))


def _compare(gold: Cells, found: Cells, rule: MetricRule) -> Score:
    try:
        places = find_places(gold, found, rule)
        lost = [gold.names[place] for place, partner in places.ids if partner is None]
        if lost:
            return Scored(value=0.0, reason=f"no id column {', '.join(lost)}; found {', '.join(found.names)[:200]}")
        join = _join(gold, found, places)
        measured = {
            gold.names[place]: _column(gold, found, (place, partner), join, rule) for place, partner in places.values
        }
    except UnfitLabels as error:
        return Unscored(reason=f"suite: {error}", details={"gold": "unfit"})
    return _scored(measured, join, rule)


def _join(gold: Cells, found: Cells, places: Places) -> Join:
    if not places.ids:
        return join_by_place(gold.height, found.height)
    ids = [(place, partner) for place, partner in places.ids if partner is not None]
    values = [(place, partner) for place, partner in places.values if partner is not None]
    sides = gold.rows([place for place, _ in ids]), found.rows([partner for _, partner in ids])
    cells = gold.rows([place for place, _ in values]), found.rows([partner for _, partner in values])
    if set(sides[0]) == set(sides[1]):  # spelled alike, as they mostly are
        return join_by_id(*sides, *cells)
    gold_ids, found_ids = ([tuple(map(identity, row)) for row in side] for side in sides)
    return join_by_id(gold_ids, found_ids, *cells)


def _aligned(found: Cells, place: int | None, join: Join, height: int) -> list[str | None] | None:
    """The predictions of a column in the order of the labels; None where there is no such column."""
    if place is None:
        return None
    cells: list[str | None] = [None] * height
    for left, right in join.pairs:
        cells[left] = found.columns[place][right]
    return cells


def _column(gold: Cells, found: Cells, places: tuple[int, int | None], join: Join, rule: MetricRule) -> Measured:
    """One column of labels, against the column of that name, or the columns where the metric takes several."""
    cells, partner = gold.columns[places[0]], places[1]
    spread = spread_of(rule.metric.name, cells)
    if spread is None or (partner is not None and not spread.classes):
        return _measure(cells, _aligned(found, partner, join, gold.height), rule)
    several = columns_of(gold.names[places[0]], cells, spread, found.names)
    if isinstance(several, str):
        rows: Sequence[Sequence[str | None]] = [(None,)] * gold.height
    else:
        rows = list(zip(*(_aligned(found, place, join, gold.height) or () for place in several), strict=True))
    column = read_spread(cells, rows, spread)
    uninformed = spread.uninformed(column.labels)
    baseline, target = rule.scale(spread.best, uninformed, lambda: uninformed)
    if baseline == target:
        raise UnfitLabels(f"any constant is right for {rule.metric.name} on these labels; the check needs a baseline")
    if isinstance(several, str) or not column.coverage:
        return Measured(0.0, reason=several if isinstance(several, str) else column.unfit or "no predictions")
    try:
        value = value_of(spread, column)
    except MetricFailed as error:
        return Measured(0.0, None, column.coverage, str(error))
    return _placed(value, (baseline, target), column.coverage, column.unfit)


def _placed(value: float, scale: tuple[float, float], coverage: float, unfit: str) -> Measured:
    """A metric's value between baseline and target, times the share that was predicted."""
    share = (value - scale[0]) / (scale[1] - scale[0])
    share = 1.0 if share > 1.0 - _NOISE else max(0.0, share)
    return Measured(share * coverage, value, coverage, unfit)


def _measure(gold: Sequence[str], found: Sequence[str | None] | None, rule: MetricRule) -> Measured:
    metric = rule.metric
    column = read_columns(gold, found or [None] * len(gold), metric.needs)
    try:
        metric.value(column.labels, column.labels)
        baseline, target = rule.scale(
            metric.best, metric.baseline(column.labels), lambda: metric.of_a_constant(column.labels)
        )
    except (MetricFailed, ValueError) as error:
        raise UnfitLabels(f"the labels are no ground for {metric.name}: {error}") from error
    if baseline == target:
        raise UnfitLabels(f"any constant is right for {metric.name} on these labels; the check needs a baseline")
    if found is None:
        return Measured(0.0, reason="no such column")
    if not column.coverage:
        return Measured(0.0, reason=column.unfit or "no predictions")
    try:
        value = metric.value(column.gold, column.found)
    except MetricFailed as error:
        return Measured(0.0, None, column.coverage, str(error))
    return _placed(value, (baseline, target), column.coverage, column.unfit)


def _scored(measured: Mapping[str, Measured], join: Join, rule: MetricRule) -> Scored:
    value = _agreement(join, rule) * fsum(column.score for column in measured.values()) / len(measured)
    evidence = [
        Evidence(
            part=name,
            verdict="right" if column.score == 1 else "wrong",
            found="" if column.metric is None else f"{rule.metric.name} {column.metric:.6g}",
            reason=column.reason,
        )
        for name, column in measured.items()
    ]
    notes = list(_notes(join, rule))
    return Scored(
        value=min(1.0, value),
        reason="; ".join([*(f"{name}: {column.reason}" for name, column in measured.items() if column.reason), *notes]),
        evidence=(*evidence, *(Evidence(verdict="note", reason=note) for note in notes)),
        details=_details(measured, join, rule),
    )


def _agreement(join: Join, rule: MetricRule) -> float:
    """1, but where rows are too many: without ids any, with ids those that repeat another."""
    if not rule.id_columns and join.unknown:
        return len(join.pairs) / join.of
    return join.of / (join.of + join.repeated) if join.repeated else 1.0


def _notes(join: Join, rule: MetricRule) -> Sequence[str]:
    found = {
        "labelled rows without a prediction": join.missing,
        "ids predicted more often than they are labelled": join.duplicates,
        "predictions that repeat another": join.repeated,
        "predictions of rows that are not asked for": join.unknown,
    }
    notes = [f"{count} {what}" for what, count in found.items() if count]
    if not rule.id_columns:
        notes.append("rows pair by their place, for the check names no id")
    if rule.metric.row_agnostic:
        notes.append(f"{rule.metric.name} is row-agnostic: it does not see which row a prediction belongs to")
    return notes


def _details(measured: Mapping[str, Measured], join: Join, rule: MetricRule) -> dict[str, Any]:
    return {
        "metric": rule.metric.name,
        "columns": {
            name: {"score": column.score, "value": column.metric, "coverage": column.coverage}
            for name, column in measured.items()
        },
        "rows": join.of,
        "missing": join.missing,
        "duplicates": join.duplicates,
        "unknown": join.unknown,
        "row_agnostic": rule.metric.row_agnostic,
    }
