"""What a score costs: agents as points, and the front of those that no other beats in both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.publishing.plots.figures import CATEGORIES, MUTED, SHAPES, Figure, altair, figure


def cost_against_score(rows: Sequence[Mapping[str, Any]], front: Sequence[str], measure: str) -> Figure:
    """Rows of `title`, `cost` (dollars an attempt) and `mean`; `front` are the titles on the front."""
    alt = altair()
    known = [row for row in rows if row["cost"] is not None and row["mean"] is not None]
    titles = [row["title"] for row in known]
    on = sorted((row for row in known if row["title"] in set(front)), key=lambda row: (row["cost"], row["mean"]))
    x = alt.X("cost:Q", title="dollars an attempt", scale=alt.Scale(zero=True, nice=True), axis=alt.Axis(tickCount=6))
    y = alt.Y("mean:Q", title=measure, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".1f", tickCount=6))
    line = (
        alt.Chart(alt.Data(values=on))
        .mark_line(color=MUTED, strokeDash=[5, 4], interpolate="step-after", strokeWidth=1.5)
        .encode(x=x, y=y, order="cost:Q")
    )
    points = (
        alt.Chart(alt.Data(values=known))
        .mark_point(filled=True, size=130, opacity=1)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "title:N", sort=titles, scale=_cycled(alt, titles, CATEGORIES), legend=alt.Legend(title=None)
            ),
            shape=alt.Shape("title:N", sort=titles, scale=_cycled(alt, titles, SHAPES), legend=alt.Legend(title=None)),
        )
    )
    chart = (line + points).properties(width=560, height=320)
    left = len(rows) - len(known)
    hidden = f" {left} agents whose cost is not known are left out." if left else ""
    return figure(
        "cost_against_score",
        "Cost against score",
        f"Up and to the left is better; the broken line joins agents that no other beats in both.{hidden}",
        chart,
    )


def _cycled(alt: Any, titles: Sequence[str], values: Sequence[str]) -> Any:
    return alt.Scale(domain=list(titles), range=[values[at % len(values)] for at in range(len(titles))])
