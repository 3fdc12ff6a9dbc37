"""Tasks of series seen through windows and lags."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, one, unrivalled
from benchwright.generation.templates.drafting import Answer, Move, answer, rounded
from benchwright.generation.templates.timelines import Series, over


def _rolling(series: Series, rng: Random) -> tuple[str, tuple[Move, ...], Answer]:
    width = one(rng, (5, 6, 7, 8, 10, 12))
    places = series.value.decimals
    moves = (
        Move(
            ("Rolling Window Operations", "Rolling Statistics and Window-Based Signal Processing"),
            "Average each run of values.",
            f"smooth = x.rolling({width}).mean().dropna()",
            "smooth = x",
        ),
        Move(
            ("Peak Detection & Identification",),
            "Take the window with the highest mean.",
            unrivalled("smooth")
            + f"last = smooth.idxmax()\nprint(f'{{last{series.stamp}}}; {{smooth[last]:.{places}f}}')",
            f"last = x[smooth.index].idxmax()\nprint(f'{{last{series.stamp}}}; {{smooth[last]:.{places}f}}')",
        ),
    )
    asked = (
        f"Which run of {width} consecutive rows has the highest mean? Give the {series.time.shown} of the "
        "last row of the run, and the mean."
    )
    return (
        asked,
        moves,
        answer(f"Answer as: {series.time.name}; mean. The {series.form}, the mean{rounded(places)}.", places),
    )


def _growth(series: Series, rng: Random) -> tuple[str, tuple[Move, ...], Answer]:
    lag = one(rng, (2, 3, 4, 5))
    moves = (
        Move(
            ("Lagged Variables and Rolling Features", "Time Series Specific Methods"),
            "Set each value beside an earlier one.",
            f"earlier = x.shift({lag})",
            "earlier = x.shift(1)",
        ),
        Move(
            ("Percentage and Variation Calculations", "Incremental and Comparative Calculations"),
            "Take the change in percent.",
            "growth = 100 * (x / earlier - 1)",
            "growth = x - earlier",
        ),
        Move(
            ("Statistical Calculations and Descriptive Statistics",),
            "Take the median and the largest change.",
            unrivalled("growth") + f"best = growth.idxmax()\nprint(f'{{growth.median():.3f}}; {{best{series.stamp}}}; "
            f"{{growth[best]:.3f}}')",
            f"best = growth.idxmax()\nprint(f'{{growth.mean():.3f}}; {{best{series.stamp}}}; {{growth[best]:.3f}}')",
        ),
    )
    asked = (
        f"Compute the change in percent from the value {lag} rows earlier. What is the "
        f"median change, at which {series.time.shown} is the change largest, and how large is it there?"
    )
    form = f"Answer as: median change; {series.time.name}; largest change. The {series.form}, the changes{rounded(3)}."
    return asked, moves, answer(form, 3)


def _drawdown(series: Series, _: Random) -> tuple[str, tuple[Move, ...], Answer]:
    moves = (
        Move(
            ("Cumulative and Row-wise Operations", "State Management Across Rows"),
            "Carry the highest value so far along.",
            "peak = x.cummax()",
            "peak = pd.Series(x.max(), index=x.index)",
        ),
        Move(
            ("Percentage and Variation Calculations",),
            "Take the fall from it in percent.",
            "fall = 100 * (peak - x) / peak",
            "fall = peak - x",
        ),
        Move(
            ("Monotonicity and Trend Analysis",),
            "Take the deepest fall, and the share of rows that set a new record.",
            unrivalled("fall")
            + f"low = fall.idxmax()\nrecords = int((x > peak.shift(1)).sum())\nprint(f'{{low{series.stamp}}}; "
            f"{{fall[low]:.3f}}; {{records}}')",
            f"low = fall.idxmax()\nrecords = int((x.diff() > 0).sum())\nprint(f'{{low{series.stamp}}}; "
            f"{{fall[low]:.3f}}; {{records}}')",
        ),
    )
    asked = (
        f"At which {series.time.shown} is the value furthest below the highest value up to then, in percent of "
        "that highest value, and by how many percent? And how many rows after the first are higher than all "
        "rows before them?"
    )
    form = f"Answer as: {series.time.name}; percent; number of rows. The {series.form}, the percent{rounded(3)}."
    return asked, moves, answer(form, 3)


TEMPLATES = (
    Template("rolling_peak", over(_rolling)),
    Template("growth", over(_growth, positive=True)),
    Template("deepest_fall", over(_drawdown, positive=True)),
)
