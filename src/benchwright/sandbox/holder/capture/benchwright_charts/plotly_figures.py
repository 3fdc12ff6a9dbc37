"""A figure of plotly in words: its own description, which is JSON, with long arrays summarised."""

from __future__ import annotations

import base64
import json
import os
from typing import Any

from . import saved
from .values import Budget, text

_PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".svg", ".pdf", ".html", ".htm", ".json", ".eps")
_ARRAYS = frozenset(
    "x y z values labels open high low close r theta lat lon locations base width text names parents ids a b c u v w "
    "q1 median q3 lowerfence upperfence mean sd measure".split()
)
_STYLE = frozenset({"marker", "line", "template", "hovertemplate", "customdata", "colorbar", "colorscale"})
_NESTED = {
    "node": ("label",),
    "link": ("source", "target", "value"),
    "header": ("values",),
    "cells": ("values",),
    "error_x": ("array", "arrayminus"),
    "error_y": ("array", "arrayminus"),
}
"""Members of a trace that hold data one level further down."""
_AXIS = ("type", "range", "anchor", "overlaying", "domain", "ticktext", "tickvals", "autorange")
_MOST_NOTES = 100
_DEEPEST = 4


def describe(figure: Any, file: Any, options: dict[str, Any]) -> None:
    """Write the description of a figure that was just written to a file."""
    path = saved.picture_path(file)
    if path is None or os.path.splitext(path)[1].lower() not in _PICTURES:
        return
    saved.write(path, figure, lambda: described(figure, options))


def described(figure: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The figure's traces, and the texts of its layout. `figure` may be a dict, which plotly takes as well."""
    budget = Budget()
    layout = _plain(_member(figure, "layout") or {})
    traces = [_plain(trace) for trace in _member(figure, "data") or ()]
    return {
        "figure": {"title": _title(layout), "width": options.get("width"), "height": options.get("height")},
        "plotly": {
            "traces": [_trace(trace, budget) for trace in traces],
            "axes": {name: _axis(value) for name, value in layout.items() if name[1:].startswith("axis")},
            "scenes": {
                name: {axis: _title(value.get(f"{axis}axis")) for axis in "xyz"}
                for name, value in layout.items()
                if name.startswith("scene") and isinstance(value, dict)
            },
            "legend": text(_title(layout.get("legend"))),
            "barmode": text(layout.get("barmode") or ""),
            "annotations": [_note(item) for item in list(layout.get("annotations") or ())[:_MOST_NOTES]],
        },
    }


def _member(figure: Any, name: str) -> Any:
    return figure.get(name) if isinstance(figure, dict) else getattr(figure, name)


def _plain(owner: Any) -> dict[str, Any]:
    found: dict[str, Any] = owner.to_plotly_json() if hasattr(owner, "to_plotly_json") else dict(owner)
    return found


def _title(owner: Any) -> str:
    title = owner.get("title") if isinstance(owner, dict) else None
    return text((title.get("text") if isinstance(title, dict) else title) or "")


def _axis(value: dict[str, Any]) -> dict[str, Any]:
    known = {name: value[name] for name in _AXIS if name in value}
    return {"title": _title(value), **json.loads(json.dumps(known, default=_listed))}


def _note(item: dict[str, Any]) -> dict[str, Any]:
    places = {name: item.get(name) for name in ("x", "y", "xref", "yref")}
    return {"text": text(item.get("text") or ""), **json.loads(json.dumps(places, default=_listed))}


def _trace(trace: dict[str, Any], budget: Budget) -> dict[str, Any]:
    arrays: dict[str, Any] = {
        name: _array(trace[name], budget) for name in sorted(_ARRAYS & trace.keys()) if trace[name] is not None
    }
    nested: dict[str, Any] = {
        name: {part: _array(trace[name][part], budget) for part in parts if trace[name].get(part) is not None}
        for name, parts in _NESTED.items()
        if isinstance(trace.get(name), dict)
    }
    small: dict[str, Any] = {
        name: value
        for name, value in trace.items()
        if name not in _STYLE and name not in arrays and isinstance(value, (str, int, float, bool))
    }
    marker: Any = trace.get("marker")
    for name in ("color", "size") if isinstance(marker, dict) else ():
        if not isinstance(marker.get(name), (str, int, float, type(None))):
            nested.setdefault("marker", {})[name] = _array(marker[name], budget)
    if isinstance(trace.get("dimensions"), (list, tuple)):
        nested["dimensions"] = [
            {"label": text(one.get("label") or ""), "values": _array(one["values"], budget)}
            for one in map(_plain, trace["dimensions"])
            if one.get("values") is not None
        ]
    return {**small, **arrays, **nested}


def _array(values: Any, budget: Budget) -> Any:
    """Numbers as numbers; texts and times as texts."""
    import numpy as np

    if isinstance(values, str):
        return text(values)
    if isinstance(values, (int, float)):
        return values
    if isinstance(values, dict):
        values = _typed(values)
    try:
        found = np.asarray(values)
    except ValueError:  # lists of several lengths
        found = np.array(list(values), dtype=object)
    if found.dtype.kind == "M":
        found = found.astype("datetime64[s]").astype(str)
    if found.dtype.kind in "biuf":
        return budget.values(found)
    if found.size > budget.left:
        return {"count": int(found.size), "failed": "too many texts"}
    budget.left -= found.size
    return _marked(json.loads(json.dumps(found.tolist(), default=_listed)))


def _typed(value: dict[str, Any]) -> Any:
    """An array as plotly writes it to JSON: its type, and its bytes in base 64."""
    import numpy as np

    found = np.frombuffer(base64.b64decode(value["bdata"]), dtype=np.dtype(value["dtype"]).newbyteorder("<"))
    shape = value.get("shape")
    return found.reshape([int(side) for side in str(shape).split(",")]) if shape else found


def _marked(value: Any, depth: int = 0) -> Any:
    """Numbers that JSON has no words for, as `Budget.values` writes them; texts of bounded length."""
    if isinstance(value, list) and depth < _DEEPEST:
        return [_marked(item, depth + 1) for item in value]
    if isinstance(value, str):
        return text(value)
    if isinstance(value, float) and (value != value or value in {float("inf"), float("-inf")}):  # noqa: PLR0124
        return None if value != value else "inf" if value > 0 else "-inf"  # noqa: PLR0124
    return value


def _listed(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)
