"""The metrics of the published model comparison, with what each takes for a failure."""

from __future__ import annotations

from collections.abc import Callable
from operator import eq
from typing import Any, NamedTuple

from benchwright.scorers.reference.agentic_data_bench.calls import Release


class Measured(NamedTuple):
    """A metric's value; a metric that failed has the value 0.0, and says why."""

    value: Any
    failure: str = ""


_SEVERAL = Measured(0.0, "failed: several columns")
Metric = Callable[[Any, Any], Measured]
"""From predictions and gold: two pandas Series, or two flat arrays where there were several columns."""

_WITHOUT_VALUE = frozenset(("roc_auc_score", "logloss_class", "logloss_total", "silhouette"))
"""They ask for arguments that the published comparison never passes, and so end in an exception; `roc_auc_score` only
where there is one column, for several make it fail before."""


def metric_named(name: str, release: Release) -> Metric | None:
    """The metric of that name, None if there is none (mape, pearson and spearman among them)."""
    if name == "accuracy":
        return lambda found, gold: _accuracy(found, gold, release)
    if name == "roc_auc_score":
        return _roc_auc
    if name in _WITHOUT_VALUE:
        return _without_value
    return _METRICS.get(name)


def _without_value(*_: Any) -> Measured:
    raise TypeError("the published comparison does not pass what this metric needs")


def _roc_auc(found: Any, gold: Any) -> Measured:
    return _without_value(found, gold) if hasattr(found, "to_numpy") else _SEVERAL


def _accuracy(found: Any, gold: Any, release: Release) -> Measured:
    """Texts by their place among all labels, fractional numbers cut to whole ones. NaN is a ValueError."""
    sides = (gold,) if release == "april" else (gold, found)
    labels = sorted({label for side in sides if not _is_number(side) for label in _texts(side)})
    places = {label: place for place, label in enumerate(labels)}
    golds, founds = (_numbers(side, places) for side in (gold, found))
    if golds and founds and len(golds) == len(founds):
        return Measured(sum(map(eq, golds, founds)) / len(golds))
    from sklearn.metrics import accuracy_score

    try:
        return Measured(accuracy_score(y_true=golds, y_pred=founds))
    except Exception as error:  # noqa: BLE001 - as published
        return _failed(error)


def _is_number(values: Any) -> bool:
    kind = str(values.dtype).lower()
    return "float" in kind or "int" in kind or "bool" in kind


def _texts(values: Any) -> list[str]:
    return [str(value).lower().strip() for value in list(values)]


def _numbers(values: Any, places: dict[str, int]) -> list[Any] | None:
    """Whole numbers, None for texts with a label that has no place."""
    if not _is_number(values):
        found = [places.get(text) for text in _texts(values)]
        return None if None in found else found
    return list(values if "int" in str(values.dtype) else values.astype(int))


def _f1(found: Any, gold: Any) -> Measured:
    """Weighted. Labels have the places of the gold's; one that it lacks makes the metric fail."""
    from sklearn.metrics import f1_score

    places: dict[str, int] = {}

    def numbers(values: Any) -> list[Any] | None:
        if _is_number(values):
            return _numbers(values, {})
        listed = list(values)
        if not all(isinstance(value, str) for value in listed):
            return None
        texts = _texts(listed)
        if not places:
            places.update({text: place for place, text in enumerate(sorted(set(texts)))})
        return None if any(text not in places for text in texts) else [places[text] for text in texts]

    golds, founds = numbers(gold), numbers(found)
    try:
        return Measured(f1_score(y_true=golds, y_pred=founds, average="weighted"))
    except Exception as error:  # noqa: BLE001 - as published
        return _failed(error)


def _arrays(measure: Callable[[Any, Any], Any]) -> Metric:
    """A metric of two arrays. Flattened columns have no `to_numpy`, and so fail: as published."""

    def metric(found: Any, gold: Any) -> Measured:
        if not hasattr(found, "to_numpy"):
            return _SEVERAL
        golds = gold.to_numpy()
        try:
            return Measured(measure(found.to_numpy(), golds))
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - as published
            return _failed(error)

    return metric


def _failed(error: Exception) -> Measured:
    return Measured(0.0, f"failed: {type(error).__name__}: {error}"[:500])


def _sklearn(name: str) -> Callable[[Any, Any], Any]:
    def measure(found: Any, gold: Any) -> Any:
        from sklearn import metrics

        return getattr(metrics, name)(y_true=gold, y_pred=found)

    return measure


def _r2(found: Any, gold: Any) -> Any:
    """Predictions that are truth values, or objects, are no numbers here: as published."""
    import numpy as np

    if not np.issubdtype(found.dtype, np.number):
        raise TypeError("the predictions are no numbers")
    return _sklearn("r2_score")(found, gold)


def _mae(found: Any, gold: Any) -> Any:
    return abs(gold - found).mean() if _plain_numbers(found, gold) else _sklearn("mean_absolute_error")(found, gold)


def _mse(found: Any, gold: Any) -> Any:
    return ((gold - found) ** 2).mean() if _plain_numbers(found, gold) else _sklearn("mean_squared_error")(found, gold)


def _plain_numbers(found: Any, gold: Any) -> bool:
    """Whether these are numbers that no library is needed for, which takes longer to load than to measure them."""
    import numpy as np

    kinds, shapes = {side.dtype.kind for side in (found, gold)}, {side.shape for side in (found, gold)}
    return kinds <= {"i", "f"} and len(shapes) == 1 and found.size > 0 and bool(np.isfinite([found, gold]).all())


def _rmse(found: Any, gold: Any) -> Any:
    return float(_sklearn("mean_squared_error")(found, gold)) ** 0.5


def _rmsle(found: Any, gold: Any) -> Any:
    """Without the root that its name promises: as published."""
    import numpy as np

    return _sklearn("mean_squared_log_error")(np.clip(found, 0, None), gold)


def _smape(found: Any, gold: Any) -> Any:
    """In percent, 0 to 200."""
    import numpy as np

    middle = (np.abs(found) + np.abs(gold)) / 2.0
    middle[middle == 0] = np.nan
    return float(np.nanmean(np.where(np.isnan(middle), 0, np.abs(found - gold) / middle))) * 100


def _ks(found: Any, gold: Any) -> Any:
    """The distance of the two distributions: which row has which prediction is not looked at."""
    if _plain_numbers(found[:1], gold[:1]) and _plain_numbers(found, found) and _plain_numbers(gold, gold):
        import numpy as np

        every = np.concatenate([found, gold])
        shares = (np.searchsorted(np.sort(side), every, side="right") / len(side) for side in (found, gold))
        return abs(np.subtract(*shares)).max()
    from scipy.stats import ks_2samp

    return ks_2samp(found, gold).statistic


def _kappa(found: Any, gold: Any) -> Any:
    import numpy as np
    from sklearn.metrics import confusion_matrix

    found = found if found.dtype == gold.dtype else found.astype(gold.dtype)
    count = len(np.unique(gold))
    table = confusion_matrix(y_true=gold, y_pred=found, labels=np.arange(count))
    lowest = min(gold)
    if lowest != min(found) or max(gold) != max(found):
        raise ValueError("the labels have another range than the gold's")
    if count == 1:
        raise ZeroDivisionError("division by zero")
    places = np.arange(count)
    weights = (places[:, None] - places[None, :]) ** 2 / (count - 1) ** 2
    golds, founds = (np.bincount(side - lowest if lowest else side, minlength=count) for side in (gold, found))
    chance = np.outer(golds, founds)
    chance = chance / chance.sum() * table.sum()
    return 1 - np.sum(weights * table) / np.sum(weights * chance)


def _crps(found: Any, gold: Any) -> Any:
    """For each gold value: over all different predictions, the squared distance of their distribution function from
    the gold's step, summed and never divided.
    """
    import numpy as np

    predicted, golds = (np.asarray(side, dtype=np.float64) for side in (_plain(found), _plain(gold)))
    values, counts = np.unique(predicted, return_counts=True)
    shares = np.cumsum(counts) / len(predicted)
    kept = np.isfinite(values)
    values, shares = values[kept], shares[kept]
    golds = golds[~np.isnan(golds)]
    below = np.concatenate([[0.0], np.cumsum(shares**2)])
    above = np.concatenate([np.cumsum(((shares - 1) ** 2)[::-1])[::-1], [0.0]])
    places = np.searchsorted(values, golds, side="left")
    # the published distribution is 0 at minus infinity, which is not below a gold of minus infinity
    return float(np.sum(below[places] + above[places]) + np.sum(np.isneginf(golds)))


def _plain(values: Any) -> Any:
    if values.dtype.kind == "O" and any(isinstance(value, str) for value in values):
        raise TypeError("texts and numbers cannot be ordered")
    return values


_METRICS: dict[str, Metric] = {
    "f1": _f1,
    "r2": _arrays(_r2),
    "mae": _arrays(_mae),
    "mse": _arrays(_mse),
    "medae": _arrays(_sklearn("median_absolute_error")),
    "rmse": _arrays(_rmse),
    "rmsle": _arrays(_rmsle),
    "smape": _arrays(_smape),
    "ks": _arrays(_ks),
    "quadratic_weighted_kappa": _arrays(_kappa),
    "crps": _arrays(_crps),
}
