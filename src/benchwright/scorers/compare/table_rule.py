"""The options of a check that compares tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from benchwright.errors import SuiteError
from benchwright.scorers.compare.column_names import bare
from benchwright.scorers.options import known_options, one_of

NOISE = Decimal("1.001e-9")
"""The share of a number that float arithmetic may cost, 1e-9 and what rounding adds to it.

It is always allowed, but for whole numbers, which are exact."""
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "order": ("any", "given", "sorted"),
    "credit": ("all", "cells", "columns"),
    "names": ("stated", "free"),
}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a number may be off: by an amount, or by a share of the gold; the larger one counts."""

    absolute: Decimal = Decimal(0)
    relative: Decimal = NOISE


@dataclass(frozen=True, slots=True)
class TableRule:
    """How two tables are compared.

    `columns`: gold columns that count (default: all). `key`: columns that identify a row. `order`: "any" (default),
    "given", or "sorted": as given, but rows with equal `sorted_by` cells may change places. `absolute`, `relative`:
    tolerances of numbers, which `tolerances` replaces for single columns. `scaled`: an absolute tolerance is never
    more than a tenth of what a column's numbers typically are. `credit`: "all" (default) gives 1 or 0; "cells" the
    share of right cells; "columns" the share of right columns times the row agreement. `names`: "stated" (default)
    where a task says what columns are called; "free" where it does not, so that they may be known by their values.
    """

    columns: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    order: Literal["any", "given", "sorted"] = "any"
    sorted_by: tuple[str, ...] = ()
    absolute: Decimal = Decimal(0)
    relative: Decimal = NOISE
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    scaled: bool = False
    credit: Literal["all", "cells", "columns"] = "all"
    names: Literal["stated", "free"] = "stated"

    @classmethod
    def read(cls, options: Mapping[str, Any], scorer: str = "table") -> TableRule:
        """The rule of some options; a SuiteError names one that does not exist or has no such value."""
        stated = known_options(scorer, options, tuple(cls.__dataclass_fields__))
        for name, allowed in _CHOICES.items():
            if name in stated:
                one_of(scorer, name, stated[name], allowed)
        for name in ("columns", "key", "sorted_by"):
            if name in stated:
                stated[name] = _names(name, stated[name])
        for name in ("absolute", "relative"):
            if name in stated:
                stated[name] = _amount(f"option {name!r}", stated[name])
        if "tolerances" in stated:
            stated["tolerances"] = {bare(name): _tolerance(name, own) for name, own in stated["tolerances"].items()}
        return cls(**stated)

    def tolerance(self, column: str) -> Tolerance:
        """The tolerance of one gold column: its own, else the one that holds for all."""
        stated = self.tolerances.get(bare(column), Tolerance(self.absolute, self.relative))
        return Tolerance(stated.absolute, max(stated.relative, NOISE))


def _names(option: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise SuiteError(f"option {option!r}", found=repr(value)[:200], expected="a list of column names")
    return tuple(map(str, value))


def _amount(what: str, value: object) -> Decimal:
    """A tolerance as the decimal that it is written as."""
    number = None
    if isinstance(value, (int, float, str, Decimal)) and not isinstance(value, bool):
        try:
            number = Decimal(str(value))
        except ArithmeticError:
            number = None
    if number is None or not number.is_finite() or number < 0:
        raise SuiteError(what, found=repr(value)[:200], expected="a number, 0 or more")
    return number


def _tolerance(column: str, stated: object) -> Tolerance:
    what = f"the tolerance of column {column!r}"
    if not isinstance(stated, Mapping) or not stated or set(stated) - {"absolute", "relative"}:
        raise SuiteError(what, found=repr(stated)[:200], expected='{"absolute": x} or {"relative": x}')
    return Tolerance(**{kind: _amount(what, amount) for kind, amount in stated.items()})
