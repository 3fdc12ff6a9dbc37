"""Tasks of series: autocorrelation, periods, days without rows."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, one, unrivalled
from benchwright.generation.templates.calendars import span
from benchwright.generation.templates.drafting import Answer, Move, Sketch, answer, explained, rounded
from benchwright.generation.templates.tables import Source
from benchwright.generation.templates.timelines import Series, over, series_of


def _autocorrelation(_series: Series, rng: Random) -> tuple[str, tuple[Move, ...], Answer]:
    lags = one(rng, (6, 8, 10, 12))
    moves = (
        Move(
            ("Stationarity Testing and Differencing", "Difference and Trend Computation"),
            "Take first differences.",
            "steps = x.diff().dropna()",
            "steps = x",
        ),
        Move(
            ("Cross-Correlation and Time-Series Alignment", "Lagged Variables and Rolling Features"),
            "Correlate the differences with themselves some rows later.",
            f"values = pd.Series({{lag: steps.autocorr(lag) for lag in range(1, {lags + 1})}})",
        ),
        Move(
            ("Sorting, Limiting, and Ranking", "Ranking and Top N Logic"),
            "Take the lag with the strongest correlation.",
            unrivalled("values.abs()") + "best = values.abs().idxmax()\nprint(f'{best}; {values[best]:.4f}')",
            "best = values.idxmax()\nprint(f'{best}; {values[best]:.4f}')",
        ),
    )
    asked = (
        f"At which lag from 1 to {lags} rows are the changes from row to row most strongly correlated with themselves?"
    )
    method = (
        "For every lag, compute the Pearson correlation between the differences from row to row and the "
        "differences that "
        "many rows earlier, over the rows where both exist. The strongest is that of the largest absolute value."
    )
    form = answer(f"Answer as: lag; correlation. The correlation{rounded(4)}.", 4)
    return asked, moves, explained(method, form)


def _spectrum(_series: Series, _: Random) -> tuple[str, tuple[Move, ...], Answer]:
    moves = (
        Move(
            ("Data Preprocessing and Centering",),
            "Take the straight-line trend out.",
            "rest = signal.detrend(x.to_numpy())",
            "rest = x.to_numpy()",
        ),
        Move(
            ("Signal Processing and Analysis",),
            "Compute the power of each frequency.",
            "power = np.abs(np.fft.rfft(rest)) ** 2\npower[:4] = 0",
            "power = np.abs(np.fft.rfft(rest))\npower[:4] = 0",
        ),
        Move(
            ("Pattern Identification & Extraction", "Peak Detection & Identification"),
            "Tell the strongest frequency as a period, and its share.",
            unrivalled("pd.Series(power)")
            + "best = int(np.argmax(power))\nprint(f'{len(rest) / best:.4f}; {power[best] / power.sum():.4f}')",
        ),
    )
    asked = "Which period, in rows, is strongest, and what share of the power does it have?"
    method = (
        "Remove the least squares straight line over row positions and take the discrete Fourier transform of what "
        "remains (no window, no padding). Leave out all periods longer than a quarter of the number of rows. Power is "
        "the squared magnitude, its share is of the power of all periods looked at, each frequency up to the highest "
        "counted once."
    )
    form = f"Answer as: period; share. Both{rounded(4)}, the share from 0 to 1."
    return asked, moves, explained(method, answer(form, 4))


def calendar(source: Source, rng: Random) -> Sketch | None:
    """Days without a row, filled between their neighbours."""
    series = series_of(source, rng)
    if series is None or series.time.column.kind == "integer" or _too_long(series):
        return None
    places = series.value.decimals + 1
    moves = (
        *series.begin,
        Move(
            ("Array and Series Generation for Time", "Interval and Range Operations"),
            "Make every day from the first to the last, and count those without a row.",
            "days = pd.date_range(x.index.min().normalize(), x.index.max().normalize(), freq='D')\n"
            "daily = x.groupby(x.index.normalize()).mean().reindex(days)\nmissing = int(daily.isna().sum())",
            "daily = x.groupby(x.index.normalize()).mean()\nmissing = int(daily.isna().sum())",
        ),
        Move(
            ("Interpolation and Reconstruction", "Imputation Methods"),
            "Fill days without a row along the straight line between their neighbours.",
            "filled = daily.interpolate(method='linear')",
            "filled = daily.fillna(daily.mean())",
        ),
        Move(
            ("Statistical Calculations and Descriptive Statistics", "Data Inspection and Summarization"),
            "Average all days.",
            f"print(f'{{missing}}; {{filled.mean():.{places}f}}')",
        ),
    )
    question = (
        f"{series.shown}. How many calendar days between the first and the last of them have no value? Fill "
        "these days by linear interpolation between the neighbouring days that have one; what is the mean over "
        f"all days of the whole range?{series.missing}"
    )
    form = f"Answer as: number of days; mean. The mean{rounded(places)}."
    return Sketch((source,), question, moves, answer(form, places))


def _too_long(series: Series) -> bool:
    days = span(series.time)
    return days != float("inf") and days > 200_000


TEMPLATES = (
    Template("autocorrelation", over(_autocorrelation)),
    Template("strongest_period", over(_spectrum)),
    Template("days_without_rows", calendar),
)
