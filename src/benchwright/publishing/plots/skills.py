"""What each agent is better and worse at than the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.publishing.plots.figures import GRID, Figure, altair, figure

_ROW = 20
_EACH = 5
"""Strengths, and weaknesses, that are drawn of an agent."""
_AGENTS = 6
"""Agents that are drawn; the table has all."""
BETTER, WORSE = "#0072b2", "#d55e00"


def strengths(rows: Sequence[Mapping[str, Any]], agents: Sequence[str]) -> Figure:
    """Rows of `title`, `skill` and `deviation`: for each agent its largest and smallest ones."""
    alt = altair()
    shown = [title for title in agents if any(row["title"] == title and row["deviation"] for row in rows)][:_AGENTS]
    drawn = [_panel(alt, title, rows, last=title == shown[-1]) for title in shown]
    chart = alt.vconcat(*drawn, spacing=18).resolve_scale(x="shared")
    left = f" The first {_AGENTS} agents; the table has all." if len(agents) > _AGENTS else ""
    about = f"Up to {_EACH} skills in which an agent's weighted score lies furthest above and below the others'.{left}"
    return figure("skill_strengths", "Strengths and weaknesses", about, chart)


def _panel(alt: Any, title: str, rows: Sequence[Mapping[str, Any]], *, last: bool) -> Any:
    found = sorted(
        (row for row in rows if row["title"] == title and row["deviation"]), key=lambda row: -row["deviation"]
    )
    ends = [row for place, row in enumerate(found) if place < _EACH or place >= len(found) - _EACH]
    kept = [{"skill": row["skill"], "deviation": row["deviation"]} for row in ends]
    base = alt.Chart(alt.Data(values=kept), title=alt.TitleParams(title, anchor="start", fontSize=13, frame="group"))
    bars = base.mark_bar(size=_ROW - 7).encode(
        x=alt.X(
            "deviation:Q",
            title="weighted deviation from the other agents" if last else None,
            axis=alt.Axis(format="+.2f", tickCount=7),
        ),
        y=alt.Y("skill:N", sort=[row["skill"] for row in kept], title=None, axis=alt.Axis(ticks=False, domain=False)),
        color=alt.condition("datum.deviation > 0", alt.value(BETTER), alt.value(WORSE)),
    )
    zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color=GRID).encode(x="zero:Q")
    return (zero + bars).properties(width=480, height=_ROW * len(kept))
