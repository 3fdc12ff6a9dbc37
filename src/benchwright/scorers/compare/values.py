"""One JSON value without parts against another: null, truth values, numbers and text, each by its own rule."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from benchwright.scorers.compare.cells import CellRule, Missing, Text, cell_fault, read_cell
from benchwright.scorers.compare.dates import Moment
from benchwright.scorers.compare.documents import Ambiguous
from benchwright.scorers.compare.numbers import Number
from benchwright.scorers.compare.text import fold, normalise

_AROUND_ZERO = 1e-12
"""What arithmetic leaves where the gold is exactly 0, which no relative tolerance covers."""
_NOISE = 1.001e-9
"""What another program's arithmetic may change in a number with decimals: 1e-9, and what a double leaves of that."""
_EXACT_TEXT = CellRule(relative=Decimal(0))


class Absent:
    """What is found where an object has no such key, or a list no such item."""


ABSENT = Absent()


def kind_of(value: Any) -> str:
    """The JSON kind of a value, in a word."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "null"
    kinds = (
        (bool, "truth value"),
        (int | float, "number"),
        (str, "text"),
        (list, "list"),
        (dict, "object"),
        (Ambiguous, "key given twice"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), "nothing")


def value_fault(gold: Any, found: Any, relative: float) -> str:
    """Why a value is wrong; empty if it says what the gold says. `gold` is neither a list nor an object.

    null and NaN say the same: that there is no value. A truth value is no number, and digits in quotes are text.
    """
    if found is ABSENT:
        return "missing"
    if isinstance(found, Ambiguous):
        return "several keys of that name"
    wanted, there = kind_of(gold), kind_of(found)
    if wanted != there:
        return f"a {there} where a {wanted} is expected" if there != "null" else "null where a value is expected"
    if wanted == "number":
        return "" if numbers_agree(gold, found, relative) else "another value"
    if wanted == "text":
        return text_fault(gold, found)
    return "" if gold == found or wanted == "null" else "another value"


def range_fault(found: Any, low: float, high: float) -> str:
    """Why a value does not lie in a range, both ends included."""
    if found is ABSENT:
        return "missing"
    if kind_of(found) != "number":
        return f"a {kind_of(found)} where a number is expected"
    return "" if low <= found <= high and not math.isinf(found) else "out of range"


def numbers_agree(gold: float, found: float, relative: float) -> bool:
    """Whether a number is the gold or within `relative` of it; noise of 1e-9 is no difference between decimals.

    Whole numbers are compared exactly, however long.
    """
    if gold == found:
        return True
    if isinstance(gold, int) and isinstance(found, int):
        return abs(found - gold) <= Fraction(str(relative)) * abs(gold)
    try:
        wanted, there = float(gold), float(found)
    except OverflowError:  # a whole number beyond the range of a double, against a float
        return False
    if math.isinf(wanted) or math.isinf(there):
        return False
    if wanted == 0:
        return abs(there) <= _AROUND_ZERO
    return abs(there - wanted) <= max(relative * (1 + 1e-12), _NOISE) * abs(wanted)


def text_fault(gold: str, found: str) -> str:
    """Why a text is wrong: case, accents and runs of spaces do not count, and dates and numbers go by what they say."""
    if gold == found or fold(normalise(gold)) == fold(normalise(found)):
        return ""
    if isinstance(read_cell(gold), Missing | Text):
        return "another text"
    return cell_fault(gold, found, _EXACT_TEXT)


def identity(value: Any) -> Any:
    """A hashable form, equal for values that name the same thing: `7`, `7.0` and `"7"`; `"Rome"` and `"rome "`."""
    if isinstance(value, str):
        cell = read_cell(value)
        if isinstance(cell, Number):
            return "number", cell.value
        if isinstance(cell, Moment):
            return "moment", (cell.year, cell.month, cell.day, cell.seconds or 0.0)
        return "text", fold(normalise(value))
    kind = kind_of(value)
    if kind == "null":
        return (kind,)
    if kind == "number":
        return kind, Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return (kind, value) if kind == "truth value" else (kind, repr(value))
