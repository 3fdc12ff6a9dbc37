"""Predictions in several columns: a probability of each class, or the members of an ensemble."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchwright.scorers.compare.documents import fold_key
from benchwright.scorers.model_metric.columns import Column, Label, UnfitLabels, label_of
from benchwright.scorers.model_metric.metrics import METRICS, MetricFailed

_PREFIXES: Final = ("p", "prob", "proba", "probability", "score", "pred", "predicted")
_SUM: Final = 0.01
"""How far the probabilities of one row may be from 1 in all."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A metric of several columns: its values at best and at worst, and what knowing the labels' shares alone gives."""

    measure: Callable[[Any, Any], float]
    best: float
    uninformed: Callable[[Any], float]
    classes: bool = True
    probabilities: bool = False


def spread_of(metric: str, cells: Sequence[str]) -> Spread | None:
    """The metric for labels of more than two classes, or for an ensemble; None where one column is enough."""
    spread = SPREADS.get(metric)
    return spread if spread is not None and (not spread.classes or len(_classes(cells)) > 2) else None


def _classes(cells: Sequence[str]) -> list[Label]:
    labels = {label for cell in cells if (label := label_of(cell)) is not None}
    return sorted(labels, key=lambda label: (isinstance(label, str), label))


def columns_of(name: str, cells: Sequence[str], spread: Spread, names: Sequence[str]) -> list[int] | str:
    """The places of a label column's predictions, class by class or member by member; or why there are none."""
    if not spread.classes:
        member = re.compile(re.escape(fold_key(name)) + r"[a-z]*\d+")
        members = [place for place, other in enumerate(names) if member.fullmatch(fold_key(other))]
        return members if len(members) > 1 else f"no columns {name}_1, {name}_2, ..."
    folded: dict[str, list[int]] = {}
    for place, other in enumerate(names):
        folded.setdefault(fold_key(other), []).append(place)
    places: list[int] = []
    for label in _classes(cells):
        text = f"{label:g}" if isinstance(label, float) else str(label)
        wanted = (text, *(f"{prefix}_{text}" for prefix in (name, *_PREFIXES)))
        found = sorted({place for each in wanted for place in folded.get(fold_key(each), ())})
        if len(found) != 1:
            return f"{len(found)} columns of predictions for the class {text[:40]!r}, such as p_{text[:40]}"
        places += found
    return places


def read_spread(cells: Sequence[str], rows: Sequence[Sequence[str | None]], spread: Spread) -> Column:
    """Labels and the predictions of the same rows. A row with anything but numbers, or with probabilities that are none
    or do not add up to 1, has no prediction.
    """
    import numpy as np

    classes = {label: float(place) for place, label in enumerate(_classes(cells))}
    labels: list[float] = []
    kept: list[int] = []
    found: list[list[float]] = []
    for cell, row in zip(cells, rows, strict=True):
        label = label_of(cell)
        if label is None:
            continue
        if not spread.classes and not isinstance(label, float):
            raise UnfitLabels(f"labels are not numeric, the first {cell[:40]!r}")
        labels.append(classes[label] if spread.classes else float(label))
        numbers = [number for text in row if text is not None and isinstance(number := label_of(text), float)]
        if len(numbers) == len(row) and _fits(numbers, spread):
            kept.append(len(labels) - 1)
            found.append(numbers)
    if not labels:
        raise UnfitLabels("no labels")
    every, lost = np.array(labels), len(labels) - len(kept)
    table = np.array(found).reshape(len(kept), len(rows[0]))
    return Column(every, every[kept], table, f"{lost} rows without usable predictions" if lost else "")


def _fits(numbers: Sequence[float], spread: Spread) -> bool:
    if not spread.probabilities:
        return True
    return all(0 <= number <= 1 for number in numbers) and abs(math.fsum(numbers) - 1) <= _SUM


def value_of(spread: Spread, column: Column) -> float:
    """The metric; MetricFailed says why there is none."""
    try:
        found = float(spread.measure(column.gold, column.found))
    except (ValueError, ZeroDivisionError, IndexError) as error:
        raise MetricFailed(f"cannot be computed: {error}"[:200]) from error
    if not math.isfinite(found):
        raise MetricFailed("has no value for these predictions")
    return found


def _one_hot(labels: Any, width: int) -> Any:
    import numpy as np

    return np.eye(width)[labels.astype(int)]


def _roc_auc(labels: Any, found: Any) -> float:
    """The mean over classes of the area under the curve of one against the rest."""
    import numpy as np

    areas = [
        METRICS["roc_auc"].value((labels == place).astype(float), found[:, place]) for place in range(found.shape[1])
    ]
    return float(np.mean(areas))


def _log_loss(labels: Any, found: Any) -> float:
    import numpy as np

    shares = np.clip(found, 1e-15, None)
    shares = shares / shares.sum(axis=1, keepdims=True)
    return float(-np.log(shares[np.arange(len(labels)), labels.astype(int)]).mean())


def _brier(labels: Any, found: Any) -> float:
    return float(((found - _one_hot(labels, found.shape[1])) ** 2).sum(axis=1).mean())


def _crps(labels: Any, found: Any) -> float:
    """The continuous ranked probability score of an ensemble (Gneiting and Raftery 2007), its members as they are."""
    import numpy as np

    ordered = np.sort(found, axis=1)
    count = ordered.shape[1]
    weights = 2 * np.arange(1, count + 1) - count - 1
    within = (ordered * weights).sum(axis=1) / count**2
    return float((np.abs(found - labels[:, None]).mean(axis=1) - within).mean())


def _shares(measure: Callable[[Any, Any], float]) -> Callable[[Any], float]:
    """What the classes' own shares score, predicted for every row."""

    def uninformed(labels: Any) -> float:
        import numpy as np

        shares = np.bincount(labels.astype(int)) / len(labels)
        return measure(labels, np.tile(shares, (len(labels), 1)))

    return uninformed


def _median(labels: Any) -> float:
    import numpy as np

    return float(np.abs(labels - np.median(labels)).mean())


SPREADS: Mapping[str, Spread] = {
    "roc_auc": Spread(_roc_auc, 1.0, lambda _: 0.5),
    "log_loss": Spread(_log_loss, 0.0, _shares(_log_loss), probabilities=True),
    "brier": Spread(_brier, 0.0, _shares(_brier), probabilities=True),
    "crps": Spread(_crps, 0.0, _median, classes=False),
}
