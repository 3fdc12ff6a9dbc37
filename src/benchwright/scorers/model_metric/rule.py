"""What a check says of predictions: which columns identify and hold them, the metric, and its scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchwright.errors import SuiteError
from benchwright.scorers.model_metric.metrics import METRICS, Metric, metric_named
from benchwright.scorers.options import known_options, number_of

_SCORER = "model_metric"


@dataclass(frozen=True, slots=True)
class MetricRule:
    """The options of a check.

    `id_columns`: columns that identify a row, by name or by position (from 0) in the gold; without any, rows pair by
    their place. `value_columns`: columns of labels, likewise; without any, all but the id columns. `metric`: one of
    `METRICS`. `baseline` and `target`: the metric's values that score 0 and 1; without them, what knowing nothing and
    being right give.
    """

    metric: Metric
    id_columns: tuple[str | int, ...] = ()
    value_columns: tuple[str | int, ...] = ()
    baseline: float | None = None
    target: float | None = None

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> MetricRule:
        """The rule of some options; a SuiteError names one that does not exist or has no such value."""
        given = known_options(_SCORER, options, tuple(cls.__dataclass_fields__))
        metric = metric_named(given.get("metric", ""))
        if metric is None:
            raise SuiteError(
                f"option 'metric' of the {_SCORER} scorer",
                found=repr(given.get("metric"))[:200],
                expected=f"one of {', '.join(METRICS)}",
            )
        baseline, target = (
            None if given.get(name) is None else number_of(_SCORER, name, given[name])
            for name in ("baseline", "target")
        )
        best = metric.best if target is None else target
        if baseline is not None and (baseline == best or (best > baseline) != (metric.best > metric.worst)):
            raise SuiteError(
                f"the scale of {metric.name}",
                found=f"baseline {baseline:g}, target {best:g}",
                expected=f"a target {'above' if metric.best > metric.worst else 'below'} the baseline",
            )
        return cls(metric, _columns(given, "id_columns"), _columns(given, "value_columns"), baseline, target)


def _columns(given: Mapping[str, Any], option: str) -> tuple[str | int, ...]:
    value = given.get(option) or ()
    names = (value,) if isinstance(value, str | int) else tuple(value)
    if not all(isinstance(name, str) or (type(name) is int and name >= 0) for name in names):
        raise SuiteError(
            f"option {option!r} of the {_SCORER} scorer", found=repr(value)[:200], expected="names or positions from 0"
        )
    return names
