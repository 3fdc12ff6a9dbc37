"""The parsers of agents' files, each as a function of bytes that raises on nothing but a fault, with a few sound files."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchwright.dialects import decode, delimited_rows, find_delimiter
from benchwright.scorers.chart.compare import compare_charts
from benchwright.scorers.chart.description import FORMAT, read_description
from benchwright.scorers.chart.pages import read_page
from benchwright.scorers.chart.panels import Chart, UnreadableChart
from benchwright.scorers.chart.rule import PARTS, ChartRule
from benchwright.scorers.chart.scorer import chart_of
from benchwright.scorers.compare.databases import open_database
from benchwright.scorers.compare.documents import DocumentLimits, read_document
from benchwright.scorers.compare.formulas import Formula, FormulaCells, FormulaFailed
from benchwright.scorers.compare.npy import UnreadableArray, read_npy
from benchwright.scorers.compare.opening import UnreadableOutput
from benchwright.scorers.compare.tables import UnreadableTable, read_table
from benchwright.scorers.document import DocumentRule
from benchwright.scorers.document.walk import Walk
from benchwright.scorers.model_metric.columns import UnfitLabels, read_columns

_SHEET = "xl/worksheets/sheet1.xml"
_CLOCK = re.compile(rb"20\d\d-\d\d-\d\dT[^<]*")
_PLACE = Path(tempfile.gettempdir()) / "input"


class Target(NamedTuple):
    """What is done with some bytes, which tells whether they could be read; sound files to begin with, the same ones
    each time; and those that once made it crash. Longer inputs than `longest` bytes are not tried.
    """

    run: Callable[[bytes], bool]
    sound: Callable[[], Iterator[bytes]]
    spoiled: Callable[[], Iterator[bytes]] = lambda: iter(())
    longest: int = 1 << 15

    def seeds(self) -> Iterator[bytes]:
        """All that fuzzing begins with."""
        yield from self.sound()
        yield from self.spoiled()


def _file(data: bytes) -> Path:
    _PLACE.write_bytes(data)
    return _PLACE


# --- text


def _decode(data: bytes) -> bool:
    text, encoding = decode(data)
    assert isinstance(text, str)
    assert encoding
    return bool(delimited_rows(text, find_delimiter(text, ("a", "b"))))


def _texts() -> Iterator[bytes]:
    text = 'name;"größe"\r\nÅsa;"1,5"\r\n"a ""b""";\n'
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"):
        yield text.encode(encoding)
    yield "名称,值\n北京,1\n上海,2\n".encode("gb18030")


# --- tables


def _table(data: bytes) -> bool:
    with suppress(UnreadableTable):
        table = read_table(_file(data), ("a", "b"))
        assert all(len(row) == len(table.names) for row in table.rows)
        return True
    return False


def _csv() -> Iterator[bytes]:
    yield from _texts()
    yield b"a,b\n1,2\n3,4\n"
    yield b"a\tb\n1\t\n\n3\t4"
    yield b'a|b\n"x\ny"|"|"\n'
    yield b'[{"a": 1, "b": null}, {"a": "x"}]'
    yield b'{"a": [1, 2], "b": [3]}'
    yield b'{"columns": ["a"], "data": [[1], [2, 3]]}'
    yield b'{"a": 1}\n{"a": 2}\n'


@cache
def _parts() -> dict[str, bytes]:
    """What a sound workbook of two columns holds; the same bytes each time."""
    import openpyxl

    book, made = openpyxl.Workbook(), io.BytesIO()
    for row in (["a", "b"], [1, 2.5], ["x", None], [True, "=1+1"]):
        book.active.append(row)
    book.save(made)
    with zipfile.ZipFile(made) as archive:
        return {name: _CLOCK.sub(b"2020-01-01T00:00:00Z", archive.read(name)) for name in archive.namelist()}


def _workbook(sheet: bytes) -> bytes:
    """A workbook whose only sheet is some XML."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in _parts().items():
            archive.writestr(zipfile.ZipInfo(name), sheet if name == _SHEET else content)
    return made.getvalue()


def _xlsx(data: bytes) -> bool:
    """A raw file, or, after a zero byte, the XML of a sheet in a sound one: mutations seldom get through the archive."""
    return _table(_workbook(data[1:]) if data[:1] == b"\0" else data)


def _workbooks() -> Iterator[bytes]:
    yield _workbook(_parts()[_SHEET])
    yield b"\0" + _parts()[_SHEET]


def _parquets() -> Iterator[bytes]:
    import pyarrow as pa

    for table in (
        pa.table({"a": [1, 2, None], "b": ["x", "y", None]}),
        pa.table({"f": [1.5, float("nan")], "t": pa.array([0, 1], pa.timestamp("us")), "l": [[1], [2, 3]]}),
    ):
        yield _parquet(table)
        yield _feather(table)
    yield gzip.compress(b"a,b\n1,x\n", mtime=0)


def _feather(table: Any) -> bytes:
    import pyarrow.feather as pf

    made = io.BytesIO()
    pf.write_feather(table, made, compression="uncompressed")
    return made.getvalue()


def _parquet(table: Any) -> bytes:
    import pyarrow.parquet as pq

    made = io.BytesIO()
    pq.write_table(table, made, compression="none", use_dictionary=False)
    return made.getvalue()


def spoiled_parquets() -> Iterator[bytes]:
    """Files that made the reader of tables fail: texts, alone and in lists, that are no UTF-8, and times out of range."""
    import pyarrow as pa

    far = pa.array([2**62, 0], pa.timestamp("ms"))
    yield _feather(pa.table({"a": far, "b": pa.array([2**31 - 1, 0], pa.date32())}))

    for column in (["word", "other"], [["word"], ["other", "word"]]):
        yield _parquet(pa.table({"a": column})).replace(b"word", b"\x8eord")


# --- formulas


def _formulas(data: bytes) -> bool:
    """A sheet of one column: lines that begin with an equals sign are formulas, others texts or numbers."""
    lines = data.decode("utf-8", "replace").split("\n")[:50]
    cells = {("S", row, 1): Formula(line) if line[:1] == "=" else _number(line) for row, line in enumerate(lines, 1)}
    sheet, read = FormulaCells(cells), False
    for place in cells:
        with suppress(FormulaFailed):
            found = sheet.value(place)
            assert found is None or isinstance(found, (bool, int, float, str)), found
            read = True
    return read


def _number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text or None


def _sheets() -> Iterator[bytes]:
    yield b"1\n2.5\nword\n=SUM(A1:A3)\n=A4*2^2-50%&\"x\"\n=IF(A1<>A2,AVERAGE(A:A),'S'!$A$1)\n=A7"
    yield b'=ROUND(A2,1)\n10\n=COUNTIF(A1:A2,">5")\n=SUMIF(A:A,">1",A:A)\n=LEFT("text",2)&UPPER(A9)\n=IFERROR(1/0,"none")'


# --- databases


def _database(data: bytes) -> bool:
    with suppress(UnreadableTable), open_database(_file(data)) as database:
        for name in database.names():
            assert database.table(name).height >= 0
        return True
    return False


def _databases() -> Iterator[bytes]:
    import duckdb

    statements = (
        "CREATE TABLE t (a INTEGER, b TEXT)",
        "INSERT INTO t VALUES (1, 'x'), (2, NULL)",
        "CREATE VIEW v AS SELECT 1",
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sqlite"
        with closing(sqlite3.connect(path)) as light:
            for statement in statements:
                light.execute(statement)
            light.commit()
        yield path.read_bytes()
        path = Path(folder) / "duckdb"
        with duckdb.connect() as other:
            other.execute(f"ATTACH '{path}' AS d (BLOCK_SIZE 16384)")  # the least that there is: 44 kB instead of 780
            other.execute("USE d")
            for statement in statements:
                other.execute(statement)
            other.execute("USE memory")
            other.execute("DETACH d")
        yield path.read_bytes()


# --- documents and predictions

_GOLD = {"a": [1, 2, {"b": None}], "rows": [{"id": 1, "v": 2.5}, {"id": 2, "v": "x"}], "n": 1e300}
_LIMITS = DocumentLimits(values=100_000)


def _document(data: bytes) -> bool:
    with suppress(UnreadableOutput):
        found = read_document(_file(data), limits=_LIMITS).value
        for options in ({}, {"key": ["id"], "order": "any"}, {"fields": {"n": [0, 1], "a": None}}):
            assert 0 <= Walk(DocumentRule.read(options)).root(_GOLD, found).share <= 1
        return True
    return False


def _documents() -> Iterator[bytes]:
    text = json.dumps(_GOLD)
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        yield text.encode(encoding)
    yield b'{"a": NaN, "a": 1, "n": -Infinity, "rows": [{"ID": "1", "V": 2.5}]}'
    yield b'{"id": 1}\n{"id": 2}\n'
    yield b"[[[[[[1]]]]], 12345678901234567890]"


def _predictions(data: bytes) -> bool:
    cells, read = data.decode("utf-8", "replace").split("\n"), False
    for needs in ("classes", "ratings", "scores", "probabilities", "numbers"):
        for gold in (cells, ["0", "1"] * (len(cells) // 2) + ["0"] * (len(cells) % 2)):
            with suppress(UnfitLabels):
                column = read_columns(gold, cells, needs)
                assert 0 <= column.coverage <= 1
                read = True
    return read


def _columns() -> Iterator[bytes]:
    yield b"1\n2.5\n-3e5\n\nNaN\nTrue\n5%\n1,5\n0012\ninf"
    yield b"cat\nDog\n7\n1 234\n$5\n"


# --- arrays


def _npy(data: bytes) -> bool:
    with suppress(UnreadableArray):
        read_npy(data)
        return True
    return False


def _arrays() -> Iterator[bytes]:
    for array in (
        np.arange(6.0).reshape(2, 3),
        np.array(["a", "bc"]),
        np.array({"x": [np.arange(3)], "y": "t"}, dtype=object),
    ):
        made = io.BytesIO()
        np.save(made, array, allow_pickle=True)
        yield made.getvalue()


# --- charts


def _chart(data: bytes) -> bool:
    """A description of ours or, behind a zero byte, the published pair of texts and data, cut at the next zero byte."""
    files = {"p.chart.json": _file(data)}
    if data[:1] == b"\0":
        texts, _, arrays = data[1:].partition(b"\0")
        files = {"p.json": _file(texts), "p.npy": _PLACE.with_name("data")}
        files["p.npy"].write_bytes(arrays)
    try:
        chart = chart_of("p.png", files)
    except UnreadableChart:
        return False
    assert chart is not None
    return _compared(_gold_chart(), chart)


def _compared(gold: Chart, chart: Chart) -> bool:
    for rule in (ChartRule(PARTS), ChartRule(scale_free=True)):
        for one, other in ((gold, chart), (chart, gold), (chart, chart)):
            with suppress(UnreadableChart):
                assert 0 <= compare_charts(one, other, rule).verdict.value <= 1
    return True


@cache
def _gold_chart() -> Chart:
    return read_description(json.loads(next(iter(_charts()))))


def _charts() -> Iterator[bytes]:
    axis = {"type": "number", "fixed": False, "ticks": [0, 1], "labels": ["a", "b"]}
    shown = [
        {
            "kind": "bar",
            "label": "n",
            "vertical": True,
            "x": [0, 1],
            "y": [2, 3.5],
            "width": [0.8, 0.8],
            "base": [0, 0],
        },
        {"kind": "line", "label": "l", "x": [1, 2, 3], "y": [1, None, 3]},
        {"kind": "scatter", "label": "", "x": [1, 2], "y": [2, 1]},
        {"kind": "histogram", "label": "", "edges": [0, 1, 2], "counts": [5, 6]},
        {"kind": "pie", "label": "", "labels": ["a", "b"], "shares": [0.25, 0.75]},
        {"kind": "heatmap", "label": "", "values": [[1, 2], [3, 4]]},
    ]
    for series in (shown, *([one] for one in shown)):
        axes = {
            "role": "plot",
            "title": "T",
            "x_label": "X",
            "series": series,
            "x": axis,
            "y": axis,
            "legend": {"labels": ["n"]},
        }
        yield json.dumps({"format": FORMAT, "pictures": {}, "figure": {"title": "F"}, "axes": [axes]}).encode()
    traces = [{"type": "bar", "x": ["a", "b"], "y": [1, 2]}, {"type": "pie", "labels": ["a"], "values": [1]}]
    plotly = {"traces": traces, "axes": {"xaxis": {"title": "X"}}}
    yield json.dumps({"format": FORMAT, "plotly": plotly}).encode()
    texts = json.dumps({"subplot_0": {"type": "bar", "graph_title": "T"}, "total_subplots": 1}).encode()
    yield b"\0" + texts + b"\0" + _stored({"subplot_0": np.array([[1.0, 2.0]])})


def _spoiled_charts() -> Iterator[bytes]:
    """Descriptions that made the reader fail: a kind, a marker, a line and a scale that are lists."""
    axis, style = {"type": "number", "scale": []}, {"marker": [], "line": {}, "alpha": []}
    for kind in ([], "line", "bar", "rule"):
        series = [{"kind": kind, "label": label, "x": [1, 2], "y": [1, 2], "style": style} for label in ("", ["l"])]
        axes = {"role": "plot", "title": "", "series": series, "x": axis, "y": axis, "texts": [{"text": []}]}
        yield json.dumps({"format": FORMAT, "pictures": {}, "figure": {}, "axes": [axes]}).encode()


# --- pages


def _page(data: bytes) -> bool:
    """A page or, behind a zero byte, the JSON of one figure."""
    name, content = ("p.json", data[1:]) if data[:1] == b"\0" else ("p.html", data)
    try:
        chart = read_page(name, content)
    except UnreadableChart:
        return False
    return chart is not None and _compared(_gold_page(), chart)


@cache
def _gold_page() -> Chart:
    chart = read_page("p.json", next(iter(_pages()))[1:])
    assert chart is not None
    return chart


def _pages() -> Iterator[bytes]:
    """Each kind of trace that is read, all in one figure and a few at a time; and arrays of bytes, panels with titles."""
    names, numbers = ["a", "b", "b"], [1, 2.5, None]
    packed = {"dtype": "f8", "bdata": base64.b64encode(np.arange(6.0).tobytes()).decode(), "shape": "2, 3"}
    bars = {"error_y": {"array": [1, 1, 1], "arrayminus": [0, 1, 2]}, "base": [0, 0, 1]}
    traces = [
        {"type": "bar", "x": names, "y": numbers, "name": "n", **bars},
        {"type": "scatter", "mode": "markers", "x": ["2020-01-01", "2020-01-02T03:04:05Z"], "y": [1, 2], "xaxis": "x2"},
        {"mode": "lines", "x": numbers, "y": names, "fill": "tozeroy", "marker": {"color": numbers}},
        {"type": "box", "x": names, "y": numbers},
        {"type": "box", "q1": [1], "median": [2], "q3": [3], "lowerfence": [0], "upperfence": [4]},
        {"type": "histogram", "x": names, "y": numbers, "histfunc": "sum"},
        {"type": "histogram", "y": numbers, "orientation": "h"},
        {"type": "pie", "labels": names, "values": numbers},
        {"type": "sunburst", "labels": names, "parents": ["", "a", "a"], "values": numbers},
        {"type": "heatmap", "z": packed, "x": ["p", "q", "r"], "y": ["s", "t"]},
        {"type": "surface", "z": packed, "x": numbers, "scene": "scene2"},
        {"type": "scatterpolar", "r": numbers, "theta": names, "subplot": "polar"},
        {"type": "choropleth", "locations": names, "z": numbers, "geo": "geo"},
        {"type": "indicator", "value": 7},
        {"type": "sankey", "node": {"label": names}, "link": {"source": [0, 1], "target": [1, 2], "value": [1, 2]}},
        {"type": "parcoords", "dimensions": [{"label": "l", "values": names}, {"values": numbers}]},
        {"type": "table", "header": {"values": names}, "cells": {"values": [names, numbers]}},
    ]
    layout = {
        "title": {"text": "T"},
        "xaxis": {"title": {"text": "X"}, "domain": [0, 0.4]},
        "xaxis2": {"domain": [0.6, 1]},
        "yaxis": {"autorange": "reversed", "title": "Y"},
        "scene2": {"xaxis": {"title": {"text": "S"}}},
        "legend": {"title": {"text": "L"}},
        "annotations": [{"text": "P", "x": 0.2, "y": 1, "xref": "paper", "yref": "paper"}],
    }
    for some in (traces, *(traces[place : place + 3] for place in range(0, len(traces), 3))):
        yield b"\0" + json.dumps({"data": some, "layout": layout}).encode()
    shown = ", ".join(json.dumps(part) for part in ("id", traces[:2], layout))
    yield f"<script>function f(){{Plotly.newPlot(e,t)}}Plotly.newPlot( {shown}, {{}})</script>".encode()


def _spoiled_pages() -> Iterator[bytes]:
    """Pages that made the reader fail: a type of cells, a side and a place that are none."""
    for array in ({"dtype": [], "bdata": ""}, {"dtype": "f8", "bdata": "", "shape": "9" * 30}):
        yield b"\0" + json.dumps({"data": [{"y": array}], "layout": {}}).encode()
    layout = {"barmode": [], "xaxis": {"autorange": {}, "range": [0, 1]}}
    yield b"\0" + json.dumps({"data": [{"type": "bar", "x": [1], "y": [1]}] * 2, "layout": layout}).encode()
    for place in ({"domain": [10**400, 1]}, {"domain": [0, 1]}):
        note = {"text": "P", "x": 10**400, "y": 1, "xref": "paper", "yref": "paper"}
        figure = {"data": [{"y": [1]}, {"y": [1], "xaxis": "x2"}], "layout": {"xaxis": place, "annotations": [note]}}
        yield b"\0" + json.dumps(figure).encode()


def _stored(arrays: dict[str, np.ndarray]) -> bytes:
    made = io.BytesIO()
    np.save(made, np.array(arrays, dtype=object), allow_pickle=True)
    return made.getvalue()


TARGETS = {
    "text": Target(_decode, _texts),
    "table": Target(_table, _csv),
    "xlsx": Target(_xlsx, _workbooks),
    "parquet": Target(_table, _parquets, spoiled_parquets),
    "database": Target(_database, _databases, longest=1 << 16),
    "document": Target(_document, _documents),
    "predictions": Target(_predictions, _columns),
    "formulas": Target(_formulas, _sheets),
    "npy": Target(_npy, _arrays),
    "chart": Target(_chart, _charts, _spoiled_charts),
    "page": Target(_page, _pages, _spoiled_pages),
}
