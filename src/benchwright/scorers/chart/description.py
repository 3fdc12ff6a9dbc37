"""Charts as our own capture describes them (`<stem>.chart.json`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from benchwright.scorers.chart.legends import entries, labelled, shown_labels
from benchwright.scorers.chart.numbers import listed, members
from benchwright.scorers.chart.panels import Chart, Panel, Series, UnreadableChart
from benchwright.scorers.chart.pieces import joined_bars, told_labels, with_bands, without_marks
from benchwright.scorers.chart.plotly import plotly_panel
from benchwright.scorers.chart.series import series_of
from benchwright.scorers.chart.shown import axes_seen, has_ink, in_view, is_joined, outside, unseen
from benchwright.scorers.chart.stacks import STACKED, unstacked, without_rims

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
_STANDING: Final = frozenset(("bar", "histogram", "box", "violin"))
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
    figure = members(value.get("figure"))
    legends = listed(figure.get("legends"))
    axes = [one for one in axes if not isinstance(one, dict) or axes_seen(one, figure)]
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
    given = [item for item in axes["series"][:_MOST_SERIES] if isinstance(item, dict) and has_ink(item, axes)]
    raw = tuple(in_view(item, axes) for item in given if isinstance(item.get("kind"), str))
    items, stacks = unstacked(without_rims([_as_drawn(item) for item in raw]))
    kinds = frozenset(item["kind"] for item in raw) - minor
    if not kinds:
        return
    legend = members(axes.get("legend"))
    named_by = legend or members(legends[0] if len(legends) == 1 else None)
    known = (entries([legend] if legend else legends), shown_labels([legend, *legends]))
    drawn = [item for item in items if item["kind"] not in minor]
    series = with_bands(without_marks([one for item in drawn for one in _series(item, axes, known)]))
    joined, labels = joined_bars(series), _texts(named_by.get("labels"))
    yield Panel(
        name=name,
        kind=published_kind(kinds),
        kinds=_kinds_of(drawn, series, stacks),
        texts={
            **{part: _text(axes.get(part)) for part in ("title", "x_label", "y_label")},
            "legend": _text(named_by.get("title")),
        },
        lists={
            "labels": told_labels(labels, series, joined),
            "x_ticks": _ticks(axes, "x"),
            "y_ticks": _ticks(axes, "y"),
        },
        series=joined,
        raw=raw,
        scales=(_scale(axes, "x"), _scale(axes, "y")),
        upright=_upright(raw),
    )


def _as_drawn(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """A line that is not joined as what it looks like."""
    flat = item["kind"] == "line" and "z" not in item
    return {**item, "kind": "scatter"} if flat and not is_joined(item) else item


def _kinds_of(items: Sequence[Mapping[str, Any]], series: Sequence[Series], stacks: frozenset[str]) -> frozenset[str]:
    """The kinds that a panel shows: points that only mark a line are none, what is stacked has names of its own."""
    kinds = {item["kind"] for item in items}
    if "line" in kinds and not any(one.kind == "scatter" for one in series):
        kinds.discard("scatter")
    return frozenset(STACKED[kind] if kind in stacks else kind for kind in kinds)


def _scale(axes: Mapping[str, Any], name: str) -> str:
    scale = str(_axis(axes, name).get("scale") or "linear")
    return {"symlog": "log"}.get(scale, scale)


def _upright(items: Sequence[Mapping[str, Any]]) -> bool | None:
    found = {item["vertical"] is True for item in items if item["kind"] in _STANDING and "vertical" in item}
    return found.pop() if len(found) == 1 else None


def published_kind(kinds: frozenset[str]) -> str:
    """What AgenticDataBench's hook would call a panel with these kinds of series."""
    return next((name for name, ours in _PUBLISHED if kinds & set(ours)), "")


def _series(
    item: Mapping[str, Any], axes: Mapping[str, Any], known: tuple[Mapping[str, str], frozenset[str]]
) -> Iterator[Series]:
    for one in labelled(item, *known):
        for series in series_of(one, _axis(axes, "x"), _axis(axes, "y")):
            yield series if series.summary else replace(series, unseen=unseen(one, axes))


def _axis(axes: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An axis; where its labels were set one by one, with those only that are in view."""
    axis = members(axes.get(name))
    ticks, labels = listed(axis.get("ticks")), listed(axis.get("labels"))
    if axis.get("type") != "number" or axis.get("fixed") is not True or len(ticks) != len(labels):
        return axis
    seen = [pair for pair, away in zip(zip(ticks, labels, strict=True), outside(ticks, axis), strict=True) if not away]
    return {**axis, "ticks": [tick for tick, _ in seen], "labels": [label for _, label in seen]}


def _ticks(axes: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return _texts(members(axes.get(name)).get("labels"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value[:_MOST_TEXTS] if isinstance(item, str)) if isinstance(value, list) else ()
