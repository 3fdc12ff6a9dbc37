"""Charts of plotly read from the page or the JSON that was handed in, which holds all that it shows."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from benchwright.scorers.chart.numbers import listed, members
from benchwright.scorers.chart.panels import Chart, UnreadableChart
from benchwright.scorers.chart.plotly import plotly_panel

PAGES: Final = frozenset((".html", ".htm", ".json"))
_CALL: Final = "Plotly.newPlot("
_BETWEEN: Final = " \t\r\n,"
_MOST_CALLS: Final = 100
_DEEPEST: Final = 12
_TYPES: Final = {f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)} | {"f4", "f8"}
_MOST_SIDES: Final = 3


def read_page(name: str, data: bytes) -> Chart | None:
    """The chart of a page or of plotly's JSON; None where the file holds none. UnreadableChart: it cannot be judged."""
    end = PurePosixPath(name).suffix.lower()
    if end not in PAGES:
        return None
    text = data.decode("utf-8-sig", "replace")
    try:
        figures = list(_of_json(text) if end == ".json" else _of_page(text))
        described = [_described(*figure) for figure in figures]
    except RecursionError as error:
        raise UnreadableChart("it is nested too deeply") from error
    panels = tuple(panel for value in described for panel in plotly_panel(value))
    return Chart(panels, "output", described[0]) if described else None


def _of_json(text: str) -> Iterator[tuple[list[Any], Mapping[str, Any]]]:
    try:
        value = json.loads(text)
    except ValueError:
        return
    if isinstance(value, dict) and isinstance(value.get("data"), list) and isinstance(value.get("layout"), dict):
        yield value["data"], value["layout"]


def _of_page(text: str) -> Iterator[tuple[list[Any], Mapping[str, Any]]]:
    """Traces and layout of every call that draws a figure."""
    reader, start = json.JSONDecoder(), 0
    for _ in range(_MOST_CALLS):
        start = text.find(_CALL, start)
        if start < 0:
            return
        start += len(_CALL)
        place, found = start, []
        try:
            for _ in ("element", "traces", "layout"):
                while text[place : place + 1] and text[place] in _BETWEEN:
                    place += 1
                value, place = reader.raw_decode(text, place)
                found.append(value)
        except ValueError:  # a mention in the library's own code
            continue
        if isinstance(found[1], list) and isinstance(found[2], dict):
            yield found[1], found[2]


def _described(traces: list[Any], layout: Mapping[str, Any]) -> dict[str, Any]:
    """A figure as our capture would describe it."""
    return {
        "figure": {"title": _title(layout)},
        "plotly": {
            "traces": [_decoded(trace) for trace in traces if isinstance(trace, dict)],
            "axes": {
                name: {**members(value), "title": _title(value)}
                for name, value in layout.items()
                if name[1:].startswith("axis")
            },
            "scenes": {
                name: {axis: _title(members(value).get(f"{axis}axis")) for axis in "xyz"}
                for name, value in layout.items()
                if name.startswith("scene")
            },
            "legend": _title(layout.get("legend")),
            "barmode": str(layout.get("barmode") or ""),
            "annotations": listed(layout.get("annotations")),
        },
    }


def _title(owner: Any) -> str:
    title = members(owner).get("title")
    found = title.get("text") if isinstance(title, dict) else title
    return found if isinstance(found, str) else ""


def _decoded(value: Any, depth: int = 0) -> Any:
    """A value in which arrays of bytes are lists of numbers."""
    if depth > _DEEPEST:
        raise UnreadableChart("it is nested too deeply")
    if isinstance(value, list):
        return [_decoded(item, depth + 1) if isinstance(item, list | dict) else item for item in value]
    if not isinstance(value, dict):
        return value
    if "bdata" in value and "dtype" in value:
        return _array(value)
    return {name: _decoded(item, depth + 1) for name, item in value.items()}


def _array(value: Mapping[str, Any]) -> list[Any]:
    import numpy as np

    kind, shape = value["dtype"], value.get("shape")
    if not isinstance(kind, str) or kind not in _TYPES:
        raise UnreadableChart(f"an array has the type {str(kind)[:40]!r}")
    try:
        found = np.frombuffer(base64.b64decode(str(value["bdata"]), validate=True), dtype=f"<{kind}").astype(float)
        sides = [int(side) for side in str(shape).split(",")][:_MOST_SIDES] if shape is not None else [-1]
        listed_numbers: list[Any] = found.reshape(sides).tolist()
    except (ValueError, OverflowError, binascii.Error) as error:
        raise UnreadableChart("an array has bytes that do not fit it") from error
    return listed_numbers
