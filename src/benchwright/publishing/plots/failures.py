"""What became of attempts: one bar an agent, cut by classes of failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.publishing.plots.figures import Figure, altair, figure

_ROW = 34
COLOURS = (
    *("#d55e00", "#e69f00", "#f0e442", "#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#8c6bb1"),
    *("#a6611a", "#80b1d3", "#b3de69", "#fccde5", "#999999", "#666666", "#bc80bd", "#444444"),
)
"""Neighbours in a bar differ in lightness as well as in hue."""


def failure_stacks(
    name: str, rows: Sequence[Mapping[str, Any]], lines: Sequence[str], classes: Sequence[str]
) -> Figure:
    """Rows of `title`, `failure` (words) and `share` (of its attempts); `lines` and `classes` give the order."""
    alt = altair()
    order = {failure: place for place, failure in enumerate(classes)}
    kept = [
        {"title": row["title"], "failure": row["failure"], "share": row["share"], "place": order[row["failure"]]}
        for row in rows
        if row["share"]
    ]
    present = [failure for failure in classes if any(row["failure"] == failure for row in kept)]
    chart = (
        alt.Chart(alt.Data(values=kept))
        .mark_bar(size=_ROW - 12)
        .encode(
            y=alt.Y("title:N", sort=list(lines), title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=8)),
            x=alt.X(
                "share:Q",
                title="share of attempts",
                stack="zero",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format=".0%", tickCount=6),
            ),
            color=alt.Color(
                "failure:N",
                sort=present,
                scale=alt.Scale(domain=present, range=[COLOURS[order[each] % len(COLOURS)] for each in present]),
                legend=alt.Legend(title=None, orient="bottom", columns=3, symbolType="square"),
            ),
            order=alt.Order("place:Q"),
        )
        .properties(width=620, height=_ROW * max(1, len(lines)))
    )
    return figure(
        name,
        "What went wrong, by domain" if name.endswith("domain") else "What went wrong",
        "Of all attempts in a line, the share that failed in each way; what is blank was right.",
        chart,
    )
