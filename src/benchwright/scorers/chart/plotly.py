"""Charts of plotly, whose own description our capture keeps: a panel for every place where traces are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from benchwright.scorers.chart.numbers import listed, members
from benchwright.scorers.chart.panels import Panel
from benchwright.scorers.chart.plotly_traces import kind_of, trace_series

_PUBLISHED: Final = {
    "pie": "pie", "bar": "bar", "histogram": "bar", "scatter": "scatter", "heatmap": "heatmap", "contour": "kde",
    "violin": "violin", "line": "line", "box": "line",
}  # fmt: skip
"""The published name of a panel: of the first of these kinds that it shows."""
_LABELLED: Final = 2
_MOST_TRACES: Final = 500
_PLACES: Final = (("scene", "scene"), ("subplot", "polar"), ("geo", "geo"))
_BESIDE: Final = 0.02
"""How far from the middle and the top of its panel the title of one may stand, as a share of the page."""
_ALONE: Final = frozenset(
    "pie funnelarea sunburst treemap icicle indicator sankey table parcoords parcats splom".split()
)
"""Traces that need no axes: each is a panel."""


def plotly_panel(value: Mapping[str, Any]) -> tuple[Panel, ...]:
    """One panel a pair of axes (or scene, map, pie), from the traces that are drawn on it."""
    figure = value["plotly"]
    traces = [trace for trace in listed(figure.get("traces"))[:_MOST_TRACES] if isinstance(trace, dict)]
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for number, trace in enumerate(traces):
        if trace.get("visible", True) is True:
            groups.setdefault(_place(trace, number), []).append(trace)
    title = members(value.get("figure")).get("title")
    shown = title if isinstance(title, str) else ""
    titles = {axes: shown if len(groups) == 1 else _title(figure, axes) for axes in groups}
    several = len(traces) >= _LABELLED
    return tuple(_panel(figure, axes, group, titles[axes], several=several) for axes, group in groups.items())


def _place(trace: Mapping[str, Any], number: int) -> tuple[str, str]:
    """Where a trace is drawn: its axes by their names, or the name of its scene, or itself."""
    kind = str(trace.get("type") or "scatter")
    if kind in _ALONE:
        return (kind, str(number))
    for name, usual in _PLACES:
        given = trace.get(name)
        if isinstance(given, str) or (name == "scene" and ("3d" in kind or kind in {"surface", "cone", "isosurface"})):
            return (given if isinstance(given, str) else usual, "")
    return (str(trace.get("xaxis") or "x"), str(trace.get("yaxis") or "y"))


def _axes(figure: Mapping[str, Any], axes: tuple[str, str]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    known = members(figure.get("axes"))
    across, up = (members(known.get(f"{name[:1]}axis{name[1:]}")) for name in axes)
    return across, up


def _title(figure: Mapping[str, Any], axes: tuple[str, str]) -> str:
    """The title of one of several panels: the text above its middle."""
    across, up = (_domain(axis) for axis in _axes(figure, axes))
    for note in map(members, listed(figure.get("annotations"))):
        x, y = note.get("x"), note.get("y")
        of_page = note.get("xref") == note.get("yref") == "paper"
        if not (of_page and isinstance(x, int | float) and isinstance(y, int | float)):
            continue
        if abs(x - sum(across) / 2) <= _BESIDE and abs(y - up[1]) <= _BESIDE:
            return str(note.get("text") or "")
    return ""


def _domain(axis: Mapping[str, Any]) -> tuple[float, float]:
    given = listed(axis.get("domain"))
    fits = len(given) == len(("low", "high")) and all(isinstance(side, int | float) for side in given)
    return (float(given[0]), float(given[1])) if fits else (0.0, 1.0)


def _panel(
    figure: Mapping[str, Any], axes: tuple[str, str], traces: list[Mapping[str, Any]], title: str, *, several: bool
) -> Panel:
    """`several`: whether the page has more than one trace, so that its legend names them."""
    kinds = frozenset(map(kind_of, traces))
    labels = _scene(figure, axes) or [str(axis.get("title") or "") for axis in _axes(figure, axes)]
    upwards = _axes(figure, axes)[1].get("autorange") != "reversed"
    return Panel(
        name=" ".join(filter(None, axes)),
        kind=next((name for kind, name in _PUBLISHED.items() if kind in kinds), ""),
        kinds=kinds,
        texts={"title": title, "x_label": labels[0], "y_label": labels[1], "legend": str(figure.get("legend") or "")},
        lists={"labels": _labels(traces) if several else ()},
        series=tuple(series for trace in traces for series in trace_series(trace, upwards=upwards)),
    )


def _scene(figure: Mapping[str, Any], axes: tuple[str, str]) -> list[str]:
    """The titles of the first two axes of a scene; none where there is no such scene."""
    scene = members(members(figure.get("scenes")).get(axes[0]))
    return [str(scene.get(name) or "") for name in "xy"] if scene else []


def _labels(traces: list[Mapping[str, Any]]) -> tuple[str, ...]:
    """What a legend lists: the name of each trace once."""
    shown = [trace for trace in traces if trace.get("showlegend", True) is not False and trace.get("name")]
    return tuple(dict.fromkeys(str(trace["name"]) for trace in shown))
