"""How soon agents come upon the files that a right answer needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.publishing.plots.figures import CATEGORIES, Figure, altair, figure

_DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3))


def discovery_timeline(rows: Sequence[Mapping[str, Any]], agents: Sequence[str]) -> Figure:
    """Rows of `title`, `step` (from 1) and `share` (of required files opened by then)."""
    alt = altair()
    kept = [{key: row[key] for key in ("title", "step", "share")} for row in rows]
    present = [title for title in agents if any(row["title"] == title for row in kept)]
    colour = alt.Scale(domain=present, range=[CATEGORIES[at % len(CATEGORIES)] for at in range(len(present))])
    dash = alt.Scale(domain=present, range=[list(_DASHES[at % len(_DASHES)]) for at in range(len(present))])
    chart = (
        alt.Chart(alt.Data(values=kept))
        .mark_line(interpolate="step-after", strokeWidth=2.2)
        .encode(
            x=alt.X("step:Q", title="step", scale=alt.Scale(nice=False), axis=alt.Axis(tickMinStep=1)),
            y=alt.Y(
                "share:Q", title="required files opened", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%")
            ),
            color=alt.Color(
                "title:N", sort=present, scale=colour, legend=alt.Legend(title=None, symbolStrokeWidth=2.2)
            ),
            strokeDash=alt.StrokeDash("title:N", sort=present, scale=dash, legend=alt.Legend(title=None)),
        )
        .properties(width=560, height=280)
    )
    about = "Of all required files of an agent's attempts, the share that was opened by each step."
    return figure("discovery_timeline", "How soon the right files are opened", about, chart)
