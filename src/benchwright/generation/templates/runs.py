"""Tasks of series: unbroken rises, smoothing, held-out rows."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, one
from benchwright.generation.templates.drafting import Answer, Move, explained, numbers
from benchwright.generation.templates.timelines import Series, over


def _streak(_series: Series, _: Random) -> tuple[str, tuple[Move, ...], Answer]:
    moves = (
        Move(
            ("Difference and Trend Computation",),
            "Tell rises from the rest.",
            "up = x.diff() > 0",
            "up = x.diff() >= 0",
        ),
        Move(
            ("Change Detection and Contiguity Analysis",),
            "Number the stretches of equal direction, and take the longest stretch of rises.",
            "stretch = (up != up.shift()).cumsum()\nlengths = up[up].groupby(stretch[up]).size()\nlongest = "
            "int(lengths.max())",
            "stretch = up.astype(int)\nlengths = up[up].groupby(stretch[up]).size()\nlongest = int(lengths.max())",
        ),
        Move(
            ("Event Pairing and Transition Logic",),
            "Count how often a rise is followed by none.",
            "turns = int((up & ~up.shift(-1, fill_value=True)).sum())\nprint(f'{longest}; {turns}')",
            "turns = int(up.sum())\nprint(f'{longest}; {turns}')",
        ),
    )
    asked = "How long is the longest unbroken rise, and how often does a rise end?"
    method = (
        "A row is a rise if its value is higher than that of the row before. Count the rises of the longest "
        "uninterrupted "
        "sequence of rises, and the rises that are immediately followed by a row that is no rise."
    )
    form = Answer("Answer as: length of longest sequence; number of rises followed by no rise.")
    return asked, moves, explained(method, form)


def _smoothing(_series: Series, rng: Random) -> tuple[str, tuple[Move, ...], Answer]:
    alpha = one(rng, (0.1, 0.2, 0.3, 0.4, 0.5))
    moves = (
        Move(
            ("Trend and Smoothing Techniques", "Time Series Analysis and Forecasting"),
            "Smooth the values exponentially.",
            f"smooth = x.ewm(alpha={alpha}, adjust=False).mean()",
            f"smooth = x.ewm(alpha={alpha}).mean()",
        ),
        Move(
            ("Loss Function and Evaluation", "Model Evaluation Metrics"),
            "Forecast each value by the smoothed one before, and average the absolute errors.",
            "error = (x - smooth.shift(1)).abs().mean()",
            "error = (x - smooth).abs().mean()",
        ),
        Move(
            ("Output and Logging", "Validation and Output Formatting"),
            "Print the last level and the error.",
            "print(f'{smooth.iloc[-1]:.4f}; {error:.4f}')",
        ),
    )
    asked = f"Where does simple exponential smoothing with factor {alpha} end, and how well does it forecast?"
    method = (
        "Start from the first value as level. Each row from the second on is forecast by the level after the row "
        "before. "
        "Give the level after the last row and the mean absolute error of the forecasts."
    )
    return asked, moves, explained(method, numbers("last level", "mean absolute error", decimals=4))


def _forecast(_series: Series, rng: Random) -> tuple[str, tuple[Move, ...], Answer]:
    held = one(rng, (6, 8, 10))
    moves = (
        Move(
            ("Data Splitting and Leakage Prevention",),
            "Keep the last rows apart.",
            f"past, future = x.iloc[:-{held}], x.iloc[-{held}:]",
            f"past, future = x, x.iloc[-{held}:]",
        ),
        Move(
            ("Time Series Analysis and Forecasting",),
            "Carry the trend of the past on.",
            "slope, start = np.polyfit(np.arange(len(past)), past, 1)\nforecast = start + slope * "
            "np.arange(len(past), len(past) + len(future))",
            "forecast = np.full(len(future), past.mean())",
        ),
        Move(
            ("Model Evaluation Metrics", "Model Evaluation & Validation"),
            "Take root mean square error and mean error.",
            "wrong = future.to_numpy() - forecast\nprint(f'{(wrong ** 2).mean() ** 0.5:.4f}; {wrong.mean():.4f}')",
            "wrong = future.to_numpy() - forecast\nprint(f'{abs(wrong).mean():.4f}; {wrong.mean():.4f}')",
        ),
    )
    asked = (
        f"Fit a least squares straight line on the row position to all rows but the last {held}, and forecast "
        f"those {held} by carrying the line on. What are the root mean square error and the mean error (actual "
        "minus forecast) of the forecasts?"
    )
    return asked, moves, numbers("root mean square error", "mean error", decimals=4)


TEMPLATES = (
    Template("longest_rise", over(_streak)),
    Template("exponential_smoothing", over(_smoothing)),
    Template("held_out_forecast", over(_forecast)),
)
