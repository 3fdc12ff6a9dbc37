"""One table cell against another: missing, truth values, numbers, moments and text, each by its own rule."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from benchwright.scorers.compare.dates import DATE, TIME, Moment, read_moment, same_moment
from benchwright.scorers.compare.numbers import (
    Convention,
    Number,
    NumberRule,
    compare_numbers,
    number_pattern,
    read_number,
)
from benchwright.scorers.compare.text import fold, normalise

MISSING_WORDS = frozenset({"nan", "nat", "<na>", "none", "null", "#n/a"})
"""Spellings of a missing value. `NA` is not one: it is Namibia, sodium, or North America."""
_FOUND_MISSING = MISSING_WORDS | {"na", "n/a", "-", ""}

_NUMBERS: dict[Convention, re.Pattern[str]] = {
    convention: re.compile(number_pattern(convention, spaced=True), re.IGNORECASE) for convention in ("point", "comma")
}
_MOMENT = re.compile(f"{DATE}|{TIME}", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?\Z")
_DIGIT = re.compile(r"\d")
_LEADING_ZERO = re.compile(r"^0\d+$")
_MAX_TYPED = 400
"""Longer cells are text."""


@dataclass(frozen=True, slots=True)
class Missing:
    """No value."""


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false."""

    value: bool


@dataclass(frozen=True, slots=True)
class Text:
    """Words, folded: case, accents and runs of spaces do not count."""

    value: str


Cell = Missing | Truth | Number | Moment | Text


@lru_cache(maxsize=200_000)
def read_cell(text: str, convention: Convention = "point") -> Cell:
    """The typed value of a cell's text. Digits with a leading zero (00123) are an identifier, and so text."""
    if _PLAIN_NUMBER.match(text):
        return _plain_number(text)
    plain = normalise(text)
    low = plain.casefold()
    if not plain or low in MISSING_WORDS:
        return Missing()
    if low in {"true", "false"}:
        return Truth(low == "true")
    if len(plain) > _MAX_TYPED or _LEADING_ZERO.match(plain):
        return Text(fold(plain))
    if not _DIGIT.search(plain):
        return Text(fold(plain))
    return _number(plain, convention) or _moment(plain) or Text(fold(plain))


def _plain_number(text: str) -> Number:
    """The common case, fast: digits with a point."""
    value = Decimal(text)
    places = len(text.partition(".")[2])
    return Number(value, Decimal(1).scaleb(-places), plain=text if text.isdigit() else "")


def _number(plain: str, convention: Convention) -> Number | None:
    match = _NUMBERS[convention].fullmatch(plain)
    return read_number(match, convention) if match else None


def _moment(plain: str) -> Moment | None:
    match = _MOMENT.fullmatch(plain)
    return read_moment(match) if match else None


@dataclass(frozen=True, slots=True)
class CellRule:
    """How exactly the cells of one column are compared.

    `places`: the most decimals that the gold column has, so that 828.0 may stand as 828. Further digits that round
    to the gold are right. `absolute` and `relative` are tolerances; the default is what float arithmetic leaves.
    `percent`: the column holds percentages, so that 12.5% may stand for 12.5. `truths`: 1 and 0 may stand for true
    and false.
    """

    places: int = 0
    absolute: Decimal = Decimal(0)
    relative: Decimal = Decimal("1e-9")
    percent: bool = False
    truths: bool = False

    def numbers(self, *, percent: bool = False) -> NumberRule:
        """The same as a rule for numbers; `percent`: for those that are read as percentages."""
        return NumberRule(
            places=frozenset({self.places}),
            measured=False,
            money=True,
            percent=percent,
            bare_percent=percent,
            fractions=True,
            absolute=self.absolute,
            relative=self.relative,
        )


def cell_fault(gold: str, found: str, rule: CellRule) -> str:
    """Why a cell is wrong; empty if it says what the gold says."""
    left = _stated(read_cell(gold), rule)
    if isinstance(left, Missing):
        return "" if normalise(found).casefold() in _FOUND_MISSING else "a value where none is"
    faults = [_fault(left, read_cell(found), rule)]
    if faults[0] and "," in found:
        faults.append(_fault(left, read_cell(found, "comma"), rule))
    if isinstance(left, Text) and fold(normalise(found)) == left.value:
        return ""
    return "" if "" in faults else faults[0]


def _stated(cell: Cell, rule: CellRule) -> Cell:
    """A number with as many decimals as its column has: 828 among decimals is 828.0."""
    if isinstance(cell, Number) and rule.places:
        return replace(cell, quantum=min(cell.quantum, Decimal(1).scaleb(-rule.places)))
    return cell


def _fault(left: Cell, right: Cell, rule: CellRule) -> str:
    if isinstance(right, Missing):
        return "missing"
    if isinstance(left, Number) and isinstance(right, Number):
        readings = [compare_numbers(left, right, rule.numbers(percent=percent)) for percent in {False, rule.percent}]
        return "" if any(not reading.fault for reading in readings) else readings[0].fault
    if isinstance(left, Moment) and isinstance(right, Moment):
        return "" if same_moment(left, right) else "another date"
    if isinstance(left, (Truth, Number)) and isinstance(right, (Truth, Number)) and type(left) is not type(right):
        return "" if rule.truths and left.value == right.value else "a number for a truth value, or the reverse"
    if type(left) is not type(right):
        return "another kind of value"
    return "" if left == right else "another value"


def decimals(text: str) -> int:
    """How many decimals a cell's number has; 0 for anything else."""
    if _PLAIN_NUMBER.match(text):
        return len(text.partition(".")[2])
    cell = read_cell(text)
    return max(0, -int(cell.quantum.logb())) if isinstance(cell, Number) else 0


def sort_key(text: str) -> tuple[int, float, str]:
    """A key that is equal for equal cells and sorts numbers by size, to pair rows before they are compared."""
    cell = read_cell(text)
    if isinstance(cell, Number):
        return 0, float(cell.value), ""
    return 1, 0.0, cell.value if isinstance(cell, Text) else str(cell)


def is_number(text: str) -> bool:
    """Whether a cell holds a number."""
    return isinstance(read_cell(text), Number)
