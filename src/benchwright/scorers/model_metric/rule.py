"""What a check says of predictions: which columns identify and hold them, the metric, and its scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    being right give. `above_constant`: whether one value for all rows earns nothing even where `baseline` is further
    from the target.
    """

    metric: Metric
    id_columns: tuple[str | int, ...] = ()
    value_columns: tuple[str | int, ...] = ()
    baseline: float | None = None
    target: float | None = None
    above_constant: bool = False

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
        above = given.get("above_constant", False)
        if not isinstance(above, bool):
            raise SuiteError(
                f"option 'above_constant' of the {_SCORER} scorer", found=repr(above), expected="true or false"
            )
        return cls(metric, _columns(given, "id_columns"), _columns(given, "value_columns"), baseline, target, above)

    def scale(self, best: float, uninformed: float, constant: Callable[[], float]) -> tuple[float, float]:
        """The values that score 0 and 1: as stated, else `uninformed` and `best`.

        `constant` is what one value for all rows scores. Where that is as good as the target, which a label that is the
        same in every row makes of it, it says nothing.
        """
        target = best if self.target is None else self.target
        if self.baseline is None or not self.above_constant:
            return (uninformed if self.baseline is None else self.baseline), target
        share = (constant() - self.baseline) / (target - self.baseline)
        return (self.baseline + max(0.0, share) * (target - self.baseline) if share < 1 else self.baseline), target


def _columns(given: Mapping[str, Any], option: str) -> tuple[str | int, ...]:
    value = given.get(option) or ()
    names = (value,) if isinstance(value, str | int) else tuple(value)
    if not all(isinstance(name, str) or (type(name) is int and name >= 0) for name in names):
        raise SuiteError(
            f"option {option!r} of the {_SCORER} scorer", found=repr(value)[:200], expected="names or positions from 0"
        )
    return names
