"""A column of text cells with the type and value of every cell, read at once where cells are plain."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final

from benchwright.scorers.compare.cells import MISSING_WORDS, Missing, Truth, read_cell
from benchwright.scorers.compare.dates import Moment
from benchwright.scorers.compare.numbers import Number
from benchwright.scorers.compare.text import fold, normalise

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

UNREAD: Final = 0
"""No plain number; what else is found out only for rows that are no exact copies of others."""
NUMBER: Final = 1
MISSING: Final = 2
TEXT: Final = 3
MOMENT: Final = 4
TRUTH: Final = 5
OTHER: Final = 6
"""What only a cell-by-cell comparison can judge: percentages, currencies, separators, dates in words."""

_EXACT = 1e15
"""Whole numbers beyond are identifiers: a double does not hold all of their digits."""
_MISSING_CODE = 0x7FF8_0000_0000_0001
"""No number has these bits."""
_SEED = secrets.randbits(60)
"""Of the hashes, so that nobody can prepare cells that share one."""
_TYPED_WORDS = "|".join(
    sorted(
        "usd eur gbp jpy inr cny aud cad chf dollars dollar euros euro thousands thousand millions million billions "
        "billion trillions trillion mn bn k m b percent percentage points point pct pp per cent e x january february "
        "march april may june july august september october november december jan feb mar apr jun jul aug sept sep oct "
        "nov dec st nd rd th of t z utc gmt am pm us".split(),
        key=len,
        reverse=True,
    )
)
"""The words that a number or a date can hold. A cell with any other letter is text."""
_MOMENT = r"^\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?z?)?$"


class Budget:
    """How many more cells of unusual form may be looked at one by one, so that no file takes for ever."""

    def __init__(self, cells: int) -> None:
        self.left = cells
        self.refused = 0

    def take(self, wanted: int) -> int:
        """As many as are left of those wanted."""
        taken = min(self.left, wanted)
        self.left -= taken
        self.refused += wanted - taken
        return taken


class TypedColumn:
    """The cells of a column as arrays over its rows.

    `number`: the value, NaN where there is none. `kind`: one of the constants above. `code`: equal codes mean equal
    values; the reverse holds for most cells, after `read`.
    """

    def __init__(self, text: pl.Series, budget: Budget, *, percent: bool = False) -> None:
        import numpy as np
        import polars as pl

        self.text = text
        self._budget = budget
        self._percent = percent
        number = text.cast(pl.Float64, strict=False)
        plain = (number.is_finite() & (number.abs() < _EXACT)).fill_null(value=False)
        if (zero := text.str.starts_with("0")).any():
            plain = plain & ~(zero & text.str.contains(r"^0[0-9]+$"))
        self.number: NDArray[np.float64] = np.where(plain.to_numpy(), number.fill_null(0.0).to_numpy(), np.nan)
        self.kind: NDArray[np.uint8] = plain.cast(pl.UInt8).to_numpy().copy()
        # Adding zero makes one of both zeros.
        self.code: NDArray[np.uint64] = (self.number + 0.0).view(np.uint64)
        if not plain.all():
            self.code = np.where(self.kind == NUMBER, self.code, _hashes(text))

    def __len__(self) -> int:
        return len(self.text)

    def read(self, rows: NDArray[np.int64]) -> None:
        """Find out kind, number and code of the cells of some rows that are no plain numbers."""
        import numpy as np

        rows = rows[self.kind[rows] == UNREAD]
        if not rows.size:
            return
        cells = self.text.gather(rows)
        _, first, place = np.unique(_hashes(cells), return_index=True, return_inverse=True)
        kind, number, code = _typed(cells.gather(first), self._budget, percent=self._percent)
        self.kind[rows], self.number[rows], self.code[rows] = kind[place], number[place], code[place]


def _hashes(text: pl.Series) -> NDArray[np.uint64]:
    hashes: NDArray[np.uint64] = text.hash(seed=_SEED).to_numpy()
    return hashes


Typed = tuple["NDArray[np.uint8]", "NDArray[np.float64]", "NDArray[np.uint64]"]


def _typed(cells: pl.Series, budget: Budget, *, percent: bool) -> Typed:
    """Kind, number and code of distinct cells: what patterns can tell at once, the rest one by one."""
    import numpy as np
    import polars as pl

    low = cells.str.strip_chars().str.to_lowercase()
    if (blanks := low.str.contains(r"\s\s|[\t\r\n\v\f]")).any():
        low = low.zip_with(~blanks, low.str.replace_all(r"\s+", " "))
    ascii_only = low.str.len_bytes() == low.str.len_chars()
    digits = low.str.contains(r"\d")
    moments = digits & low.str.contains(_MOMENT)
    letters = digits & ascii_only & ~moments & low.str.contains("[a-z]")
    if letters.any():
        letters = letters & low.str.replace_all(_TYPED_WORDS, "").str.contains("[a-z]")
    kind = np.full(len(cells), OTHER, dtype=np.uint8)
    words = (~digits & ascii_only) | letters | low.str.contains(r"^[0-9]+$")
    for these, which in (
        (words, TEXT),
        (low.is_in(["true", "false"]), TRUTH),
        (low.is_in([*MISSING_WORDS, ""]), MISSING),
        (moments, MOMENT),
    ):
        kind[these.to_numpy()] = which
    if moments.any():
        low = low.zip_with(~moments, _moment_text(low))
    low = low.replace({"infinity": "inf", "+inf": "inf", "+infinity": "inf", "-infinity": "-inf"})
    number, code = np.full(len(cells), np.nan), _hashes(low).copy()
    code[kind == MISSING] = _MISSING_CODE
    _read_one_by_one(cells, (kind, number, code), budget, percent=percent)
    number[kind == TRUTH] = low.filter(pl.Series(kind == TRUTH)).eq("true").cast(pl.Float64).to_numpy()
    return kind, number, code


def _moment_text(low: pl.Series) -> pl.Series:
    """Dates and times of ISO form in one spelling, midnight left out."""
    text = low.str.replace("t", " ", literal=True).str.strip_chars_end("z").str.replace(r"^(.{16})$", "$1:00")
    return text.str.replace(r"(\.\d*?)0+$", "$1").str.strip_chars_end(".").str.replace(r" 00:00:00$", "")


def _read_one_by_one(cells: pl.Series, typed: Typed, budget: Budget, *, percent: bool) -> None:
    import numpy as np
    import polars as pl

    kind, number, code = typed
    rows = np.flatnonzero(kind == OTHER)
    rows = rows[: budget.take(len(rows))]
    spelled: list[str] = []
    for row, cell in zip(rows.tolist(), cells.gather(rows).to_list(), strict=True):
        kind[row], number[row], text = _read_one(cell, percent=percent)
        spelled.append(text)
    if spelled:
        code[rows] = _hashes(pl.Series(spelled, dtype=pl.String))
        code[rows[kind[rows] == MISSING]] = _MISSING_CODE


def _read_one(cell: str, *, percent: bool) -> tuple[int, float, str]:
    """The kind and number of a cell, and a text that is the same for equal values of its kind."""
    import math

    value: Any = read_cell(cell)
    if isinstance(value, Missing):
        return MISSING, math.nan, ""
    if isinstance(value, Truth):
        return TRUTH, float(value.value), str(value.value).lower()
    if not isinstance(value, (Number, Moment)) and "," in cell:
        value = read_cell(cell, "comma")
    if isinstance(value, Number):
        scaled = value.value / 100 if value.percent and not percent else value.value
        return OTHER, float(scaled), cell
    if isinstance(value, Moment):
        whole = None not in (value.year, value.month, value.day) and not value.swapped
        return (MOMENT, math.nan, _spelled(value)) if whole else (OTHER, math.nan, cell)
    return TEXT, math.nan, fold(normalise(cell))


def _spelled(moment: Moment) -> str:
    date = f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
    if not moment.seconds:
        return date
    minutes, seconds = divmod(moment.seconds, 60)
    clock = f"{int(minutes) // 60:02}:{int(minutes) % 60:02}:{seconds:09.6f}"
    return f"{date} {clock}".rstrip("0").rstrip(".")
