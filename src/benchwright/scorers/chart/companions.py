"""Charts as AgenticDataBench's hook describes them: texts in `<stem>.json`, data in `<stem>.npy`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from benchwright.scorers.chart.panels import Chart, Panel, UnreadableChart
from benchwright.scorers.compare.npy import UnreadableArray, read_npy

if TYPE_CHECKING:
    import numpy as np

_TEXTS: Final = {"title": "graph_title", "x_label": "x_label", "y_label": "y_label", "legend": "legend_title"}
_LISTS: Final = {"labels": "labels", "x_ticks": "xtick_labels", "y_ticks": "ytick_labels"}
_SUBPLOT: Final = re.compile(r"subplot_(\d{1,4})")
_MOST_PANELS: Final = 200


def read_companions(texts: Any, data: bytes) -> Chart:
    """The chart of parsed texts and stored data; UnreadableChart says what is wrong with them."""
    arrays = _arrays(data)
    if not isinstance(texts, dict):
        raise UnreadableChart("its texts are no JSON object")
    described = {name: value for name, value in texts.items() if _SUBPLOT.fullmatch(name) and isinstance(value, dict)}
    if not described and "type" in texts:
        described = {"subplot_0": texts}
    names = sorted({*described, *arrays}, key=lambda name: int(_SUBPLOT.fullmatch(name)[1]))  # type: ignore[index]
    if len(names) > _MOST_PANELS:
        raise UnreadableChart(f"it has {len(names)} panels")
    return Chart(tuple(_panel(name, described.get(name, {}), arrays.get(name)) for name in names), "companions")


def _arrays(data: bytes) -> Mapping[str, np.ndarray[Any, Any]]:
    import numpy as np

    try:
        found = read_npy(data)
    except UnreadableArray as error:
        raise UnreadableChart(f"rejected data: {error}") from error
    if not isinstance(found, dict):
        raise UnreadableChart("its data are not listed by subplot")
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    for name, value in found.items():
        if not isinstance(name, str) or not _SUBPLOT.fullmatch(name):
            raise UnreadableChart("its data are not listed by subplot")
        array = np.asarray(value)
        if array.dtype.kind not in "biuf" or array.ndim > 3:
            raise UnreadableChart(f"the data of {name} are no numbers")
        if array.size:
            arrays[name] = np.atleast_1d(array).astype(float)
    return arrays


def _panel(name: str, texts: Mapping[str, Any], array: np.ndarray[Any, Any] | None) -> Panel:
    kind = texts.get("type")
    return Panel(
        name=name,
        kind=kind.casefold() if isinstance(kind, str) else "",
        texts={part: value if isinstance(value := texts.get(key), str) else "" for part, key in _TEXTS.items()},
        lists={part: _list(texts.get(key)) for part, key in _LISTS.items()},
        rows=array,
    )


def _list(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
