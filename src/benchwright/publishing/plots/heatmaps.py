"""Means of agents by domain or category, as a grid of colours with the numbers in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.publishing.plots.figures import SEQUENCE, Figure, altair, figure

_CELL = (58, 28)
"""Points of one field: across, down."""
_DARK_TO = 0.55
"""Values below stand on dark colours, and are written in white."""
_MOST = 40
"""Lines that are drawn; the table has all of them."""


def heatmap(name: str, kind: str, rows: Sequence[Mapping[str, Any]], agents: Sequence[str]) -> Figure:
    """Rows of `label`, `title` and `mean` (0 to 1); labels stand as they come, agents in the order given."""
    alt = altair()
    labels = list(dict.fromkeys(row["label"] for row in rows))
    drawn = labels[:_MOST]
    kept = [{key: row[key] for key in ("label", "title", "mean")} for row in rows if row["label"] in set(drawn)]
    base = alt.Chart(alt.Data(values=kept)).encode(
        x=alt.X(
            "title:N",
            sort=list(agents),
            title=None,
            axis=alt.Axis(orient="top", labelAngle=-35, ticks=False, domain=False),
        ),
        y=alt.Y("label:N", sort=drawn, title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=6)),
    )
    colour = alt.Color(
        "mean:Q",
        scale=alt.Scale(scheme=SEQUENCE, domain=[0, 1]),
        legend=alt.Legend(title="mean", gradientLength=120, tickCount=3, format=".1f"),
    )
    field = base.mark_rect(stroke="transparent", strokeWidth=2).encode(color=colour)
    ink = alt.condition(f"datum.mean < {_DARK_TO}", alt.value("#ffffff"), alt.value("#111111"))
    number = base.mark_text(fontSize=12).encode(text=alt.Text("mean:Q", format=".2f"), color=ink)
    width, height = (step * max(1, n) for step, n in zip(_CELL, (len(agents), len(drawn)), strict=True))
    left = f" The first {_MOST} of {len(labels)}; the table has all." if len(labels) > _MOST else ""
    about = f"Mean score of each agent by {kind}; brighter is higher.{left}"
    return figure(name, f"Agents by {kind}", about, (field + number).properties(width=width, height=height))
