"""Bars and areas that stand on each other: they show the same whichever of them stands below."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from benchwright.scorers.chart.numbers import column, columns, listed, members

if TYPE_CHECKING:
    import numpy as np

Item = Mapping[str, Any]

STACKED: Final = {"bar": "stacked bar", "histogram": "stacked bar", "area": "stacked area"}
"""What a kind of series is called where several stand on each other."""
_NEAR: Final = 1e-6
_MOST: Final = 200


def unstacked(items: Sequence[Item]) -> tuple[list[Item], frozenset[str]]:
    """The series as if each stood on its axis, and of which kinds some stood on each other.

    Bars that float, as in waterfalls, stay where they are.
    """
    found: set[str] = set()
    shown = list(items)
    bars = [item for item in items if item["kind"] == "bar"]
    if any(item["kind"] == "histogram" and any(column(listed(item.get("base")))) for item in items):
        found.add("histogram")
    if len(bars) > 1 and _are_stacked(bars):
        found.add("bar")
        shown = [{**item, "base": []} if item["kind"] == "bar" else item for item in shown]
    areas = _levelled([item for item in items if item["kind"] == "area"])
    if areas:
        found.add("area")
        shown = [areas.get(id(item), item) for item in shown]
    return shown, frozenset(found)


def without_rims(items: Sequence[Item]) -> list[Item]:
    """The series without lines that only draw the rim of an area, which have its label."""
    shown = list(items)
    for line in [item for item in items if item["kind"] == "line"][:_MOST]:
        area = next((item for item in shown[:_MOST] if item["kind"] == "area" and _is_rim(line, item)), None)
        if area is not None:
            labelled = {**area, "label": area.get("label") or line.get("label")}
            shown = [labelled if item is area else item for item in shown if item is not line]
    return shown


def _is_rim(line: Item, area: Item) -> bool:
    parts = [members(part) for part in listed(area.get("parts"))]
    if len(parts) != 1 or not isinstance(line.get("x"), list) or "z" in line:
        return False
    return line["x"] == parts[0].get("x") and line.get("y") == parts[0].get("high")


def _are_stacked(bars: Sequence[Item]) -> bool:
    """Whether at every place the bars follow each other from zero on, and somewhere one stands on another."""
    places: dict[tuple[bool, float], list[tuple[float, float]]] = defaultdict(list)
    for item in bars:
        sides = [item.get(name) for name in ("x", "base", "y")]
        if not all(isinstance(side, list) for side in sides):
            return False
        upright = item.get("vertical", True) is True
        for at, base, value in zip(*(column(side).tolist() for side in sides), strict=False):
            if value and value == value:  # noqa: PLR0124 - neither nothing nor NaN
                places[upright, round(at, 6)].append((base, base + value))
    deepest = [_chain(ends) for ends in places.values()]
    return bool(deepest) and min(deepest) > 0 and max(deepest) > 1


def _chain(ends: Sequence[tuple[float, float]]) -> int:
    """How many bars stand on each other at one place, upwards or downwards; 0 where any hangs in the air."""
    most = 0
    for sign in (1.0, -1.0):
        side = sorted((sign * base, sign * end) for base, end in ends if sign * (end - base) > 0)
        top = 0.0
        for base, end in side:
            if not abs(base - top) <= _NEAR * max(abs(base), abs(end)):
                return 0
            top = end
        most = max(most, len(side))
    return most


def _levelled(areas: Sequence[Item]) -> dict[int, Item]:
    """By identity of areas that stand on each other from zero on, the same areas each from zero on; else nothing."""
    import numpy as np

    tables = [_area(item) for item in areas]
    found = [(item, table) for item, table in zip(areas, tables, strict=True) if table is not None]
    if not len(areas) == len(found) > 1 or len({table.shape for _, table in found}) != 1:
        return {}
    found.sort(key=lambda one: one[1][:, 1:].sum(axis=0).tolist())
    x, edge = found[0][1][:, 0], np.zeros(len(found[0][1]))
    levelled: dict[int, Item] = {}
    for item, table in found:
        across, low, high = table.T
        near = np.allclose(low, edge, rtol=_NEAR, atol=_NEAR * float(np.abs(high).max(initial=0.0)))
        if not (near and np.array_equal(across, x)):
            return {}
        part = {"x": x.tolist(), "low": [0.0] * len(x), "high": (high - low).tolist()}
        levelled[id(item)] = {**item, "parts": [part]}
        edge = high
    return levelled


def _area(item: Item) -> np.ndarray[Any, Any] | None:
    """An area in one part, as places and where it begins and ends; None of any other."""
    parts = [members(part) for part in listed(item.get("parts"))]
    sides = [parts[0].get(name) for name in ("x", "low", "high")] if len(parts) == 1 else [None]
    return columns(*sides) if all(isinstance(side, list) for side in sides) else None
