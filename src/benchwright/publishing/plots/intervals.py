"""Means with their intervals, one line an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.publishing.plots.figures import ACCENT, Figure, altair, figure

_ROW = 30
"""Points between two lines."""


def intervals(rows: Sequence[Mapping[str, Any]], measure: str) -> Figure:
    """Rows of `title`, `mean`, `low` and `high` (0 to 1), in the order in which they are to stand."""
    alt = altair()
    shown = [row for row in rows if row["mean"] is not None]
    order = [row["title"] for row in shown]
    base = alt.Chart(alt.Data(values=shown)).encode(
        y=alt.Y("title:N", sort=order, title=None, axis=alt.Axis(grid=False, ticks=False, domain=False, labelPadding=8))
    )
    scale = alt.Scale(domain=[0, 1])
    reach = base.mark_rule(strokeWidth=2.5, color=ACCENT, opacity=0.55).encode(
        x=alt.X("low:Q", scale=scale, title=f"{measure} (95 % interval)", axis=alt.Axis(format=".1f", tickCount=6)),
        x2="high:Q",
    )
    point = base.mark_point(filled=True, size=80, color=ACCENT, opacity=1).encode(x=alt.X("mean:Q", scale=scale))
    chart = (reach + point).properties(width=620, height=_ROW * max(1, len(order)))
    alone = len(shown) > 1 and shown[0]["mean"] > shown[1]["mean"]
    best = f"; {order[0]} is highest" if alone else ""
    return figure(
        "intervals", f"The {measure} of every agent", f"Means with 95 % intervals of {len(order)} agents{best}.", chart
    )
