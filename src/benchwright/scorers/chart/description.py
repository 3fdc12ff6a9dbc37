"""Charts as our own capture describes them (`<stem>.chart.json`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from benchwright.scorers.chart.legends import entries, labelled
from benchwright.scorers.chart.numbers import listed, members
from benchwright.scorers.chart.panels import Chart, Panel, Series, UnreadableChart
from benchwright.scorers.chart.plotly import plotly_panel
from benchwright.scorers.chart.series import series_of

FORMAT: Final = "benchwright chart 1"
_MINOR: Final = ("rule", "span", "patch", "segments", "unreadable", "picture")
_SHAPES: Final = frozenset(("patch", "segments"))
"""What decorates a chart, and is all of one that has nothing else: coloured regions, events, bars in pieces."""
_PUBLISHED: Final = (
    ("pie", ("pie",)),
    ("bar", ("bar", "histogram", "bar3d")),
    ("scatter", ("scatter",)),
    ("heatmap", ("heatmap",)),
    ("kde", ("contour", "errorbar", "stem", "hexbin")),
    ("violin", ("violin",)),
    ("line", ("line", "box")),
    ("kde", ("area",)),
)
"""The published name of a panel: the first line of which it shows a kind."""
_MOST_PANELS: Final = 200
_MOST_SERIES: Final = 2000
_MOST_TEXTS: Final = 5000


def read_description(value: Any) -> Chart:
    """The chart of a parsed description; UnreadableChart says what is wrong with it."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise UnreadableChart("it is no description of a chart")
    if "failed" in value:
        raise UnreadableChart(f"the capture failed: {str(value['failed'])[:200]}")
    if isinstance(value.get("plotly"), dict):
        return Chart(plotly_panel(value), "description", value)
    axes = value.get("axes")
    if not isinstance(axes, list):
        raise UnreadableChart("it lists no axes")
    legends = listed(members(value.get("figure")).get("legends"))
    panels = _panels(axes, legends, frozenset(_MINOR)) or _panels(axes, legends, frozenset(_MINOR) - _SHAPES)
    if len(panels) == 1 and not panels[0].texts["title"]:
        panels = [_titled(panels[0], value)]
    return Chart(tuple(panels), "description", value)


def _panels(axes: list[Any], legends: list[Any], minor: frozenset[str]) -> list[Panel]:
    return [
        panel for place, one in enumerate(axes[:_MOST_PANELS]) for panel in _panel(f"axes {place}", one, legends, minor)
    ]


def _titled(panel: Panel, value: Mapping[str, Any]) -> Panel:
    """The only panel of a figure, under the figure's title."""
    title = _text(members(value.get("figure")).get("title"))
    return replace(panel, texts={**panel.texts, "title": title})


def _panel(name: str, axes: Any, legends: list[Any], minor: frozenset[str]) -> Iterator[Panel]:
    """The panel of an axes; nothing for one that is a colour bar or shows no data but what is `minor`.

    `legends` are the figure's, which say what colours mean where the axes has none of its own.
    """
    if not isinstance(axes, dict) or axes.get("role") == "colorbar" or not isinstance(axes.get("series"), list):
        return
    given = axes["series"][:_MOST_SERIES]
    raw = tuple(item for item in given if isinstance(item, dict) and isinstance(item.get("kind"), str))
    kinds = frozenset(item["kind"] for item in raw) - minor
    if not kinds:
        return
    legend = members(axes.get("legend"))
    known = entries([legend] if legend else legends)
    yield Panel(
        name=name,
        kind=published_kind(kinds),
        kinds=kinds,
        texts={
            **{part: _text(axes.get(part)) for part in ("title", "x_label", "y_label")},
            "legend": _text(legend.get("title")),
        },
        lists={"labels": _texts(legend.get("labels")), "x_ticks": _ticks(axes, "x"), "y_ticks": _ticks(axes, "y")},
        series=tuple(
            series
            for item in raw
            if item["kind"] in kinds
            for one in labelled(item, known)
            for series in _series(one, axes)
        ),
        raw=raw,
    )


def published_kind(kinds: frozenset[str]) -> str:
    """What AgenticDataBench's hook would call a panel with these kinds of series."""
    return next((name for name, ours in _PUBLISHED if kinds & set(ours)), "")


def _series(item: Mapping[str, Any], axes: Mapping[str, Any]) -> Iterator[Series]:
    yield from series_of(item, _axis(axes, "x"), _axis(axes, "y"))


def _axis(axes: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return members(axes.get(name))


def _ticks(axes: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return _texts(_axis(axes, name).get("labels"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value[:_MOST_TEXTS] if isinstance(item, str)) if isinstance(value, list) else ()
