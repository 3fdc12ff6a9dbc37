"""The cells of a column as the published table rule sees them: rounded to buckets, lower-cased, or missing."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.scorers.reference.agentic_data_bench.calls import Release

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

MISSING = "__NA__"
_ABSOLUTE = 0.01
_RELATIVE = 0.01
_ZERO = 1e-12
_DOUBT = 1e-6
"""How near to the middle between two buckets a vectorised logarithm is not trusted to its last digit."""
_EXACT = 2**53
"""Whole numbers up to here are exact as floats."""


class Tolerance(NamedTuple):
    """How far two numbers may differ, and in which release: each has relative buckets of its own."""

    size: float
    relative: bool
    release: Release = "july"

    @classmethod
    def of(cls, column: int, thresholds: dict[int, Any], release: Release) -> Tolerance:
        """0.01, absolute, for a column that is not listed; relative for one that is, 0.01 where it says None."""
        if column not in thresholds:
            return cls(_ABSOLUTE, False, release)
        size = thresholds[column]
        return cls(_RELATIVE if size is None else size, True, release)


class Column:
    """One column of a table: its cells, and their normal forms by tolerance, made once.

    Numbers are computed on in bulk; the results are bit for bit those of Python's own arithmetic on each cell.
    """

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self._values = values
        self._numeric = values.dtype.kind in "fiub"
        self._lists: dict[Tolerance, list[Hashable]] = {}
        self._sets: dict[Tolerance, frozenset[Hashable]] = {}

    def __len__(self) -> int:
        return len(self._values)

    def first(self, count: int) -> Column:
        """The column cut to its first cells."""
        return self if len(self) <= count else Column(self._values[:count])

    def forms(self, tolerance: Tolerance) -> list[Hashable]:
        """The normal form of each cell, in order. An infinity is an OverflowError."""
        if tolerance not in self._lists:
            self._lists[tolerance] = _forms(self._values, self._numeric, tolerance)
        return self._lists[tolerance]

    def distinct(self, tolerance: Tolerance) -> frozenset[Hashable]:
        """The different normal forms. An infinity is an OverflowError."""
        if tolerance not in self._sets:
            self._sets[tolerance] = frozenset(_forms(_unique(self._values, self._numeric), self._numeric, tolerance))
        return self._sets[tolerance]

    def sorted_forms(self, tolerance: Tolerance) -> list[Hashable]:
        """The normal forms by their texts, missing cells last."""
        return sorted(self.forms(tolerance), key=lambda form: (form == MISSING, str(form)))

    def pairs_with(self, other: Column, tolerance: Tolerance) -> bool:
        """Whether this (gold) column agrees with another one cell by cell."""
        if len(self) != len(other):
            return False
        if self._numeric and other._numeric and not (tolerance.relative and self._inexact(other)):
            return _agree(self._values, other._values, tolerance)
        return all(_pair(*cells, tolerance) for cells in zip(self.cells(), other.cells(), strict=True))

    def cells(self) -> list[Any]:
        """The cells as Python values; a missing one is NaN."""
        found: list[Any] = self._values.tolist()
        return found

    def _inexact(self, other: Column) -> bool:
        """Whether differences of whole numbers may be lost in floats."""
        sides = self._values, other._values
        return all(values.dtype.kind in "iu" for values in sides) and any(map(_beyond_exact, sides))


def columns_of(frame: pd.DataFrame) -> list[Column]:
    """The columns as a transposed frame holds them: mixed whole and fractional numbers all become fractional."""
    values = frame.to_numpy()
    if values.dtype.kind == "O":  # then nothing was converted, and the columns' own numbers are quicker
        return [Column(_own(frame.iloc[:, place], values[:, place])) for place in range(frame.shape[1])]
    return [Column(values[:, place]) for place in range(frame.shape[1])]


def _own(series: pd.Series[Any], cells: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    own: np.ndarray[Any, Any] = series.to_numpy() if getattr(series.dtype, "kind", "O") in "fiub" else cells
    return own


def _beyond_exact(values: np.ndarray[Any, Any]) -> bool:
    return bool(len(values)) and max(abs(int(values.max())), abs(int(values.min()))) > _EXACT


def _unique(values: np.ndarray[Any, Any], numeric: bool) -> np.ndarray[Any, Any]:
    if not numeric:  # the forms of equal cells are made once anyway
        return values
    import pandas as pd

    found: np.ndarray[Any, Any] = pd.unique(values)
    return found


def _forms(values: np.ndarray[Any, Any], numeric: bool, tolerance: Tolerance) -> list[Hashable]:
    if not numeric:
        cells = values.tolist()
        made = {cell: _form(cell, tolerance) for cell in dict.fromkeys(cells)}
        return [made[cell] for cell in cells]
    import numpy as np

    with np.errstate(all="ignore"):
        numbers = values.astype(np.float64)
        missing = np.isnan(numbers)
        shown = np.where(missing, 1.0, numbers)
        found = _relative(shown, tolerance) if tolerance.relative else _rounded(shown, tolerance.size).tolist()
    if missing.any():
        return [MISSING if gone else form for gone, form in zip(missing.tolist(), found, strict=True)]
    return found


def _rounded(numbers: np.ndarray[Any, Any], size: np.ndarray[Any, Any] | float) -> np.ndarray[Any, Any]:
    """To the nearest multiple of `size`, halves to the even one."""
    import numpy as np

    quotients = numbers / size
    if not np.isfinite(quotients).all():
        raise OverflowError("cannot convert float infinity to integer")
    found: np.ndarray[Any, Any] = np.rint(quotients) * size + 0.0  # -0.0 becomes 0.0
    return found


def _relative(numbers: np.ndarray[Any, Any], tolerance: Tolerance) -> list[Hashable]:
    import numpy as np

    size = tolerance.size
    if tolerance.release == "april":
        widths = np.where(numbers == 0, size, np.abs(numbers) * size)
        if (widths == 0).any():
            raise ZeroDivisionError("float division by zero")
        own: list[Hashable] = _rounded(numbers, widths).tolist()
        return own
    if size <= 0:
        return [("rel", number or 0.0) for number in numbers.tolist()]
    zero = numbers == 0
    whole = _logarithmic(np.where(zero, 1.0, np.abs(numbers)), math.log1p(size))
    signs = np.where(numbers > 0, 1, -1).tolist()
    return [
        ("rel", 0.0) if nothing else ("rel", sign, bucket)
        for nothing, sign, bucket in zip(zero.tolist(), signs, whole, strict=True)
    ]


def _logarithmic(numbers: np.ndarray[Any, Any], width: float) -> list[int]:
    """The bucket of each number on a logarithmic grid. The last digit of a logarithm decides at the buckets' edges,
    and there libraries differ: what lies near an edge is computed again as the published rule does.
    """
    import numpy as np

    quotients = np.log(numbers) / width
    if not np.isfinite(quotients).all():
        raise OverflowError("cannot convert float infinity to integer")
    if (np.abs(quotients) > _EXACT).any():  # there, whole numbers of numpy end
        return [round(math.log(number) / width) for number in numbers.tolist()]
    found: list[int] = np.rint(quotients).astype(np.int64).tolist()
    edges = np.abs(np.abs(quotients - np.floor(quotients)) - 0.5) < _DOUBT
    for place in np.flatnonzero(edges).tolist():
        found[place] = round(math.log(float(numbers[place])) / width)
    return found


def _form(cell: Any, tolerance: Tolerance) -> Hashable:
    """The normal form of one cell of a column that is not all numbers."""
    if isinstance(cell, str):
        return cell.lower().strip()
    if cell is None or cell != cell:  # noqa: PLR0124 - NaN
        return MISSING
    return _number_form(cell, tolerance) if isinstance(cell, int | float) else cell


def _number_form(number: float, tolerance: Tolerance) -> Hashable:
    size = tolerance.size
    if not tolerance.relative or tolerance.release == "april":
        width = abs(number) * size if tolerance.relative and number else size
        return round(number / width) * width
    if number == 0 or size <= 0:
        return ("rel", float(number) or 0.0)
    return ("rel", 1 if number > 0 else -1, round(math.log(abs(number)) / math.log1p(size)))


def _agree(gold: np.ndarray[Any, Any], found: np.ndarray[Any, Any], tolerance: Tolerance) -> bool:
    import numpy as np

    with np.errstate(all="ignore"):
        ours, theirs = gold.astype(np.float64), found.astype(np.float64)
        apart, largest = np.abs(ours - theirs), np.maximum(np.abs(ours), np.abs(theirs))
        if tolerance.relative:
            ours_zero, theirs_zero = np.abs(ours) < _ZERO, np.abs(theirs) < _ZERO
            too_far = ~(ours_zero | theirs_zero) & (apart / largest > tolerance.size)
            wrong = (ours_zero ^ theirs_zero) | too_far
        else:
            close = (ours == theirs) | (np.isfinite(apart) & (apart <= np.maximum(1e-9 * largest, tolerance.size)))
            wrong = ~close
        return not (wrong & ~(np.isnan(ours) & np.isnan(theirs))).any()


def _pair(gold: Any, found: Any, tolerance: Tolerance) -> bool:
    """Whether two cells agree where not all are numbers."""
    if isinstance(gold, int | float) and isinstance(found, int | float):
        if gold != gold and found != found:  # noqa: PLR0124 - both NaN
            return True
        if tolerance.relative:
            return _near(gold, found, tolerance.size)
        return math.isclose(float(gold), float(found), abs_tol=tolerance.size)
    if isinstance(gold, str) and isinstance(found, str):
        return gold.lower().strip() == found.lower().strip()
    return bool(gold == found)


def _near(gold: float, found: float, size: float) -> bool:
    if abs(gold) < _ZERO or abs(found) < _ZERO:
        return abs(gold) < _ZERO and abs(found) < _ZERO
    # so written that NaN on one side passes, as published
    return not abs(gold - found) / max(abs(gold), abs(found)) > size


def shown(forms: Iterable[Hashable]) -> str:
    """Some normal forms as text, in a fixed order."""
    return ", ".join(sorted(str(form[-1] if isinstance(form, tuple) else form) for form in forms)[:20])
