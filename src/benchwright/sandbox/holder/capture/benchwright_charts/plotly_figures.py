"""A figure of plotly in words: its own description, which is JSON, with long arrays summarised."""

from __future__ import annotations

import json
import os
from typing import Any

from . import saved
from .values import Budget, text

_PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".svg", ".pdf", ".html", ".htm", ".json", ".eps")
_ARRAYS = frozenset("x y z values labels open high low close r theta lat lon base width text names parents ids".split())
_STYLE = frozenset({"marker", "line", "template", "hovertemplate", "customdata", "colorbar", "colorscale"})


def describe(figure: Any, file: Any, options: dict[str, Any]) -> None:
    """Write the description of a figure that was just written to a file."""
    path = saved.picture_path(file)
    if path is None or os.path.splitext(path)[1].lower() not in _PICTURES:
        return
    saved.write(path, figure, lambda: described(figure, options))


def described(figure: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The figure's traces, and the texts of its layout."""
    budget = Budget()
    layout = figure.layout.to_plotly_json()
    return {
        "figure": {"title": _title(layout), "width": options.get("width"), "height": options.get("height")},
        "plotly": {
            "traces": [_trace(trace.to_plotly_json(), budget) for trace in figure.data],
            "axes": {name: _axis(value) for name, value in layout.items() if name[1:].startswith("axis")},
            "legend": text(_title(layout.get("legend", {}))),
            "barmode": text(layout.get("barmode") or ""),
            "annotations": [text(item.get("text", "")) for item in layout.get("annotations", ())],
        },
    }


def _title(owner: Any) -> str:
    title = owner.get("title") if isinstance(owner, dict) else None
    return text((title.get("text") if isinstance(title, dict) else title) or "")


def _axis(value: dict[str, Any]) -> dict[str, Any]:
    known = {
        name: value[name]
        for name in ("type", "range", "anchor", "overlaying", "domain", "ticktext", "tickvals")
        if name in value
    }
    return {"title": _title(value), **json.loads(json.dumps(known, default=_listed))}


def _trace(trace: dict[str, Any], budget: Budget) -> dict[str, Any]:
    plain = {name: value for name, value in trace.items() if name not in _STYLE and name not in _ARRAYS}
    arrays: dict[str, Any] = {
        name: _array(trace[name], budget) for name in _ARRAYS & trace.keys() if trace[name] is not None
    }
    errors: dict[str, Any] = {name: _error(plain.pop(name), budget) for name in ("error_x", "error_y") if name in plain}
    small: dict[str, Any] = {name: value for name, value in plain.items() if isinstance(value, (str, int, bool))}
    return {**small, **arrays, **errors}


def _error(bars: dict[str, Any], budget: Budget) -> dict[str, Any]:
    return {name: _array(bars[name], budget) for name in ("array", "arrayminus") if bars.get(name) is not None}


def _array(values: Any, budget: Budget) -> Any:
    """Numbers as numbers; texts and times as texts."""
    import numpy as np

    if isinstance(values, str):
        return text(values)
    found = np.asarray(values)
    if found.dtype.kind == "M":
        found = found.astype("datetime64[s]").astype(str)
    if found.dtype.kind in "biuf":
        return budget.values(found)
    if found.size > budget.left:
        return {"count": int(found.size), "failed": "too many texts"}
    budget.left -= found.size
    return json.loads(json.dumps(found.tolist(), default=_listed))


def _listed(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)
