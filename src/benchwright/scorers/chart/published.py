"""What our capture saw, put as AgenticDataBench's hook would put it, to be compared with golds in that form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchwright.scorers.chart.numbers import column, columns, listed, matrix, members, number
from benchwright.scorers.chart.panels import Panel, Series

if TYPE_CHECKING:
    import numpy as np

Item = Mapping[str, Any]


def as_series(rows: np.ndarray[Any, Any], panel: Panel, kind: str) -> tuple[Series, ...]:
    """The series of published data of one kind: rows of bars and lines, points, matrices.

    Rows are named by the legend where it has as many labels; bars, lines and matrices by the labels of an axis that
    has as many as they have values.
    """
    import numpy as np

    if kind in {"scatter", "kde", "violin"}:
        return (Series(kind, "", rows.reshape(len(rows), -1)),)
    if kind == "heatmap":
        matrices = rows.reshape(-1, *rows.shape[-2:]) if rows.ndim > 1 else rows.reshape(1, 1, -1)
        return tuple(
            Series(kind, "", one.reshape(-1, 1), _cells(one, panel), ordered=True, certain=False) for one in matrices
        )
    table = np.atleast_2d(rows.reshape(len(rows), -1) if rows.ndim > 1 else rows)
    labels = panel.lists.get("labels", ())
    named = len(labels) == len(table) and len(set(labels)) == len(labels)
    return tuple(
        Series(
            kind,
            labels[place] if named else "",
            row[:, None],
            _categories(len(row), panel) if kind != "pie" else (),
            from_zero=kind != "line",
            ordered=True,
            certain=False,
        )
        for place, row in enumerate(table)
    )


def _categories(count: int, panel: Panel) -> tuple[str, ...]:
    """The labels of the axis that has one for every value: first of one that holds words, then any."""
    fitting = [
        ticks for name in ("x_ticks", "y_ticks") if len(ticks := panel.lists.get(name, ())) == count == len(set(ticks))
    ]
    worded = [ticks for ticks in fitting if any(not _is_number(tick) for tick in ticks)]
    return next(iter(worded or fitting), ())


def _is_number(text: str) -> bool:
    try:
        float(text.replace("−", "-").replace(",", ""))
    except ValueError:
        return False
    return True


def _cells(values: np.ndarray[Any, Any], panel: Panel) -> tuple[str, ...]:
    up, across = panel.lists.get("y_ticks", ()), panel.lists.get("x_ticks", ())
    if (len(up), len(across)) != values.shape or len(set(up)) < len(up) or len(set(across)) < len(across):
        return ()
    return tuple(f"{row} | {name}" for row in up for name in across)


def as_rows(panel: Panel, kind: str) -> Iterator[np.ndarray[Any, Any]]:
    """The data of a panel of ours as the published hook writes those of that kind; more than one form where the
    hook's depends on how something was drawn.
    """
    if panel.rows is not None:
        yield panel.rows
        return
    reader = {
        "bar": _bars,
        "line": _lines,
        "pie": _pies,
        "scatter": _points,
        "heatmap": _matrices,
        "kde": _levels,
        "violin": _outlines,
    }
    if kind in reader:
        yield from (rows for rows in reader[kind](panel.raw) if rows.size)


def _bars(items: Sequence[Item]) -> Iterator[np.ndarray[Any, Any]]:
    """Heights in the order of drawing; a new row begins where bars go back along their axis."""
    rows: list[list[float]] = []
    last = float("inf")
    for item in items:
        for place, height in _bar_values(item):
            if place < last:
                rows.append([])
            rows[-1].append(height)
            last = place
    yield _padded(rows)


def _bar_values(item: Item) -> list[tuple[float, float]]:
    if item["kind"] == "bar":
        table = columns(item.get("x"), item.get("y"), item.get("width"))
        return [(x - width / 2, y) for x, y, width in table.tolist()]
    if item["kind"] == "histogram":
        edges = column(item.get("edges"))
        return list(zip(edges[:-1].tolist(), column(item.get("counts")).tolist(), strict=False))
    return []


def _lines(items: Sequence[Item]) -> Iterator[np.ndarray[Any, Any]]:
    """One row a line of more than one point. Boxes are lines too; their outlines only where they were not filled."""
    plain: list[list[float]] = []
    outlines: list[list[float]] = []
    for item in items:
        if item["kind"] in {"line", "errorbar", "stem"} and item.get("y") is not None:
            plain.append(column(item["y"]).tolist())
        elif item["kind"] == "rule":
            plain.append(
                [number(place)] * 2 if (place := next(iter(listed(item.get("y"))), None)) is not None else [0.0, 1.0]
            )
        elif item["kind"] == "box":
            for box in listed(item.get("boxes")):
                if isinstance(box, dict):
                    _box_lines(box, plain, outlines)
    plain = [row for row in plain if len(row) > 1]
    yield _padded(plain)
    if outlines:
        yield _padded([*plain, *outlines])


def _box_lines(box: Item, plain: list[list[float]], outlines: list[list[float]]) -> None:
    q1, median, q3, low, high = (number(box.get(name)) for name in ("q1", "med", "q3", "whislo", "whishi"))
    plain += [[q1, low], [q3, high], [low, low], [high, high], [median, median], column(box.get("fliers", [])).tolist()]
    outlines.append([q1, q1, q3, q3, q1])


def _pies(items: Sequence[Item]) -> Iterator[np.ndarray[Any, Any]]:
    yield _padded([column(item.get("shares")).tolist() for item in items if item["kind"] == "pie"])


def _points(items: Sequence[Item]) -> Iterator[np.ndarray[Any, Any]]:
    import numpy as np

    found = [columns(item.get("x"), item.get("y")) for item in items if item["kind"] == "scatter"]
    yield np.concatenate(found) if found else np.empty((0, 2))


def _matrices(items: Sequence[Item]) -> Iterator[np.ndarray[Any, Any]]:
    import numpy as np

    found = [matrix(item.get("values")) for item in items if item["kind"] == "heatmap"]
    yield np.stack([one for one in found if one.shape == found[0].shape]) if found else np.empty((0, 0, 0))


def _levels(items: Sequence[Item]) -> Iterator[np.ndarray[Any, Any]]:
    """The corners of contour lines."""
    import numpy as np

    paths = [path for item in items if item["kind"] == "contour" for path in listed(item.get("paths"))]
    yield np.concatenate([matrix(path) for path in paths]) if paths else np.empty((0, 2))


def _outlines(items: Sequence[Item]) -> Iterator[np.ndarray[Any, Any]]:
    """Along violins: up one side, down the other, as their outlines are stored."""
    import numpy as np

    sides = [
        column(members(shape).get("coords"))
        for item in items
        if item["kind"] == "violin"
        for shape in listed(item.get("shapes"))
    ]
    sides += [
        column(members(part).get("x")) for item in items if item["kind"] == "area" for part in listed(item.get("parts"))
    ]
    around = [np.concatenate([side[:1], side, side[-1:], side[::-1], side[:1]]) for side in sides if len(side)]
    yield np.concatenate(around)[:, None] if around else np.empty((0, 1))


def _padded(rows: Sequence[Sequence[float]]) -> np.ndarray[Any, Any]:
    """Rows of one length, filled up with zeros."""
    import numpy as np

    table = np.zeros((len(rows), max(map(len, rows), default=0)))
    for place, row in enumerate(rows):
        table[place, : len(row)] = row
    return table
