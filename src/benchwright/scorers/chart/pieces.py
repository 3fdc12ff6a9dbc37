"""Series that are drawn in pieces: bars each in a colour of its own, points that are the marks of a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from benchwright.scorers.chart.panels import Series
from benchwright.scorers.chart.texts import folded

_MOST: Final = 200


def joined_bars(series: Sequence[Series]) -> tuple[Series, ...]:
    """The series of a panel, in which bars that are a series each, for the sake of their colours, are one again.

    Such have no label but their own name, and no two stand at one place.
    """
    import numpy as np

    bars = [one for one in series if one.kind == "bar"]
    names = [_names(one) for one in bars]
    every = [name for side in names for name in side]
    alone = all(not one.label or [folded(one.label)] == side for one, side in zip(bars, names, strict=True))
    alike = len({(one.table.shape[1:], bool(one.keys)) for one in bars}) == 1
    if not (1 < len(bars) <= _MOST and alike and alone and len(set(every)) == len(every)):
        return tuple(series)
    first = bars[0]
    whole = replace(
        first,
        label="",
        table=np.concatenate([one.table for one in bars]),
        keys=tuple(key for one in bars for key in one.keys),
        unseen=sum(one.unseen for one in bars),
    )
    return (*(whole if one is first else one for one in series if one is first or one.kind != "bar"),)


def told_labels(labels: Sequence[str], series: Sequence[Series], joined: Sequence[Series]) -> tuple[str, ...]:
    """The labels of a legend; none where they only say again what slices and boxes are called, or bars that are one
    series.
    """
    names = {folded(key) for one in series if one.kind == "pie" for key in one.keys}
    names |= {folded(one.label) for one in series if one.kind in {"box", "violin"}}
    if len(joined) < len(series):
        names |= {name for one in series if one.kind == "bar" for name in _names(one)}
    return () if all(folded(label) in names for label in labels) else tuple(labels)


def _names(bars: Series) -> list[str]:
    return [folded(key) for key in bars.keys] or [f"{place:g}" for place in bars.table[:, 0].tolist()]


def without_marks(series: Sequence[Series]) -> tuple[Series, ...]:
    """The series of a panel without points that only mark those of a line."""
    kept = list(series)
    for line in [one for one in series if one.kind == "line" and not one.summary]:
        marks = next((one for one in kept[:_MOST] if _marks(line, one)), None)
        if marks is not None:
            kept = [
                replace(line, label=line.label or marks.label) if one is line else one
                for one in kept
                if one is not marks
            ]
    return tuple(kept)


def with_bands(series: Sequence[Series]) -> tuple[Series, ...]:
    """The series of a panel, in which areas around a line are known as bands that say how sure it is."""
    lines = [one for one in series if one.kind == "line" and one.path and one.table.shape[1:] == (2,)]
    return tuple(replace(one, band=any(_is_around(one, line) for line in lines[:_MOST])) for one in series)


def _is_around(area: Series, line: Series) -> bool:
    import numpy as np

    if area.kind != "area" or area.summary or area.table.shape != (len(line.table), 3):
        return False
    (x, low, high), (across, up) = area.table.T, line.table.T
    slack = 1e-9 * np.abs(up)
    return np.array_equal(x, across) and bool(((low - slack <= up) & (up <= high + slack) | np.isnan(up)).all())


def _marks(line: Series, points: Series) -> bool:
    import numpy as np

    if points.kind != "scatter" or points.summary or points.table.shape != line.table.shape:
        return False
    if points.label and line.label and folded(points.label) != folded(line.label):
        return False
    if bool(line.keys) != bool(points.keys):
        return False
    sides = []
    for one in (line, points):
        names = np.array([folded(key) for key in one.keys] or [""] * len(one.table))
        order = np.lexsort((*one.table.T[::-1], names))
        sides.append((names[order].tolist(), one.table[order]))
    return sides[0][0] == sides[1][0] and np.allclose(sides[0][1], sides[1][1], rtol=1e-9, atol=0, equal_nan=True)
