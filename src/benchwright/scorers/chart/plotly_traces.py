"""From a trace of plotly to tables that can be compared."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from benchwright.scorers.chart.long_series import long_series
from benchwright.scorers.chart.naming import days_of, worded_places
from benchwright.scorers.chart.numbers import among, column, columns, listed, matrix, members
from benchwright.scorers.chart.panels import Series, UnreadableChart
from benchwright.scorers.chart.tables import in_place
from benchwright.scorers.chart.texts import folded

if TYPE_CHECKING:
    import numpy as np

_KINDS: Final = {
    "scattergl": "scatter",
    "scatter3d": "scatter",
    "scatterpolargl": "scatterpolar",
    "heatmapgl": "heatmap",
    "ohlc": "candlestick",
}

_RANGED: Final = frozenset(("line", "scatter", "area", "bar"))
_RIM: Final = 1e-6

Trace = Mapping[str, Any]


def kind_of(trace: Trace) -> str:
    """What a trace shows, by our names."""
    kind = str(trace.get("type") or "scatter")
    if kind not in {"scatter", "scattergl", "scatter3d"}:
        return _KINDS.get(kind, kind)
    if trace.get("stackgroup") or str(trace.get("fill") or "none") != "none":
        return "area"
    return "line" if "lines" in str(trace.get("mode") or "lines") else "scatter"


def trace_series(trace: Trace, *, upwards: bool = True) -> Iterator[Series]:
    """The tables of one trace; none of a type that is not known. `upwards`: whether rows of a matrix go up the page."""
    kind = kind_of(trace)
    if any(isinstance(value, dict) and "failed" in value for value in trace.values()):
        raise UnreadableChart("a trace is too long to be written out")
    long = long_series({**trace, "kind": kind}, _label(trace))
    if long is not None:
        yield long
    elif kind == "heatmap":
        yield from _mesh(trace, upwards=upwards)
    elif kind in _READERS:
        yield from _READERS[kind](kind, trace)


def places_of(trace: Trace) -> tuple[Any, ...]:
    """Where the bars of a trace stand: names or numbers."""
    along = _Along(trace.get("y" if trace.get("orientation") == "h" else "x"))
    return along.names or tuple(number for number in along.numbers if isinstance(number, int | float))


def outside(trace: Trace, across: Mapping[str, Any], up: Mapping[str, Any]) -> int:
    """How many points or bars of a trace lie outside of the ranges that were set for its axes."""
    if kind_of(trace) not in _RANGED:
        return 0
    sides = [_away(trace.get(name), axis) for name, axis in (("x", across), ("y", up))]
    if not all(sides):
        return sum(map(sum, sides))
    return sum(one or other for one, other in zip(*sides, strict=False))


def _away(values: Any, axis: Mapping[str, Any]) -> list[bool]:
    """Of each value whether it lies outside of an axis' range; nothing where no range was set, or names stand there."""
    ends, along = _Along(axis.get("range")), _Along(values)
    known = [end for end in ends.numbers if isinstance(end, int | float)]
    if among(axis.get("autorange"), {True, "reversed"}) or len(known) != len(("low", "high")) or along.names:
        return []
    low, high = min(known), max(known)
    slack = _RIM * (high - low)
    found = (_logged(value) if axis.get("type") == "log" else value for value in along.numbers)
    return [isinstance(value, int | float) and not low - slack <= value <= high + slack for value in found]


def _logged(value: Any) -> Any:
    return math.log10(value) if isinstance(value, int | float) and value > 0 else None


def _label(trace: Trace) -> str:
    name = trace.get("name")
    return name if isinstance(name, str) else ""


@dataclass(frozen=True)
class _Along:
    """Where things stand along an axis: at names, or at numbers (dates as days since 1970)."""

    given: Any

    @cached_property
    def days(self) -> list[float] | None:
        """The places of dates, and of numbers that were written as words; None where any is none."""
        texts = listed(self.given)
        if not texts or not all(isinstance(text, str) for text in texts):
            return None
        if days_of(texts[0]) is None:
            return worded_places(texts)
        found = [days_of(text) for text in texts]
        return None if any(one is None for one in found) else [one for one in found if one is not None]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names, where they are names and no dates."""
        texts = listed(self.given)
        named = any(isinstance(text, str) for text in texts) and self.days is None
        return tuple(str(text) for text in texts) if named else ()

    @property
    def numbers(self) -> list[Any]:
        """Numbers, or days."""
        return self.days or listed(self.given)


def _numbers(value: Any) -> list[Any]:
    """A column of numbers; dates are days."""
    along = _Along(value)
    if along.names:
        raise UnreadableChart("names stand where numbers should")
    return along.numbers


def _table(kind: str, label: str, along: _Along, *values: Any, free: bool = False, from_zero: bool = False) -> Series:
    """A series of things along an axis. Things of one name are sorted by their values."""
    import numpy as np

    if not along.names:
        table = columns(along.numbers, *values)
        return Series(kind, label, table, places=0 if free else 1, from_zero=from_zero, path=kind == "line")
    table = columns(*values) if values else np.zeros((len(along.names), 1))
    if len(table) != len(along.names):
        raise UnreadableChart("the columns of a trace have several lengths")
    if len(set(along.names)) == len(along.names):
        return Series(kind, label, table, along.names, from_zero=from_zero)
    order = np.lexsort((*table.T[::-1], np.array([folded(name) for name in along.names])))
    return Series(kind, label, table[order], tuple(along.names[place] for place in order), from_zero=from_zero)


def _pairs(kind: str, trace: Trace) -> Iterator[Series]:
    """Points, lines, areas and bars."""
    x, y = _Along(trace.get("x")), _Along(trace.get("y"))
    if trace.get("orientation") == "h" or (y.names and not x.names):
        x, y = y, x
    if y.names:  # both name something
        joined = [f"{one} | {other}" for one, other in zip(x.names, y.names, strict=False)]
        yield _table(kind, _label(trace), _Along(joined))
        return
    if not y.numbers and not x.names and not x.numbers:
        return
    if x.given is None:
        x = _Along(list(range(len(y.numbers))))
    elif y.given is None:
        x, y = _Along(list(range(len(x.numbers)))), x
    more = [_numbers(trace["z"])] if isinstance(trace.get("z"), list) else []
    more += [_numbers(trace["base"])] if isinstance(trace.get("base"), list) else []
    marker = members(trace.get("marker"))
    shades = _Along(marker.get("color"))
    if kind == "scatter" and isinstance(shades.given, list) and not shades.names:
        more.append(shades.numbers)
    free, bars = kind == "scatter", kind in {"bar", "funnel", "waterfall"}
    spans = list(_spans(trace, _numbers(y.given)))
    table = _table(kind, _label(trace), x, y.numbers, *more, *spans, free=free, from_zero=bars)
    yield replace(table, spans=len(spans))


def _spans(trace: Trace, middle: Sequence[Any]) -> Iterator[list[float]]:
    """From where to where error bars reach."""
    for name in ("error_y", "error_x"):
        bars = members(trace.get(name))
        if isinstance(bars.get("array"), list):
            above, below = column(bars["array"]), column(bars.get("arrayminus", bars["array"]))
            around = column(list(middle)) if name == "error_y" else 0.0
            try:
                yield from ((around - below).tolist(), (around + above).tolist())
            except ValueError as error:
                raise UnreadableChart("the columns of a trace have several lengths") from error


def _groups(kind: str, trace: Trace) -> Iterator[Series]:
    """Samples of boxes and violins, one a group; or the numbers of boxes that were reckoned before."""
    x, y = (trace.get("y"), trace.get("x")) if trace.get("orientation") == "h" else (trace.get("x"), trace.get("y"))
    names = _Along(x).names if isinstance(x, list) else ()
    if isinstance(trace.get("q1"), list):
        parts = [trace[name] for name in ("q1", "median", "q3", "lowerfence", "upperfence") if name in trace]
        along = _Along(x) if isinstance(x, list) else _Along(list(range(len(trace["q1"]))))
        yield _table(kind, _label(trace), along, *parts)
        return
    values = _numbers(y if isinstance(y, list) else x)
    groups: dict[str, list[Any]] = {}
    for place, value in enumerate(values):
        groups.setdefault(names[place] if len(names) == len(values) else "", []).append(value)
    for name, sample in groups.items():
        table = column(sample) if kind == "violin" else _box(column(sample))
        yield Series(kind, f"{name} {_label(trace)}".strip(), table[:, None])


def _box(sample: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Of a sample what its box shows, as matplotlib reckons it: quartiles, ends of whiskers, what lies outside."""
    import numpy as np

    known = sample[~np.isnan(sample)]
    if not known.size or not np.isfinite(known).all():
        return sample
    low, middle, high = np.percentile(known, (25, 50, 75)).tolist()
    reach = 1.5 * (high - low)
    inside = known[(known >= low - reach) & (known <= high + reach)]
    ends = [min(low, float(inside.min())), max(high, float(inside.max()))] if inside.size else [low, high]
    fliers = np.sort(known[(known < ends[0]) | (known > ends[1])])
    return np.concatenate([[low, middle, high, *ends], fliers])


def _sample(kind: str, trace: Trace) -> Iterator[Series]:
    """What a histogram counts: names as often as they are there, numbers as they are."""
    lying = trace.get("orientation") == "h"
    x, y = (trace.get("y"), trace.get("x")) if lying else (trace.get("x"), trace.get("y"))
    along = _Along(x if isinstance(x, list) else y)
    if isinstance(x, list) and isinstance(y, list) and str(trace.get("histfunc") or "count") != "count":
        yield _table(kind, _label(trace), along, _numbers(y), free=True)
    elif along.names:
        counts = Counter(along.names)
        yield Series(kind, _label(trace), column(list(counts.values()))[:, None], tuple(counts), from_zero=True)
    else:
        yield Series(kind, _label(trace), column(along.numbers)[:, None])


def _slices(kind: str, trace: Trace) -> Iterator[Series]:
    """Slices by their names, of which those that occur twice are one."""
    import numpy as np

    names = _texts(trace.get("labels"))
    values = column(trace["values"]) if isinstance(trace.get("values"), list) else np.ones(len(names))
    shares = values / (float(np.nansum(values)) or 1.0)
    if len(names) != len(shares):
        yield Series(kind, _label(trace), shares[:, None], from_zero=True)
        return
    whole: dict[str, float] = {}
    for name, share in zip(names, shares.tolist(), strict=True):
        whole[name] = whole.get(name, 0.0) + share
    yield Series(kind, _label(trace), column(list(whole.values()))[:, None], tuple(whole), from_zero=True)


def _tree(kind: str, trace: Trace) -> Iterator[Series]:
    """Parts of parts, by the names of both."""
    names, parents = _texts(trace.get("labels")), _texts(trace.get("parents"))
    values = column(trace["values"]).tolist() if isinstance(trace.get("values"), list) else [1.0] * len(names)
    if len(names) != len(parents):
        raise UnreadableChart("the columns of a trace have several lengths")
    joined = [f"{parent} | {name}" for parent, name in zip(parents, names, strict=True)]
    yield _table(kind, _label(trace), _Along(joined), values, from_zero=True)


def _matrix_of(trace: Trace) -> np.ndarray[Any, Any]:
    return matrix(trace.get("z"))


def _mesh(trace: Trace, *, upwards: bool = True) -> Iterator[Series]:
    """A matrix by the names of its rows and columns, where both are named; else as it is seen, from the top."""
    import numpy as np

    values = _matrix_of(trace)
    across, up = (_texts(trace.get(name)) if _worded(trace.get(name)) else () for name in ("x", "y"))
    if (len(up), len(across)) == values.shape and len(set(up)) == len(up) and len(set(across)) == len(across):
        names = tuple(f"{row} | {name}" for row in up for name in across)
        yield Series("heatmap", "", values.reshape(-1, 1), names)
        return
    yield Series("heatmap", "", in_place(np.flipud(values) if upwards else values), places=2, ordered=True)


def _hills(kind: str, trace: Trace) -> Iterator[Series]:
    """Heights over a grid, with the places of its lines where they are given."""
    yield Series(kind, _label(trace), in_place(_matrix_of(trace)), places=2, ordered=True)
    for name in ("x", "y"):
        if isinstance(trace.get(name), list):
            along = _Along(trace[name])
            plain = None if along.names else Series(kind, name, column(along.numbers)[:, None], ordered=True)
            yield plain or _table(kind, name, along)


def _by(*names: str, where: Sequence[str]) -> Callable[[str, Trace], Iterator[Series]]:
    """Columns by the first of some columns that is there."""

    def read(kind: str, trace: Trace) -> Iterator[Series]:
        along = next((trace[name] for name in where if isinstance(trace.get(name), list)), None)
        values = [_numbers(trace[name]) for name in names if isinstance(trace.get(name), list)]
        if values or along is not None:
            places = list(range(len(values[0]))) if along is None else along
            yield _table(kind, _label(trace), _Along(places), *values)

    return read


def _single(kind: str, trace: Trace) -> Iterator[Series]:
    if isinstance(trace.get("value"), int | float):
        yield Series(kind, "", column([trace["value"]])[:, None])


def _flows(kind: str, trace: Trace) -> Iterator[Series]:
    """What flows from where to where, by the names of both ends."""
    names, link = _texts(members(trace.get("node")).get("label")), members(trace.get("link"))
    ends = [column(link.get(end)).tolist() for end in ("source", "target")]
    if any(not 0 <= end < len(names) for side in ends for end in side):
        raise UnreadableChart("a flow has no such end")
    joined = [f"{names[int(one)]} | {names[int(other)]}" for one, other in zip(*ends, strict=False)]
    yield _table(kind, _label(trace), _Along(joined), column(link.get("value")).tolist(), from_zero=True)


def _dimensions(kind: str, trace: Trace) -> Iterator[Series]:
    """Rows over several axes: names are numbered in the order of the alphabet."""
    import numpy as np

    found = [members(one) for one in listed(trace.get("dimensions"))]
    parts: list[Any] = []
    for one in found:
        along = _Along(one.get("values"))
        folds = [folded(name) for name in along.names]
        numbered = {name: float(place) for place, name in enumerate(sorted(set(folds)))}
        parts.append([numbered[name] for name in folds] if folds else along.numbers)
    if parts:
        yield Series(kind, " | ".join(str(one.get("label") or "") for one in found), np.asarray(columns(*parts)))


def _cells(kind: str, trace: Trace) -> Iterator[Series]:
    """A table: each of its columns under its header."""
    headers = listed(members(trace.get("header")).get("values"))
    for place, values in enumerate(listed(members(trace.get("cells")).get("values"))):
        along, header = _Along(values), str(headers[place]) if place < len(headers) else ""
        if along.names:
            yield _table(kind, header, along)
        elif along.numbers:
            yield Series(kind, header, column(along.numbers)[:, None], ordered=True)


def _worded(value: Any) -> bool:
    return any(isinstance(item, str) for item in listed(value))


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(str(item) for item in listed(value))


_READERS: Final[Mapping[str, Callable[[str, Trace], Iterator[Series]]]] = {
    **dict.fromkeys(("scatter", "line", "area", "bar", "funnel", "waterfall"), _pairs),
    **dict.fromkeys(("box", "violin"), _groups),
    "histogram": _sample,
    **dict.fromkeys(("pie", "funnelarea"), _slices),
    **dict.fromkeys(("sunburst", "treemap", "icicle"), _tree),
    **dict.fromkeys(("contour", "surface"), _hills),
    **dict.fromkeys(("histogram2d", "histogram2dcontour"), _by("y", "z", where=["x"])),
    "candlestick": _by("open", "high", "low", "close", where=["x"]),
    **dict.fromkeys(("scatterpolar", "barpolar"), _by("r", where=["theta"])),
    "scatterternary": _by("b", "c", where=["a"]),
    **dict.fromkeys(("choropleth", "choroplethmap", "choroplethmapbox"), _by("z", where=["locations"])),
    **dict.fromkeys(
        ("scattergeo", "scattermap", "scattermapbox", "densitymap", "densitymapbox"),
        _by("lon", "z", where=["lat", "locations"]),
    ),
    "mesh3d": _by("y", "z", where=["x"]),
    "cone": _by("y", "z", "u", "v", "w", where=["x"]),
    "indicator": _single,
    "sankey": _flows,
    **dict.fromkeys(("parcoords", "parcats", "splom"), _dimensions),
    "table": _cells,
}
