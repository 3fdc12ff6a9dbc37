"""Series that are too long to be written out: what is told of their numbers, as a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from benchwright.files import sha256
from benchwright.scorers.chart.numbers import column
from benchwright.scorers.chart.panels import Series, UnreadableChart

if TYPE_CHECKING:
    import numpy as np

_QUANTILES: Final = 21
_PARTS: Final = 64
"""As the capture writes them."""


def long_series(item: Mapping[str, Any], label: str) -> Series | None:
    """A series of which a column is summarised: quantiles and means of parts of every column; None of any other.

    A column that was written out is summarised, too: which ones are depends on what else a figure shows.
    """
    import numpy as np

    if not any(isinstance(value, dict) and "sha256" in value for value in item.values()):
        return None
    told: list[str] = []
    numbers: list[Any] = []
    for name, value in sorted(item.items()):
        if isinstance(value, dict) and "sha256" in value:
            told.append(f"{name}: {value.get('count')} numbers, {value.get('missing')} missing")
            found = [column(value.get(part, [])) for part in ("quantiles", "parts")]
            numbers.append(np.concatenate(found) if len(found[1]) else _digest(str(value["sha256"])))
        elif isinstance(value, list) and any(isinstance(cell, str) and cell not in {"inf", "-inf"} for cell in value):
            told.append(f"{name}: {sha256(json.dumps(value).encode())}")
        elif isinstance(value, list):
            given = column(value)
            told.append(f"{name}: {len(given)} numbers, {int(np.isnan(given).sum())} missing")
            numbers.append(_sketch(given))
    return Series(str(item["kind"]), label, np.concatenate(numbers)[:, None], ordered=True, summary="; ".join(told))


def _digest(sha256: str) -> np.ndarray[Any, Any]:
    """What stands for numbers of which nothing else is told."""
    import numpy as np

    try:
        return np.array([float(int(sha256[place : place + 8], 16)) for place in range(0, 64, 8)])
    except ValueError as error:
        raise UnreadableChart("a summary has no digest") from error


def _sketch(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    import numpy as np

    finite = values[np.isfinite(values)]
    quantiles = np.quantile(finite, np.linspace(0, 1, _QUANTILES)) if finite.size else np.empty(0)
    parts = [part[np.isfinite(part)] for part in np.array_split(values, _PARTS)]
    return np.concatenate([quantiles, [float(part.mean()) if part.size else np.nan for part in parts]])
