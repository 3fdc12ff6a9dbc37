"""Tables that anyone could have invented: a gold's columns filled with cells of their own spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchwright.scorers.compare.typed_column import MOMENT, NUMBER, OTHER, TRUTH

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from benchwright.scorers.compare.column_pair import ColumnPair

    Rows = NDArray[np.int64]
    Floats = NDArray[np.float64]

_KNOTS, _MOST_KNOTS, _PER_KNOT = 17, 1025, 16
"""Quantiles of a column that an inventor is taken to know; in long ones, which have more of a shape, one for 16."""
_ROWS, _MOST = 1_000, 4
"""Rows that are invented in all where a table has few, and tables that are invented at most."""
_MOST_PLACES = 15
_DATE = 10


def draws(height: int) -> int:
    """How many tables are invented: few rows agree by luck in one and not in the next."""
    return max(1, min(_MOST, _ROWS // max(1, height)))


def invented_columns(pairs: Sequence[ColumnPair], draw: int) -> list[pl.Series]:
    """Cells for the gold columns of some pairs, the same ones whenever it is asked.

    Numbers and dates are drawn independently of each other, between the quantiles of their column, with as many
    decimals as it has, truth values as often as each is there. Words stand where they do in the gold: who invents
    numbers may know what they are of.
    """
    return [_invented(pair, _noise(len(pair.gold), number, draw)) for number, pair in enumerate(pairs)]


def is_inventable(pair: ColumnPair) -> bool:
    """Whether most cells of a gold column are numbers, dates or truth values, and not all the same."""
    import polars as pl

    kind = _kinds(pair)
    if not len(kind) or pl.Series(pair.gold.code).n_unique() == 1:
        return False
    return bool(((kind == NUMBER) | (kind == OTHER) | (kind == MOMENT) | (kind == TRUTH)).mean() > 0.5)


def _kinds(pair: ColumnPair) -> NDArray[np.uint8]:
    import numpy as np

    pair.gold.read(np.arange(len(pair.gold)))
    return pair.gold.kind


def _noise(height: int, column: int, draw: int) -> Floats:
    """Even numbers from 0 to 1, a row each."""
    import numpy as np

    return np.random.default_rng([column, draw]).random(height)


def _invented(pair: ColumnPair, share: Floats) -> pl.Series:
    import numpy as np
    import polars as pl

    kind = _kinds(pair)
    cells = pair.gold.text
    numbers = np.isfinite(pair.gold.number) & (kind != TRUTH)
    if numbers.any():
        drawn = _drawn(pair.gold.number[numbers], share[numbers])
        cells = _replaced(cells, numbers, _written(drawn, pair.places, whole=bool((kind[numbers] == NUMBER).all())))
    days = cells.str.slice(0, _DATE).str.to_date("%Y-%m-%d", strict=False)
    dated = (kind == MOMENT) & days.is_not_null().to_numpy()
    if dated.any():
        drawn = np.round(_drawn(days.to_physical().to_numpy()[dated].astype(np.float64), share[dated]))
        dates = pl.Series(drawn.astype(np.int32)).cast(pl.Date).cast(pl.String)
        clock = cells.filter(pl.Series(dated)).str.slice(_DATE)
        cells = _replaced(cells, dated, dates + clock)
    truths = np.flatnonzero(kind == TRUTH)
    if truths.size:
        cells = _replaced(cells, kind == TRUTH, cells[truths[(share[truths] * truths.size).astype(np.int64)]])
    return cells


def _drawn(values: Floats, share: Floats) -> Floats:
    """Values between the quantiles of others: at a share of 0 the least of them, of 1 the greatest."""
    import numpy as np

    steps = np.linspace(0.0, 1.0, min(_MOST_KNOTS, max(_KNOTS, len(values) // _PER_KNOT)))
    drawn: Floats = np.interp(share, steps, np.quantile(values, steps))
    return drawn


def _written(values: Floats, places: int, *, whole: bool) -> pl.Series:
    """Numbers as texts, with as many decimals as the column has, where all of it are plain numbers."""
    import numpy as np
    import polars as pl

    if not whole or places > _MOST_PLACES:
        return pl.Series(values).cast(pl.String)
    rounded = np.round(values, places)
    return pl.Series(rounded).cast(pl.String) if places else pl.Series(rounded).cast(pl.Int64).cast(pl.String)


def _replaced(cells: pl.Series, at: NDArray[np.bool_], by: pl.Series) -> pl.Series:
    import numpy as np
    import polars as pl

    if at.all():
        return by
    return cells.clone().scatter(pl.Series(np.flatnonzero(at)), by) if len(by) else cells  # it writes in place
