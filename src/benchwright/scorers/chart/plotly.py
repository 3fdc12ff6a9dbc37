"""Charts of plotly, whose own description our capture keeps: a panel for every place where traces are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from benchwright.scorers.chart.numbers import among, listed, members, number
from benchwright.scorers.chart.panels import Panel, Series
from benchwright.scorers.chart.pieces import joined_bars, told_labels, without_marks
from benchwright.scorers.chart.plotly_traces import kind_of, outside, places_of, trace_series
from benchwright.scorers.chart.stacks import STACKED

_PUBLISHED: Final = {
    "pie": "pie", "bar": "bar", "histogram": "bar", "scatter": "scatter", "heatmap": "heatmap", "contour": "kde",
    "violin": "violin", "line": "line", "box": "line",
}  # fmt: skip
"""The published name of a panel: of the first of these kinds that it shows."""
_STANDING: Final = frozenset(("bar", "histogram", "box", "violin"))
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
    for turn, trace in enumerate(traces):
        if trace.get("visible", True) is True and trace.get("opacity") != 0:
            groups.setdefault(_place(trace, turn), []).append(trace)
    title = members(value.get("figure")).get("title")
    shown = title if isinstance(title, str) else ""
    titles = {axes: shown if len(groups) == 1 else _title(figure, axes) for axes in groups}
    several = len(traces) >= _LABELLED
    return tuple(_panel(figure, axes, group, titles[axes], several=several) for axes, group in groups.items())


def _place(trace: Mapping[str, Any], turn: int) -> tuple[str, str]:
    """Where a trace is drawn: its axes by their names, or the name of its scene, or itself."""
    kind = str(trace.get("type") or "scatter")
    if kind in _ALONE:
        return (kind, str(turn))
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
        if abs(number(x) - sum(across) / 2) <= _BESIDE and abs(number(y) - up[1]) <= _BESIDE:
            return str(note.get("text") or "")
    return ""


def _domain(axis: Mapping[str, Any]) -> tuple[float, float]:
    given = listed(axis.get("domain"))
    fits = len(given) == len(("low", "high")) and all(isinstance(side, int | float) for side in given)
    return (number(given[0]), number(given[1])) if fits else (0.0, 1.0)


def _panel(
    figure: Mapping[str, Any], axes: tuple[str, str], traces: list[Mapping[str, Any]], title: str, *, several: bool
) -> Panel:
    """`several`: whether the page has more than one trace, so that its legend names them."""
    axis = _axes(figure, axes)
    series = without_marks([one for trace in traces for one in _seen(trace, axis)])
    joined, kinds = joined_bars(series), _kinds(figure, traces, series)
    labels = _scene(figure, axes) or [str(one.get("title") or "") for one in axis]
    return Panel(
        name=" ".join(filter(None, axes)),
        kind=next((name for kind, name in _PUBLISHED.items() if kind in set(map(kind_of, traces))), ""),
        kinds=kinds,
        texts={"title": title, "x_label": labels[0], "y_label": labels[1], "legend": str(figure.get("legend") or "")},
        lists={"labels": told_labels(_labels(traces) if several else (), series, joined)},
        series=joined,
        scales=None if axes[1] == "" else (_scale(axis[0]), _scale(axis[1])),
        upright=_upright(traces),
    )


def _seen(trace: Mapping[str, Any], axes: tuple[Mapping[str, Any], Mapping[str, Any]]) -> Iterator[Series]:
    """The series of a trace, each with how much of it lies out of view."""
    for series in trace_series(trace, upwards=axes[1].get("autorange") != "reversed"):
        yield series if series.summary else replace(series, unseen=outside(trace, *axes))


def _kinds(figure: Mapping[str, Any], traces: Sequence[Mapping[str, Any]], series: Sequence[Series]) -> frozenset[str]:
    """The kinds of traces; of those that stand on each other the names that such have."""
    kinds = set(map(kind_of, traces))
    if "line" in kinds and not any(one.kind == "scatter" for one in series):
        kinds.discard("scatter")
    bars = [places_of(trace) for trace in traces if kind_of(trace) == "bar"]
    shared = len({place for places in bars for place in places}) < sum(map(len, bars))
    groups = [trace["stackgroup"] for trace in traces if isinstance(trace.get("stackgroup"), str)]
    stacked = {
        *(["bar"] if among(figure.get("barmode"), {"stack", "relative"}) and shared else []),
        *(["area"] if len(set(groups)) < len(groups) else []),
    }
    return frozenset(STACKED[kind] if kind in stacked else kind for kind in kinds)


def _scale(axis: Mapping[str, Any]) -> str:
    return "log" if axis.get("type") == "log" else "linear"


def _lies(kind: str, trace: Mapping[str, Any]) -> bool:
    if trace.get("orientation") is not None:
        return bool(trace["orientation"] == "h")
    value, along = ("y", "x") if kind == "histogram" else ("x", "y")
    return kind != "bar" and isinstance(trace.get(value), list) and not isinstance(trace.get(along), list)


def _upright(traces: Sequence[Mapping[str, Any]]) -> bool | None:
    found = {not _lies(kind_of(trace), trace) for trace in traces if kind_of(trace) in _STANDING}
    return found.pop() if len(found) == 1 else None


def _scene(figure: Mapping[str, Any], axes: tuple[str, str]) -> list[str]:
    """The titles of the first two axes of a scene; none where there is no such scene."""
    scene = members(members(figure.get("scenes")).get(axes[0]))
    return [str(scene.get(name) or "") for name in "xy"] if scene else []


def _labels(traces: list[Mapping[str, Any]]) -> tuple[str, ...]:
    """What a legend lists: the name of each trace once."""
    shown = [trace for trace in traces if trace.get("showlegend", True) is not False and trace.get("name")]
    return tuple(dict.fromkeys(str(trace["name"]) for trace in shown))
