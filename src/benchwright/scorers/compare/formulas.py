"""Formulas of a workbook, computed: arithmetic, comparisons, texts, and common functions of cells; nothing is run."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

Place = tuple[str, int, int]
"""A cell: its sheet, its row and its column, from 1."""

_MOST_CELLS = 2_000_000
"""Cells that all formulas of a workbook may look at, ranges counted cell by cell."""
_LONGEST = 32_767
_EXACT = 2**53
_CELL = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")
_COLUMNS = re.compile(r"\$?([A-Z]{1,3}):\$?([A-Z]{1,3})")
_TIGHTNESS: Final = {"=": 1, "<>": 1, "<": 1, ">": 1, "<=": 1, ">=": 1, "&": 2, "+": 3, "-": 3, "*": 4, "/": 4, "^": 5}


class FormulaFailed(ValueError):
    """A formula that cannot be computed here, with the reason."""


@dataclass(frozen=True, slots=True)
class Formula:
    """The text of a formula, with its equals sign."""

    text: str


@dataclass(slots=True)
class FormulaCells:
    """Cells of a workbook by place: values, and formulas whose value is not known."""

    cells: Mapping[Place, object]
    looked_at: int = 0
    _known: dict[Place, object] = field(default_factory=dict)
    _open: set[Place] = field(default_factory=set)
    _heights: dict[str, int] = field(default_factory=dict)

    def value(self, place: Place) -> object:
        """The value of a cell, computed where it is a formula; FormulaFailed says why it cannot be."""
        self.looked_at += 1
        if self.looked_at > _MOST_CELLS:
            raise FormulaFailed(f"more than {_MOST_CELLS:,} cells")
        content = self.cells.get(place)
        if not isinstance(content, Formula):
            return content
        if place not in self._known:
            if place in self._open:
                raise FormulaFailed("a formula that depends on itself")
            self._open.add(place)
            try:
                self._known[place] = _Reading(content.text, place[0], self).result()
            except FormulaFailed:
                raise
            except (ArithmeticError, TypeError, ValueError, IndexError, RecursionError) as error:
                raise FormulaFailed(f"{type(error).__name__}: {error}"[:200]) from error
            finally:
                self._open.discard(place)
        return self._known[place]

    def rows_of(self, sheet: str) -> int:
        """The last row of a sheet that holds anything."""
        if not self._heights:
            for name, row, _ in self.cells:
                self._heights[name] = max(row, self._heights.get(name, 0))
        return self._heights.get(sheet, 0)


class _Reading:
    """One formula, read and computed in one go, operator by operator by how tightly they bind."""

    def __init__(self, text: str, sheet: str, cells: FormulaCells) -> None:
        from openpyxl.formula.tokenizer import Tokenizer, TokenizerError

        self._sheet, self._cells = sheet, cells
        try:
            self._tokens = [token for token in Tokenizer(text).items if token.type != "WHITE-SPACE"]
        except TokenizerError as error:
            raise FormulaFailed(str(error)[:200]) from error
        self._at = 0

    def result(self) -> object:
        found = _one(self._expression(0))
        if self._at < len(self._tokens):
            raise FormulaFailed(f"not a formula that is understood: {self._tokens[self._at].value!r}"[:200])
        return found

    def _next(self) -> Any:
        if self._at == len(self._tokens):
            raise FormulaFailed("a formula that ends too early")
        self._at += 1
        return self._tokens[self._at - 1]

    def _peek(self, kind: str, subtype: str = "") -> bool:
        here = self._tokens[self._at] if self._at < len(self._tokens) else None
        return here is not None and here.type == kind and subtype in {"", here.subtype}

    def _expression(self, tightness: int) -> object:
        left = self._prefixed()
        while self._peek("OPERATOR-INFIX"):
            sign = self._tokens[self._at].value
            binds = _TIGHTNESS.get(sign, 0)
            if binds <= tightness:
                if not binds:
                    raise FormulaFailed(f"an operator that is not understood: {sign!r}")
                break
            self._at += 1
            left = _operated(sign, _one(left), _one(self._expression(binds)))
        return left

    def _prefixed(self) -> object:
        if self._peek("OPERATOR-PREFIX"):
            sign, number = self._next().value, _number(_one(self._prefixed()))
            return -number if sign == "-" else number
        value = self._operand()
        while self._peek("OPERATOR-POSTFIX"):
            self._at += 1
            value = _number(_one(value)) / 100
        return value

    def _operand(self) -> object:
        token = self._next()
        if token.type == "PAREN" and token.subtype == "OPEN":
            value = self._expression(0)
            self._close("PAREN")
            return value
        if token.type == "FUNC" and token.subtype == "OPEN":
            return self._called(token.value.rstrip("(").upper().removeprefix("_XLFN."))
        if token.type == "OPERAND":
            return self._literal(token)
        raise FormulaFailed(f"not a formula that is understood: {token.value!r}"[:200])

    def _literal(self, token: Any) -> object:
        if token.subtype == "NUMBER":
            return _plain(float(token.value))
        if token.subtype == "TEXT":
            return token.value[1:-1].replace('""', '"')
        if token.subtype == "LOGICAL":
            return token.value.upper() == "TRUE"
        if token.subtype == "RANGE":
            return self._range(token.value)
        raise FormulaFailed(f"not a value: {token.value}"[:200])

    def _close(self, kind: str) -> None:
        if not self._peek(kind, "CLOSE"):
            raise FormulaFailed("a bracket that is not closed")
        self._at += 1

    def _called(self, name: str) -> object:
        arguments: list[object] = []
        while not self._peek("FUNC", "CLOSE"):
            arguments.append(None if self._peek("SEP") else self._expression(0))
            if self._peek("SEP"):
                self._at += 1
        self._close("FUNC")
        if name not in FUNCTIONS:
            raise FormulaFailed(f"a function that is not computed here: {name[:40]}")
        return FUNCTIONS[name](arguments)

    def _range(self, text: str) -> object:
        """The cells of a reference: one value, or a list of rows."""
        sheet, _, where = text.rpartition("!")
        sheet = sheet.strip("'").replace("''", "'") or self._sheet
        if whole := _COLUMNS.fullmatch(where.upper()):
            corners = [(1, _column(whole[1])), (max(1, self._cells.rows_of(sheet)), _column(whole[2]))]
        else:
            found = [_CELL.fullmatch(part) for part in where.upper().split(":")]
            corners = [(int(match[2]), _column(match[1])) for match in found if match]
            if len(corners) != len(found) or len(corners) > 2:
                raise FormulaFailed(f"not a reference to cells: {text}"[:200])
        if len(corners) == 1:
            return self._cells.value((sheet, *corners[0]))
        (top, left), (bottom, right) = ([*map(pick, zip(*corners, strict=True))] for pick in (min, max))
        if (bottom - top + 1) * (right - left + 1) > _MOST_CELLS:
            raise FormulaFailed(f"more than {_MOST_CELLS:,} cells")
        places = ((sheet, row, column) for row in range(top, bottom + 1) for column in range(left, right + 1))
        return _Range(tuple(map(self._cells.value, places)))


class _Range(tuple[object, ...]):
    """The values of several cells."""

    __slots__ = ()


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _plain(number: float) -> float:
    """A whole number as one, as long as a float holds it exactly."""
    if not math.isfinite(number):
        raise FormulaFailed("a number without end")
    return int(number) if number == int(number) and abs(number) < _EXACT else number


def _one(value: object) -> object:
    if isinstance(value, _Range):
        if len(value) == 1:
            return value[0]
        raise FormulaFailed("several cells where one is meant")
    return value


def _number(value: object) -> float:
    if value is None:
        return 0
    if isinstance(value, bool | int | float):
        return _plain(float(value))
    if isinstance(value, str) and re.fullmatch(r"\s*[-+]?\d+(\.\d+)?(e[-+]?\d+)?\s*", value, re.IGNORECASE):
        return _plain(float(value))
    raise FormulaFailed(f"not a number: {value!r}"[:200])


def _text(value: object) -> str:
    text = "" if value is None else str(value).upper() if isinstance(value, bool) else str(value)
    if len(text) > _LONGEST:
        raise FormulaFailed("a text that is too long")
    return text


def _operated(sign: str, left: object, right: object) -> object:
    if sign == "&":
        return _text(_text(left) + _text(right))
    if _TIGHTNESS[sign] == 1:
        return _compared(sign, left, right)
    a, b = _number(left), _number(right)
    if sign == "^":
        return _plain(float(a) ** float(b))
    return _plain({"+": a + b, "-": a - b, "*": a * b}[sign] if sign != "/" else a / b)


def _compared(sign: str, left: object, right: object) -> bool:
    sides = [value.casefold() if isinstance(value, str) else value for value in (left, right)]
    if not any(isinstance(value, str) for value in sides):
        sides = [_number(value) for value in sides]
    elif not all(isinstance(value, str) for value in sides):
        return sign == "<>"
    a, b = sides
    order: Any = (a > b) - (a < b)  # type: ignore[operator] # both are numbers, or both texts
    return bool(
        {"=": order == 0, "<>": order != 0, "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0}[sign]
    )


def _numbers(arguments: Sequence[object]) -> list[float]:
    """The numbers among some arguments: of cells only what is one, of others what can be read as one."""
    found: list[float] = []
    for argument in arguments:
        if isinstance(argument, _Range):
            found += [value for value in argument if isinstance(value, int | float) and not isinstance(value, bool)]
        elif argument is not None:
            found.append(_number(argument))
    return found


def _flat(arguments: Sequence[object]) -> list[object]:
    return [value for one in arguments for value in (one if isinstance(one, _Range) else (one,)) if value is not None]


def _over(measure: Callable[[list[float]], float]) -> Callable[[Sequence[object]], object]:
    return lambda arguments: _plain(float(measure(_numbers(arguments))))


def _of(measure: Callable[..., float]) -> Callable[[Sequence[object]], object]:
    return lambda arguments: _plain(float(measure(*(_number(_one(argument)) for argument in arguments))))


def _rounded(number: float, places: float = 0) -> float:
    """Half away from zero, as spreadsheets round."""
    scale = 10.0 ** int(places)
    return math.copysign(math.floor(abs(number) * scale + 0.5 + 1e-12), number) / scale


def _if(arguments: Sequence[object]) -> object:
    return arguments[1] if _number(_one(arguments[0])) else arguments[2] if len(arguments) > 2 else False


FUNCTIONS: Mapping[str, Callable[[Sequence[object]], object]] = {
    "SUM": _over(math.fsum),
    "PRODUCT": _over(math.prod),
    "AVERAGE": _over(statistics.fmean),
    "MEDIAN": _over(statistics.median),
    "MIN": _over(lambda numbers: min(numbers, default=0)),
    "MAX": _over(lambda numbers: max(numbers, default=0)),
    **dict.fromkeys(("STDEV", "STDEV.S"), _over(statistics.stdev)),
    **dict.fromkeys(("VAR", "VAR.S"), _over(statistics.variance)),
    "COUNT": _over(len),
    "COUNTA": lambda arguments: len(_flat(arguments)),
    "ROUND": _of(_rounded),
    "INT": _of(math.floor),
    "ABS": _of(abs),
    "SQRT": _of(math.sqrt),
    "EXP": _of(math.exp),
    "LN": _of(math.log),
    "LOG10": _of(math.log10),
    "POWER": _of(lambda a, b: float(a) ** float(b)),
    "MOD": _of(lambda a, b: a - b * math.floor(a / b)),
    "IF": _if,
    "AND": lambda arguments: all(_number(value) for value in _flat(arguments)),
    "OR": lambda arguments: any(_number(value) for value in _flat(arguments)),
    "NOT": lambda arguments: not _number(_one(arguments[0])),
    **dict.fromkeys(("CONCATENATE", "CONCAT"), lambda arguments: _text("".join(map(_text, _flat(arguments))))),
    "LEN": lambda arguments: len(_text(_one(arguments[0]))),
    "UPPER": lambda arguments: _text(_one(arguments[0])).upper(),
    "LOWER": lambda arguments: _text(_one(arguments[0])).lower(),
    "TRIM": lambda arguments: " ".join(_text(_one(arguments[0])).split()),
}
"""What formulas may call. Both branches of IF are computed: one that fails fails the formula."""
