"""Accuracy by the temperature that the model was asked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.publishing.plots.figures import CATEGORIES, SHAPES, Figure, altair, figure


def by_temperature(rows: Sequence[Mapping[str, Any]], measure: str) -> Figure:
    """Rows of `series`, `temperature`, `mean`, `low` and `high`."""
    alt = altair()
    keys = ("series", "temperature", "mean", "low", "high")
    kept = [{key: row[key] for key in keys} for row in rows]
    series = list(dict.fromkeys(row["series"] for row in kept))
    x = alt.X(
        "temperature:Q",
        title="temperature",
        scale=alt.Scale(zero=False, nice=False, padding=12),
        axis=alt.Axis(tickCount=11),
    )
    y = alt.Y("mean:Q", title=f"{measure} (95 % interval)", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".1f"))
    scales = [
        alt.Scale(domain=series, range=[values[at % len(values)] for at in range(len(series))])
        for values in (CATEGORIES, SHAPES)
    ]
    colour = alt.Color("series:N", sort=series, scale=scales[0], legend=alt.Legend(title=None, symbolOpacity=1))
    base = alt.Chart(alt.Data(values=kept)).encode(x=x, color=colour)
    band = base.mark_area(opacity=0.14).encode(y=alt.Y("low:Q", scale=alt.Scale(domain=[0, 1])), y2="high:Q")
    line = base.mark_line(strokeWidth=2).encode(y=y)
    point = base.mark_point(filled=True, size=70, opacity=1).encode(
        y=y, shape=alt.Shape("series:N", sort=series, scale=scales[1], legend=alt.Legend(title=None))
    )
    chart = (band + line + point).properties(width=560, height=300)
    return figure("by_temperature", "Accuracy by temperature", "Means with 95 % intervals at each temperature.", chart)
