"""A column of text cells with the type and value of every cell, read at once where cells are plain."""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from benchwright.scorers.compare.cells import MISSING_WORDS, Missing, Truth, decimals, read_cell
from benchwright.scorers.compare.dates import Moment
from benchwright.scorers.compare.numbers import Number
from benchwright.scorers.compare.text import fold, normalise

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

UNREAD: Final = 0
"""Not looked at yet: rows that are exact copies of others never are."""
NUMBER: Final = 1
MISSING: Final = 2
TEXT: Final = 3
MOMENT: Final = 4
TRUTH: Final = 5
OTHER: Final = 6
"""What only a cell-by-cell comparison can judge: percentages, currencies, separators, dates in words."""

_EXACT = 1e15
"""Whole numbers beyond are identifiers: a double does not hold all of their digits."""
_FEW_EXPONENTS = 10_000
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


Typed = tuple["NDArray[np.uint8]", "NDArray[np.float64]", "NDArray[np.uint64]"]
"""Kinds, numbers and codes."""


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
    """The cells of a column as arrays over its rows, typed where `read` was asked for.

    `number`: the value, NaN where there is none. `kind`: one of the constants above. `code`: of two
    cells that were both read, or both not, equal codes mean equal values; the reverse holds for most that were read.
    """

    def __init__(self, text: pl.Series, budget: Budget, *, percent: bool = False) -> None:
        self.text = text
        self._budget = budget
        self._percent = percent
        self._arrays: Typed | None = None
        self._code: NDArray[np.uint64] | None = None

    @property
    def kind(self) -> NDArray[np.uint8]:
        """The kind of every cell."""
        return self._typed()[0]

    @property
    def number(self) -> NDArray[np.float64]:
        """The number of every cell."""
        return self._typed()[1]

    @property
    def code(self) -> NDArray[np.uint64]:
        """The code of every cell: a hash of its text, or, once it was read, of its value."""
        if self._code is None:
            self._code = self._arrays[2] if self._arrays else hashes(self.text)
        return self._code

    def codes(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The codes of some rows; of few, the others are not made."""
        if self._code is None and len(rows) < len(self) // 10:
            return hashes(self.text.gather(rows))
        return self.code[rows]

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """What reads as a float of all cells, identifiers and infinities too; NaN for the others. Reads no cell."""
        return _floats(self.text)

    @cached_property
    def has_fractions(self) -> bool:
        """Whether its whole numbers are no counts and no identifiers. Reads no cell."""
        import numpy as np

        numbers = self.floats[np.isfinite(self.floats)]
        return bool((numbers != np.floor(numbers)).any())

    @cached_property
    def typical(self) -> float:
        """The median size of the numbers that are not zero; 0 without any. Reads no cell."""
        import numpy as np

        sizes = np.abs(self.floats[np.isfinite(self.floats) & (self.floats != 0)])
        return float(np.median(sizes, overwrite_input=True)) if sizes.size else 0.0

    @cached_property
    def places(self) -> int:
        """The most decimals that a number of the column has. Reads no cell."""
        return _most_places(self)

    @cached_property
    def commonest(self) -> float:
        """The share of the most frequent value. Reads all cells."""
        import numpy as np
        import polars as pl

        self.read(np.arange(len(self)))
        return float(pl.Series(self.code).unique_counts().to_numpy().max()) / len(self)

    @property
    def untouched(self) -> bool:
        """Whether no cell was read."""
        return self._arrays is None

    def _typed(self) -> Typed:
        import numpy as np

        if self._arrays is None:
            kind, number = np.zeros(len(self.text), dtype=np.uint8), np.full(len(self.text), np.nan)
            self._code = self.code.copy()
            self._arrays = kind, number, self._code
        return self._arrays

    def __len__(self) -> int:
        return len(self.text)

    def read(self, rows: NDArray[np.int64]) -> None:
        """Find out kind, number and code of the cells of some rows."""
        import numpy as np

        kind, numbers, code = self._typed()
        unread = kind[rows] == UNREAD
        if not unread.any():
            return
        # Rows in the order of the table are read fast, and each of them once.
        fresh = np.zeros(len(self), dtype=bool)
        fresh[rows[unread]] = True
        whole = bool(fresh.all())
        places = np.flatnonzero(fresh)
        these: Any = slice(None) if whole else places
        cells = self.text if whole else self.text.gather(places)
        # Of many cells all are cast, which is needed again.
        floats = self.floats[these] if len(places) > len(self) // 10 else _floats(cells)
        number, plain = _plain_numbers(cells, floats)
        # Adding zero makes one of both zeros.
        numbers[these], kind[these], code[these] = number, NUMBER, (number + 0.0).view(np.uint64)
        if not plain.all():
            self._read_others(places[~plain], cells.filter(_as_series(~plain)))

    def _read_others(self, rows: NDArray[np.int64], cells: pl.Series) -> None:
        import numpy as np

        bare = cells.str.strip_chars()
        if (bare != cells).any():  # numbers between blanks are plain numbers
            number, plain = _plain_numbers(bare, _floats(bare))
            spots = rows[plain]
            self.number[spots], self.kind[spots], self.code[spots] = (
                number[plain],
                NUMBER,
                (number[plain] + 0.0).view(np.uint64),
            )
            rows, cells = rows[~plain], cells.filter(_as_series(~plain))
            if not rows.size:
                return
        _, first, place = np.unique(hashes(cells), return_index=True, return_inverse=True)
        kind, number, code = _typed(cells.gather(first), self._budget, percent=self._percent)
        self.kind[rows], self.number[rows], self.code[rows] = kind[place], number[place], code[place]


def _floats(cells: pl.Series) -> NDArray[np.float64]:
    import polars as pl

    floats: NDArray[np.float64] = cells.cast(pl.Float64, strict=False).to_numpy()
    return floats


def _plain_numbers(cells: pl.Series, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The numbers of cells that are nothing else, no identifiers and no infinities, of what reads as a float."""
    import numpy as np

    with np.errstate(invalid="ignore"):
        plain: NDArray[np.bool_] = np.abs(values) < _EXACT
    zero = cells.str.starts_with("0")
    if zero.any():
        plain &= ~(zero & cells.str.contains(r"^0[0-9]+$")).to_numpy()
    return np.where(plain, values, np.nan), plain


def _places(text: pl.Series) -> pl.Series:
    """How many decimals plain numbers without an exponent have."""
    import polars as pl

    point = text.str.find(".", literal=True)
    return (text.str.len_bytes().cast(pl.Int64) - point.cast(pl.Int64) - 1).fill_null(0)


def _most_places(column: TypedColumn) -> int:
    import numpy as np
    import polars as pl

    numbers = np.isfinite(column.floats)
    text = column.text.filter(pl.Series(numbers))
    powers = text.str.contains("e", literal=True) | text.str.contains("E", literal=True)
    most = max(0, *_places(text.filter(~powers)).unique().to_list(), 0)
    unusual = text.filter(powers) if powers.any() else text.clear()
    others = column.text.filter(pl.Series(~numbers)).head(_FEW_EXPONENTS)
    cells = [*unusual.unique().head(_FEW_EXPONENTS).to_list(), *others.unique().to_list()]
    places: int = max((most, *map(decimals, cells)))
    return min(300, places)


def _as_series(flags: NDArray[np.bool_]) -> pl.Series:
    import polars as pl

    return pl.Series(flags)


def hashes(text: pl.Series) -> NDArray[np.uint64]:
    """Codes of texts: equal ones have the same, in every column."""
    codes: NDArray[np.uint64] = text.hash(seed=_SEED).to_numpy()
    return codes


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
    number, code = np.full(len(cells), np.nan), hashes(low).copy()
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
        code[rows] = hashes(pl.Series(spelled, dtype=pl.String))
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
