"""Numbers of a description, which an agent may have written: checked, and as arrays."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from benchwright.scorers.chart.panels import UnreadableChart

if TYPE_CHECKING:
    import numpy as np

_INFINITIES: Final = {"inf": math.inf, "-inf": -math.inf}


def members(value: Any) -> Mapping[str, Any]:
    """A JSON object; anything else is one without members."""
    return value if isinstance(value, dict) else {}


def among(value: Any, known: Collection[object]) -> bool:
    """Whether a JSON value of any kind is one of some texts, numbers and truth values."""
    return not isinstance(value, list | dict) and value in known


def listed(value: Any) -> list[Any]:
    """A JSON list; anything else is an empty one."""
    return value if isinstance(value, list) else []


def number(value: Any) -> float:
    """One number: null is NaN."""
    if value is None:
        return math.nan
    if isinstance(value, str) and value in _INFINITIES:
        return _INFINITIES[value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnreadableChart(f"{str(value)[:40]!r} stands where a number should")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def column(value: Any) -> np.ndarray[Any, Any]:
    """A list of numbers as a flat array; a matrix is laid out row by row."""
    import numpy as np

    if not isinstance(value, list):
        raise UnreadableChart("a series is no list of numbers")
    if value and isinstance(value[0], list):
        return np.concatenate([column(row) for row in value])
    return np.array([number(item) for item in value], dtype=float)


def matrix(value: Any) -> np.ndarray[Any, Any]:
    """A list of equally long lists of numbers."""
    import numpy as np

    if not isinstance(value, list) or not value or not all(isinstance(row, list) for row in value):
        raise UnreadableChart("a matrix is no list of rows")
    if len({len(row) for row in value}) != 1:
        raise UnreadableChart("a matrix has rows of several lengths")
    return np.array([[number(item) for item in row] for row in value], dtype=float)


def columns(*values: Any) -> np.ndarray[Any, Any]:
    """Several lists of one length side by side."""
    import numpy as np

    found = [column(value) for value in values]
    if len({len(one) for one in found}) != 1:
        raise UnreadableChart("the columns of a series have several lengths")
    return np.stack(found, axis=1)
