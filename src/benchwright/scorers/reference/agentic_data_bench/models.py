"""The published comparison of predictions: rows aligned, a metric computed, its value put on a scale of bounds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.scorers.reference.agentic_data_bench.calls import Call, Verdict
from benchwright.scorers.reference.agentic_data_bench.metrics import Measured, metric_named

if TYPE_CHECKING:
    import pandas as pd

_LOWER_IS_BETTER = frozenset("logloss_class logloss_total rmsle mae mse smape medae crps ks".split())


class _Aligned(NamedTuple):
    found: pd.DataFrame
    gold: pd.DataFrame
    share: float = 1.0
    """Of the gold's rows, those that have partners."""


def compare_model(call: Call) -> Verdict:
    """A metric's value between two bounds, from 0 to 1. What fails inside a metric is 0.0 before it is put on the
    scale, so that an error metric that failed is the best there is: as published.

    Raises ValueError where keys of different types are to be joined, as pandas does.
    """
    found, gold = _read(call.output), _read(call.golds[0] if len(call.golds) == 1 else None)
    if found is None or gold is None:
        return Verdict(0.0, "the output cannot be read" if found is None else "the gold cannot be read")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        aligned = _align(found, gold, call.arguments.get("matched_columns"))
        if isinstance(aligned, str):
            return Verdict(0.0, aligned)
        chosen = _choose(aligned, call.arguments.get("calculate_columns"))
        if isinstance(chosen, str):
            return Verdict(0.0, chosen)
        measured = _measure(*chosen, call)
    if isinstance(measured, str):
        return Verdict(0.0, measured)
    value = _between(measured.value, call) * aligned.share
    missing = f"{aligned.share:.1%} of the gold's rows have partners" if aligned.share < 1.0 else ""
    return Verdict(float(value), "; ".join(filter(None, (measured.failure, missing))))


def _read(path: Path | None) -> pd.DataFrame | None:
    import pandas as pd

    try:
        return None if path is None else pd.read_csv(path)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - whatever it is, the published rule takes it for no table
        return None


def _align(found: pd.DataFrame, gold: pd.DataFrame, columns: Sequence[Any] | None) -> _Aligned | str:
    """Rows side by side: by place, by equal cells at the same place, or joined by named columns."""
    if columns is None:
        return _Aligned(found, gold) if len(found) == len(gold) else f"{len(found)} rows, the gold has {len(gold)}"
    if all(isinstance(column, int) for column in columns):
        return _align_by_place(found, gold, columns)
    lost = [column for column in columns if column not in found.columns or column not in gold.columns]
    if lost:
        return f"no column {', '.join(map(str, lost))}"
    merged = found.merge(gold, on=list(columns), how="inner", suffixes=("_result", "_gold"))
    if len(merged) == 0:
        return "no row has a partner"
    return _Aligned(
        _side(merged, "_result", columns), _side(merged, "_gold", columns), min(1.0, len(merged) / len(gold))
    )


def _side(merged: pd.DataFrame, suffix: str, keys: Sequence[Any]) -> pd.DataFrame:
    """The columns of one side, without its suffix, wherever in the name that stands: as published."""
    names = [name for name in merged.columns if name.endswith(suffix) or name in keys]
    plain = {name: name.replace(suffix, "") for name in names if name.endswith(suffix)}
    return merged[names].rename(columns=plain)


def _align_by_place(found: pd.DataFrame, gold: pd.DataFrame, places: Sequence[int]) -> _Aligned | str:
    import numpy as np

    if max(places) >= min(len(found.columns), len(gold.columns)):
        return f"no column {max(places)}"
    if len(found) != len(gold):
        return f"{len(found)} rows, the gold has {len(gold)}"
    equal = np.all(found.iloc[:, list(places)].to_numpy() == gold.iloc[:, list(places)].to_numpy(), axis=1)
    if not equal.any():
        return "no row has its keys at its place"
    return _Aligned(found[equal].reset_index(drop=True), gold[equal].reset_index(drop=True))


def _choose(aligned: _Aligned, columns: Sequence[Any] | None) -> tuple[pd.DataFrame, pd.DataFrame] | str:
    found, gold, _ = aligned
    if not columns:
        return found, gold
    if all(isinstance(column, int) for column in columns):
        if max(columns) >= min(len(found.columns), len(gold.columns)):
            return f"no column {max(columns)}"
        return found.iloc[:, list(columns)], gold.iloc[:, list(columns)]
    lost = [column for column in columns if column not in found.columns]
    if lost:
        return f"no column {', '.join(map(str, lost))}"
    return found[list(columns)], gold[[column for column in columns if column in gold.columns] or list(columns)]


def _measure(found: pd.DataFrame, gold: pd.DataFrame, call: Call) -> Measured | str:
    """The metric's value; several columns lose their names and become one array, which most metrics do not take."""
    name = call.arguments.get("metric", "accuracy")
    metric = metric_named(name.lower().strip().replace(" ", "_"), call.release) if isinstance(name, str) else None
    if metric is None:
        return f"there is no metric {name!r}"
    try:
        if len(found.columns) > 1:
            return metric(found.to_numpy().flatten(), gold.to_numpy().flatten())
        return metric(found.iloc[:, 0], gold.iloc[:, 0])
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a metric that raises is 0 as published
        return f"the metric {name} failed: {type(error).__name__}: {error}"


def _between(value: Any, call: Call) -> float:
    low, high = call.arguments.get("lower_bound", 0.0), call.arguments.get("upper_bound", 1.0)
    if call.arguments.get("metric", "accuracy") in _LOWER_IS_BETTER and low < high:
        low, high = high, low
    if high == low:
        return 1.0 if value == low else 0.0
    # the order of arguments decides what becomes of NaN
    return float(max(0.0, min(1.0, (value - low) / (high - low))))
