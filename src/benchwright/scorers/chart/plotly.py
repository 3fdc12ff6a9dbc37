"""Charts of plotly, whose own description our capture keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchwright.scorers.chart.numbers import column, columns, listed, members
from benchwright.scorers.chart.panels import Panel, Series, UnreadableChart

_KINDS: Final = {
    "bar": "bar",
    "histogram": "histogram",
    "box": "box",
    "violin": "violin",
    "pie": "pie",
    "heatmap": "heatmap",
    "contour": "contour",
    "surface": "surface",
    "scatter3d": "scatter",
}
_PUBLISHED: Final = {"histogram": "bar", "box": "line", "contour": "kde"}
_LABELLED: Final = 2


def plotly_panel(value: Mapping[str, Any]) -> tuple[Panel, ...]:
    """One panel a pair of axes, from the traces that are drawn on it."""
    figure = value["plotly"]
    traces = [trace for trace in listed(figure.get("traces")) if isinstance(trace, dict)]
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for trace in traces:
        groups.setdefault((str(trace.get("xaxis") or "x"), str(trace.get("yaxis") or "y")), []).append(trace)
    title = members(value.get("figure")).get("title")
    return tuple(_panel(figure, axes, group, str(title or "")) for axes, group in groups.items())


def _panel(figure: Mapping[str, Any], axes: tuple[str, str], traces: list[Mapping[str, Any]], title: str) -> Panel:
    kinds = frozenset(map(_kind, traces))
    known = members(figure.get("axes"))
    names = [f"{name[0]}axis{name[1:]}" for name in axes]
    titles = [members(known.get(name)).get("title") for name in names]
    return Panel(
        name=" ".join(axes),
        kind=next((_PUBLISHED.get(kind, kind) for kind in ("pie", "bar", "scatter", "heatmap") if kind in kinds), None)
        or next((_PUBLISHED.get(kind, kind) for kind in sorted(kinds)), ""),
        kinds=kinds,
        texts={
            "title": title,
            "x_label": str(titles[0] or ""),
            "y_label": str(titles[1] or ""),
            "legend": str(figure.get("legend") or ""),
        },
        lists={
            "labels": tuple(str(trace["name"]) for trace in traces if trace.get("name"))
            if len(traces) >= _LABELLED
            else ()
        },
        series=tuple(series for trace in traces for series in _series(trace)),
    )


def _kind(trace: Mapping[str, Any]) -> str:
    kind = str(trace.get("type") or "scatter")
    if kind in {"scatter", "scattergl"}:
        return "scatter" if "lines" not in str(trace.get("mode") or "lines") else "line"
    return _KINDS.get(kind, kind)


def _series(trace: Mapping[str, Any]) -> Iterator[Series]:
    import numpy as np

    kind, label = _kind(trace), str(trace.get("name") or "")
    lying = trace.get("orientation") == "h"
    x, y = (trace.get("y"), trace.get("x")) if lying else (trace.get("x"), trace.get("y"))
    if kind == "pie":
        shares = column(trace.get("values"))
        total = float(np.nansum(shares)) or 1.0
        yield Series("pie", label, (shares / total)[:, None], _texts(trace.get("labels")), from_zero=True)
    elif kind in {"heatmap", "contour", "surface"}:
        yield Series(kind, label, column(trace.get("z"))[:, None], ordered=True)
    elif kind in {"histogram", "box", "violin"}:
        yield Series(kind, label, column(x if x is not None and kind == "histogram" else y)[:, None])
    elif isinstance(y, list):
        yield _pairs(kind, label, list(range(len(y))) if x is None else x, y)
    elif y is not None:
        raise UnreadableChart("a trace is too long to be written out")


def _pairs(kind: str, label: str, x: Any, y: list[Any]) -> Series:
    names = _texts(x)
    if names:
        if len(names) != len(y):
            raise UnreadableChart("the columns of a trace have several lengths")
        if len(set(names)) == len(names):
            return Series(kind, label, column(y)[:, None], names, from_zero=kind == "bar")
        return Series(kind, label, column(y)[:, None], from_zero=kind == "bar", ordered=True)
    return Series(kind, label, columns(x, y), places=0 if kind == "scatter" else 1, from_zero=kind == "bar")


def _texts(value: Any) -> tuple[str, ...]:
    """A list of texts; empty where any is none."""
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        return ()
    return tuple(value)
