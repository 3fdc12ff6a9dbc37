"""Metrics of predictions, each with its direction, its scale, and what it needs of labels.

They give what scikit-learn and SciPy give, mostly by calling them; those that are one line are written out, because to
load either takes longer than to judge a table. All take two arrays, labels first.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

Needs = Literal["classes", "ratings", "scores", "probabilities", "numbers"]
"""What labels and predictions are: names of classes; whole steps of a scale; scores or probabilities of the second of
two classes; or numbers."""
Measure = Callable[[Any, Any], float]


_QUANTILES = 33


class MetricFailed(Exception):
    """A metric that has no value for these labels and predictions, with the reason."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: its values at best and at worst (for errors, infinity), and what it measures.

    `uninformed` gives, from the labels alone, what predictions that know nothing score; without it that is `worst`.
    `row_agnostic` metrics do not look at which row a prediction belongs to.
    """

    name: str
    needs: Needs
    measure: Measure
    best: float = 1.0
    worst: float = 0.0
    uninformed: Callable[[Any], float] | None = None
    row_agnostic: bool = False

    def value(self, labels: Any, predictions: Any) -> float:
        """The metric; MetricFailed says why there is none."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what scikit-learn and SciPy warn of shows as no finite value
            try:
                found = float(self.measure(labels, predictions))
            except (ValueError, ZeroDivisionError, FloatingPointError, OverflowError) as error:
                raise MetricFailed(f"{self.name} cannot be computed: {error}"[:200]) from error
        if not math.isfinite(found):
            raise MetricFailed(f"{self.name} has no value for these predictions")
        return found

    def baseline(self, labels: Any) -> float:
        """What predictions that know nothing score."""
        return self.worst if self.uninformed is None else self.uninformed(labels)

    def of_a_constant(self, labels: Any) -> float:
        """What the best of one value for all rows scores: the most frequent label, their mean, middle or quantiles."""
        import numpy as np

        values, counts = np.unique(labels, return_counts=True)
        constants = [values[counts.argmax()]]
        if self.needs not in {"classes", "ratings"}:
            constants += [np.mean(labels), np.median(labels), (labels.min() + labels.max()) / 2]
        if self.needs == "numbers":
            constants += [*np.quantile(labels, np.linspace(0, 1, _QUANTILES), method="closest_observation")]
        found = [self.worst]
        for constant in constants:
            with suppress(MetricFailed):
                found.append(self.value(labels, np.full_like(labels, constant)))
        return max(found) if self.best > self.worst else min(found)


def metric_named(name: object) -> Metric | None:
    """A metric by its name or another name of it, in any case, with blanks or hyphens for underscores."""
    if not isinstance(name, str):
        return None
    plain = name.strip().casefold().replace(" ", "_").replace("-", "_")
    return METRICS.get(_OTHER_NAMES.get(plain, plain))


def _sklearn(function: str, **options: Any) -> Measure:
    def measure(labels: Any, predictions: Any) -> float:
        import sklearn.metrics

        found: float = getattr(sklearn.metrics, function)(labels, predictions, **options)
        return found

    return measure


def _scipy(function: str) -> Measure:
    def measure(labels: Any, predictions: Any) -> float:
        import scipy.stats

        found: float = getattr(scipy.stats, function)(labels, predictions).statistic
        return found

    return measure


def _accuracy(labels: Any, predictions: Any) -> float:
    return float((labels == predictions).mean())


def _mae(labels: Any, predictions: Any) -> float:
    return float(abs(labels - predictions).mean())


def _mse(labels: Any, predictions: Any) -> float:
    return float(((labels - predictions) ** 2).mean())


def _rmse(labels: Any, predictions: Any) -> float:
    return math.sqrt(_mse(labels, predictions))


def _medae(labels: Any, predictions: Any) -> float:
    import numpy as np

    return float(np.median(abs(labels - predictions)))


def _max_error(labels: Any, predictions: Any) -> float:
    return float(abs(labels - predictions).max())


def _r2(labels: Any, predictions: Any) -> float:
    return 1 - _mse(labels, predictions) / float(labels.var())


def _explained_variance(labels: Any, predictions: Any) -> float:
    return 1 - float((labels - predictions).var()) / float(labels.var())


def _pearson(labels: Any, predictions: Any) -> float:
    import numpy as np

    if np.ptp(labels) == 0 or np.ptp(predictions) == 0:
        raise ValueError("a constant has no correlation")
    left, right = ((side - side.mean()) / np.linalg.norm(side - side.mean()) for side in (labels, predictions))
    return float(np.clip(left @ right, -1.0, 1.0))


def _ks(labels: Any, predictions: Any) -> float:
    """The greatest distance between the two distributions, whichever rows the values stand in."""
    import numpy as np

    every = np.concatenate([labels, predictions])
    shares = (np.searchsorted(np.sort(side), every, side="right") / len(side) for side in (labels, predictions))
    return float(abs(np.subtract(*shares)).max())


def _balanced_accuracy(labels: Any, predictions: Any) -> float:
    """The mean share of each class that is found."""
    import numpy as np

    return float(np.mean([np.mean(predictions[labels == label] == label) for label in np.unique(labels)]))


def _quadratic_kappa(labels: Any, predictions: Any) -> float:
    """Cohen's kappa with quadratic weights, by the ratings' own distances, whichever of them occur."""
    import numpy as np

    expected = np.var(labels) + np.var(predictions) + (np.mean(labels) - np.mean(predictions)) ** 2
    if expected == 0:
        return 1.0 if labels[0] == predictions[0] else 0.0
    return float(1 - np.mean((labels - predictions) ** 2) / expected)


def _separation(labels: Any, predictions: Any) -> float:
    """The Kolmogorov-Smirnov distance between the scores of both classes, where the second class scores higher."""
    from sklearn.metrics import roc_curve

    false, true, _ = roc_curve(labels, predictions)
    return float((true - false).max())


def _log_loss(labels: Any, predictions: Any) -> float:
    import numpy as np

    sure = np.clip(predictions, 1e-15, 1 - 1e-15)
    return float(-np.mean(labels * np.log(sure) + (1 - labels) * np.log(1 - sure)))


def _brier(labels: Any, predictions: Any) -> float:
    import numpy as np

    return float(np.mean((labels - predictions) ** 2))


def _rmsle(labels: Any, predictions: Any) -> float:
    import numpy as np

    if labels.min() < 0 or predictions.min() < 0:
        raise ValueError("logarithms of negative numbers")
    return float(np.sqrt(np.mean((np.log1p(labels) - np.log1p(predictions)) ** 2)))


def _mape(labels: Any, predictions: Any) -> float:
    import numpy as np

    if not labels.all():
        raise ValueError("a label is 0")
    return float(np.mean(np.abs((labels - predictions) / labels)))


def _smape(labels: Any, predictions: Any) -> float:
    """From 0 to 2; where label and prediction are both 0, nothing is wrong."""
    import numpy as np

    size = (np.abs(labels) + np.abs(predictions)) / 2
    gap = np.abs(labels - predictions)
    return float(np.mean(np.divide(gap, size, out=np.zeros_like(gap), where=size > 0)))


def _constant(statistic: str, measure: Measure) -> Callable[[Any], float]:
    """What the best constant scores: the labels' mean or median, everywhere."""

    def uninformed(labels: Any) -> float:
        import numpy as np

        return measure(labels, np.full_like(labels, getattr(np, statistic)(labels)))

    return uninformed


def _error(name: str, measure: Measure, constant: str) -> Metric:
    return Metric(name, "numbers", measure, 0.0, math.inf, _constant(constant, measure))


_ALL = (
    Metric("accuracy", "classes", _accuracy),
    Metric("balanced_accuracy", "classes", _balanced_accuracy),
    *(
        Metric(name + suffix, "classes", _sklearn(f"{name}_score", average=average, zero_division=0))
        for name in ("f1", "precision", "recall")
        for suffix, average in (("", "weighted"), ("_weighted", "weighted"), ("_macro", "macro"), ("_micro", "micro"))
    ),
    Metric("mcc", "classes", _sklearn("matthews_corrcoef")),
    Metric("kappa", "classes", _sklearn("cohen_kappa_score")),
    Metric("quadratic_kappa", "ratings", _quadratic_kappa),
    Metric("roc_auc", "scores", _sklearn("roc_auc_score"), worst=0.5),
    Metric("pr_auc", "scores", _sklearn("average_precision_score"), uninformed=lambda labels: float(labels.mean())),
    Metric("ks_separation", "scores", _separation),
    Metric("log_loss", "probabilities", _log_loss, 0.0, math.inf, _constant("mean", _log_loss)),
    Metric("brier", "probabilities", _brier, 0.0, 1.0, _constant("mean", _brier)),
    Metric("r2", "numbers", _r2),
    Metric("explained_variance", "numbers", _explained_variance),
    _error("mae", _mae, "median"),
    _error("mse", _mse, "mean"),
    _error("rmse", _rmse, "mean"),
    _error("rmsle", _rmsle, "median"),
    _error("medae", _medae, "median"),
    _error("max_error", _max_error, "mean"),
    _error("mape", _mape, "median"),
    _error("smape", _smape, "median"),
    _error("crps", _mae, "median"),  # of a point forecast, which is all that one column can hold
    Metric("pearson", "numbers", _pearson),
    Metric("spearman", "numbers", _scipy("spearmanr")),
    Metric("kendall", "numbers", _scipy("kendalltau")),
    Metric("ks", "numbers", _ks, 0.0, 1.0, row_agnostic=True),
)
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _ALL}
_OTHER_NAMES: Mapping[str, str] = {
    "accuracy_score": "accuracy",
    "balanced_accuracy_score": "balanced_accuracy",
    "f1_score": "f1",
    "precision_score": "precision",
    "recall_score": "recall",
    "matthews_corrcoef": "mcc",
    "cohen_kappa": "kappa",
    "cohen_kappa_score": "kappa",
    "qwk": "quadratic_kappa",
    "quadratic_weighted_kappa": "quadratic_kappa",
    "auc": "roc_auc",
    "auroc": "roc_auc",
    "roc_auc_score": "roc_auc",
    "average_precision": "pr_auc",
    "logloss": "log_loss",
    "logloss_class": "log_loss",
    "logloss_total": "log_loss",
    "brier_score": "brier",
    "brier_score_loss": "brier",
    "r2_score": "r2",
    "mean_absolute_error": "mae",
    "mean_squared_error": "mse",
    "root_mean_squared_error": "rmse",
    "median_absolute_error": "medae",
    "mean_absolute_percentage_error": "mape",
    "pearsonr": "pearson",
    "spearmanr": "spearman",
    "kendalltau": "kendall",
    "ks_2samp": "ks",
}
