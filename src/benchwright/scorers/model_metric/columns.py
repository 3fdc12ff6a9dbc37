"""Labels and predictions of one column as arrays that a metric takes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from benchwright.scorers.compare.cells import Missing, Text, Truth, read_cell
from benchwright.scorers.compare.numbers import Number
from benchwright.scorers.compare.table_rule import NOISE
from benchwright.scorers.model_metric.metrics import Needs

_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9]\d*)\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?\Z", re.ASCII)
Label = float | bool | str


class UnfitLabels(Exception):
    """A gold column that a metric cannot be computed on, with the reason."""


@dataclass(frozen=True, slots=True)
class Column:
    """All labels of a column; those with a usable prediction, and these predictions (one of each, or a row of several);
    and what was not usable.
    """

    labels: Any
    gold: Any
    found: Any
    unfit: str = ""

    @property
    def coverage(self) -> float:
        """The share of labels that have a usable prediction."""
        return len(self.found) / len(self.labels)


def read_columns(gold: Sequence[str], found: Sequence[str | None], needs: Needs) -> Column:
    """Labels and predictions of the same rows; None where there is no prediction. Rows without a label do not count.

    A prediction that is not what the metric needs (text for a number, an infinity, a probability above 1) is none.
    UnfitLabels says what is wrong with the labels.
    """
    pairs = [(label, text) for cell, text in zip(gold, found, strict=True) if (label := label_of(cell)) is not None]
    if not pairs:
        raise UnfitLabels("no labels")
    labels = [label for label, _ in pairs]
    predictions = [None if text is None else label_of(text) for _, text in pairs]
    if needs == "classes":
        return _classes(labels, predictions)
    return _numbers(_targets(labels, needs), predictions, needs, all(isinstance(label, bool) for label in labels))


def _classes(labels: Sequence[Label], predictions: Sequence[Label | None]) -> Column:
    """Classes as small whole numbers."""
    import numpy as np

    yes_and_no = all(label in (0, 1) for label in labels)
    golds = [_class(label, yes_and_no) for label in labels]
    founds = [None if label is None else _class(label, yes_and_no) for label in predictions]
    numbers = {label: number for number, label in enumerate(dict.fromkeys([*golds, *founds]))}
    kept = [(numbers[gold], numbers[found]) for gold, found in zip(golds, founds, strict=True) if found is not None]
    table = np.array(kept, dtype=int).reshape(-1, 2)
    return Column(np.array([numbers[label] for label in golds], dtype=int), table[:, 0], table[:, 1])


def _class(label: Label, yes_and_no: bool) -> float | str:
    """True and 1 are one class where the gold has but two, which it writes in either way; otherwise they are two."""
    if not isinstance(label, bool):
        return label
    return float(label) if yes_and_no else str(label).casefold()


def _targets(labels: Sequence[Label], needs: Needs) -> list[float]:
    """Labels as numbers; of two classes the greater one is 1."""
    if needs in {"scores", "probabilities"}:
        named = [_class(label, yes_and_no=True) for label in labels]
        classes = sorted(set(named), key=lambda name: (isinstance(name, str), name))
        if len(classes) != 2:
            raise UnfitLabels(f"{len(classes)} classes where two are needed")
        return [float(name == classes[1]) for name in named]
    odd = [label for label in labels if isinstance(label, str)]
    if odd:
        raise UnfitLabels(f"labels are not numeric, the first {odd[0][:40]!r}")
    return [float(label) for label in labels]


def _numbers(targets: Sequence[float], predictions: Sequence[Label | None], needs: Needs, truths: bool) -> Column:
    """Predictions as numbers; truth values are some only where the labels are truth values, too."""
    import numpy as np

    kept: list[tuple[float, float]] = []
    lost: list[Label] = []
    for target, found in zip(targets, predictions, strict=True):
        if found is None:
            continue
        if _fits(found, needs, truths):
            kept.append((target, float(found)))
        else:
            lost.append(found)
    table = np.array(kept, dtype=float).reshape(-1, 2)
    if needs not in {"scores", "probabilities"}:  # what float arithmetic leaves of a label is the label
        noise = np.abs(table[:, 1] - table[:, 0]) <= float(NOISE) * np.abs(table[:, 0])
        table[noise, 1] = table[noise, 0]
    wanted = "between 0 and 1" if needs == "probabilities" else "numeric"
    unfit = f"{len(lost)} predictions are not {wanted}, the first {str(lost[0])[:40]!r}" if lost else ""
    return Column(np.array(targets, dtype=float), table[:, 0], table[:, 1], unfit)


def _fits(found: Label, needs: Needs, truths: bool) -> bool:
    if isinstance(found, str) or (isinstance(found, bool) and not truths):
        return False
    return needs != "probabilities" or 0 <= found <= 1


@lru_cache(maxsize=100_000)
def label_of(text: str) -> Label | None:
    """A cell as a number, a truth value or folded text; None for no value. Infinities are text: no metric takes them.

    Digits with a leading zero are text, too: a name and no number.
    """
    if _FLOAT.match(text):
        number = float(text)
        return number if math.isfinite(number) else text
    cell = read_cell(text)
    if isinstance(cell, Missing):
        return None
    if isinstance(cell, Truth):
        return cell.value
    if isinstance(cell, Number) and not cell.currency:
        return float(cell.value) / (100 if cell.percent else 1)
    return cell.value if isinstance(cell, Text) else text
