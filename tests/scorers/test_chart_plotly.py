"""Charts of plotly: traces of every type, described beside a picture or held by the page that was handed in."""

import base64
import json

import numpy as np
import pytest
from tests.scorers.test_chart import (
    PNG,
    ChartScorer,
    Check,
    Expected,
    Gold,
    Submission,
    Task,
    named,
    ours,
    panel,
    series,
)

from benchwright.score import Scored
from benchwright.scorers.chart.compare import compare_charts
from benchwright.scorers.chart.description import read_description
from benchwright.scorers.chart.pages import read_page
from benchwright.scorers.chart.panels import UnreadableChart
from benchwright.scorers.chart.rule import ChartRule

NAMES = ["a", "b", "c"]
DAYS = ["2024-01-01", "2024-01-02", "2024-01-03"]
TYPES = {
    "line": {"type": "scatter", "x": NAMES, "y": [1, 2, 3]},
    "dates": {"type": "scatter", "x": DAYS, "y": [1, 2, 3]},
    "points": {"type": "scatter", "mode": "markers", "x": [1, 2, 3], "y": [4, 6, 5], "error_y": {"array": [1, 1, 2]}},
    "shaded": {"type": "scatter", "mode": "markers", "x": [1, 2, 3], "y": [4, 6, 5], "marker": {"color": [7, 8, 9]}},
    "strip": {"type": "scatter", "mode": "markers", "x": ["a", "a", "b"], "y": [4, 6, 5]},
    "bar": {"type": "bar", "x": NAMES, "y": [1, 2, 3]},
    "lying bar": {"type": "bar", "orientation": "h", "y": NAMES, "x": [1, 2, 3], "base": [5, 6, 7]},
    "area": {"type": "scatter", "stackgroup": "1", "x": NAMES, "y": [1, 2, 3]},
    "histogram": {"type": "histogram", "x": [1, 1, 2]},
    "counts": {"type": "histogram", "x": ["a", "a", "b"]},
    "sums": {"type": "histogram", "x": ["a", "a", "b"], "y": [1, 2, 3], "histfunc": "sum"},
    "boxes": {"type": "box", "x": ["a", "a", "b"], "y": [1, 2, 3]},
    "reckoned boxes": {"type": "box", "x": ["a", "b"], "q1": [1, 2], "median": [3, 4], "q3": [5, 6]},
    "violins": {"type": "violin", "orientation": "h", "y": ["a", "a", "b"], "x": [1, 2, 3]},
    "pie": {"type": "pie", "labels": NAMES, "values": [1, 2, 3]},
    "heatmap": {"type": "heatmap", "z": [[1, 2, 3], [4, 5, 6]]},
    "named heatmap": {"type": "heatmap", "x": NAMES, "y": ["p", "q"], "z": [[1, 2, 3], [4, 5, 6]]},
    "contour": {"type": "contour", "z": [[1, 2], [3, 4]], "x": [0, 1]},
    "surface": {"type": "surface", "z": [[1, 2], [3, 4]]},
    "space": {"type": "scatter3d", "x": [1, 2], "y": [3, 4], "z": [5, 6]},
    "bins": {"type": "histogram2d", "x": [1, 2], "y": [3, 4]},
    "candles": {"type": "candlestick", "x": DAYS, "open": [1, 2, 3], "high": [4, 5, 6], "low": [0, 1, 2], "close": [2, 3, 4]},
    "polar": {"type": "scatterpolar", "theta": NAMES, "r": [1, 2, 3]},
    "map": {"type": "choropleth", "locations": ["FRA", "DEU"], "z": [1, 2]},
    "places": {"type": "scattergeo", "lat": [1, 2], "lon": [3, 4]},
    "tree": {"type": "treemap", "labels": ["m", "n"], "parents": ["", "m"], "values": [3, 2]},
    "flows": {"type": "sankey", "node": {"label": NAMES}, "link": {"source": [0, 1], "target": [1, 2], "value": [5, 6]}},
    "axes": {"type": "parcoords", "dimensions": [{"label": "u", "values": [1, 2]}, {"label": "v", "values": ["a", "b"]}]},
    "number": {"type": "indicator", "value": 3},
    "table": {"type": "table", "header": {"values": ["h"]}, "cells": {"values": [[1, 2, 3]]}},
    "funnel": {"type": "funnel", "y": NAMES, "x": [3, 2, 1]},
    "waterfall": {"type": "waterfall", "x": NAMES, "y": [3, -2, 1]},
}  # fmt: skip


def chart(*traces, **figure):
    return read_description({"format": "benchwright chart 1", "plotly": {"traces": list(traces), **figure}})


def value(gold, found):
    return compare_charts(gold, found, ChartRule()).verdict.value


def changed(part):
    """A value of a trace in which the last number of every list is another."""
    if isinstance(part, dict):
        return {name: item if name in {"source", "target"} else changed(item) for name, item in part.items()}
    if isinstance(part, list) and part and isinstance(part[0], int | float):
        return [*part[:-1], part[-1] + 1]
    return [changed(item) for item in part] if isinstance(part, list) else part


@pytest.mark.parametrize("name", TYPES)
def test_every_type_of_trace_equals_itself_and_no_other_values(name):
    trace = TYPES[name]
    gold = chart(trace)
    assert all(panel.series for panel in gold.panels)
    assert value(gold, chart({**trace, "hovertemplate": "x", "opacity": 0.5})) == 1
    wrong = {key: changed(part) for key, part in trace.items()}
    if name == "counts":
        wrong["x"] = ["a", "b", "b"]
    elif name == "number":
        wrong["value"] = 4
    assert value(gold, chart(wrong)) == (0.5 if name in {"boxes", "violins"} else 0)  # one of two groups is right


@pytest.mark.parametrize("name", ["line", "strip", "bar", "boxes", "pie", "points", "candles", "polar", "map"])
def test_rows_of_a_trace_may_come_in_any_order(name):
    trace = TYPES[name]
    turned = {key: part[::-1] if isinstance(part, list) else part for key, part in trace.items()}
    if "error_y" in trace:
        turned["error_y"] = {"array": trace["error_y"]["array"][::-1]}
    assert value(chart(trace), chart(turned)) == 1


def test_values_of_other_groups_and_other_days_are_wrong():
    assert value(chart(TYPES["boxes"]), chart({**TYPES["boxes"], "y": [1, 3, 2]})) == 0
    assert value(chart(TYPES["strip"]), chart({**TYPES["strip"], "y": [4, 5, 6]})) == 0
    assert value(chart(TYPES["dates"]), chart({**TYPES["dates"], "x": ["2024-01-01", "2024-01-02", "2025-01-03"]})) == 0
    moments = [f"{day}T00:00:00" for day in DAYS]
    assert value(chart(TYPES["dates"]), chart({**TYPES["dates"], "x": moments})) == 1


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("bar", panel(series("bar", x=[0, 1, 2], y=[1, 2, 3], width=[1, 1, 1]), x=named("abc"))),
        ("dates", panel(series("line", x=[19723, 19724, 19725], y=[1, 2, 3]), x={"type": "date"})),
        ("points", panel(series("scatter", x=[1, 2, 3], y=[4, 6, 5], y_low=[3, 5, 3], y_high=[5, 7, 7]))),
        ("pie", panel(series("pie", shares=[1 / 6, 2 / 6, 3 / 6], labels=NAMES))),
        ("heatmap", panel(series("heatmap", values=[[4, 5, 6], [1, 2, 3]], origin="upper", extent=[0, 1, 0, 1]))),
    ],
)
def test_the_same_chart_drawn_by_matplotlib_is_the_same(name, drawn):
    other = read_description(json.loads(ours(drawn)["chart.json"]))
    assert value(chart(TYPES[name]), other) == value(other, chart(TYPES[name])) == 1


@pytest.mark.parametrize(
    ("traces", "figure", "drawn"),
    [
        (
            [{"type": "box", "x": ["a"] * 6 + ["b"] * 3, "y": [1, 2, 3, 4, 5, 30, 2, 4, 6]}],
            {},
            panel(
                series(
                    "box",
                    vertical=True,
                    boxes=[
                        {"q1": 2.25, "med": 3.5, "q3": 4.75, "whislo": 1, "whishi": 5, "fliers": [30], "at": 0},
                        {"q1": 3, "med": 4, "q3": 5, "whislo": 2, "whishi": 6, "fliers": [], "at": 1},
                    ],
                ),
                x=named("ab"),
            ),
        ),
        (
            [{"type": "scatter", "stackgroup": "1", "x": [1, 2, 3], "y": y} for y in ([1, 2, 1], [3, 3, 5])],
            {},
            panel(
                series("area", parts=[{"x": [1, 2, 3], "low": [0, 0, 0], "high": [1, 2, 1]}]),
                series("area", parts=[{"x": [1, 2, 3], "low": [1, 2, 1], "high": [4, 5, 6]}]),
            ),
        ),
        (
            [{"type": "bar", "x": NAMES, "y": y} for y in ([1, 2, 1], [3, 3, 5])],
            {"barmode": "relative"},
            panel(
                series("bar", x=[0, 1, 2], y=[1, 2, 1], base=[0, 0, 0], vertical=True),
                series("bar", x=[0, 1, 2], y=[3, 3, 5], base=[1, 2, 1], vertical=True),
                x=named("abc"),
            ),
        ),
        (
            [{"type": "bar", "x": [name], "y": [place + 1], "name": name} for place, name in enumerate(NAMES)],
            {"barmode": "relative"},
            panel(series("bar", x=[0, 1, 2], y=[1, 2, 3], vertical=True), x=named("abc")),
        ),
        (
            [{"type": "bar", "x": ["2019", "2020"], "y": [1, 2]}],
            {},
            panel(series("bar", x=[2019, 2020], y=[1, 2], vertical=True)),
        ),
        (
            [{"type": "bar", "orientation": "h", "y": NAMES, "x": [1, 2, 3]}],
            {"axes": {"xaxis": {"title": "value"}, "yaxis": {"title": "place"}}},
            panel(
                series("bar", x=[0, 1, 2], y=[1, 2, 3], vertical=True),
                x=named("abc"),
                x_label="place",
                y_label="value",
            ),
        ),
        ([TYPES["points"] | {"mode": "lines", "error_y": None}], {}, panel(series("line", x=[3, 2, 1], y=[5, 6, 4]))),
    ],
)
def test_harmless_differences_between_libraries_are_none(traces, figure, drawn):
    one, other = chart(*traces, **figure), read_description(json.loads(ours(drawn)["chart.json"]))
    assert value(one, other) == value(other, one) == 1


def test_what_no_trace_shows_does_not_count():
    gold = chart(TYPES["points"])
    for hidden in ({"visible": False}, {"visible": "legendonly"}, {"opacity": 0}):
        assert not chart({**TYPES["points"], **hidden}).panels
    seen = {"xaxis": {"range": [0, 4]}, "yaxis": {"range": [7, 3]}}
    assert value(gold, chart(TYPES["points"], axes=seen)) == 1
    for name, ends in (("xaxis", [0, 2]), ("yaxis", [5.5, 7])):
        assert value(gold, chart(TYPES["points"], axes={name: {"range": ends}})) == 0
        assert value(gold, chart(TYPES["points"], axes={name: {"range": ends, "autorange": True}})) == 1
    days = chart(TYPES["dates"])
    assert value(days, chart(TYPES["dates"], axes={"xaxis": {"range": ["2023-12-31", "2024-01-04"]}})) == 1
    assert value(days, chart(TYPES["dates"], axes={"xaxis": {"range": ["2023-12-31", "2024-01-02"]}})) == 0


def test_log_axes_and_stacks_are_told_from_others():
    gold = chart(TYPES["points"])
    log = chart(TYPES["points"], axes={"yaxis": {"type": "log", "range": [0, 1]}})
    assert value(log, log) == 1
    assert value(gold, log) == value(log, gold) == 2 / 3
    bars = [{**TYPES["bar"], "name": "m"}, {**TYPES["bar"], "y": [4, 5, 6], "name": "n"}]
    stack, beside = (chart(*bars, barmode=mode) for mode in ("stack", "group"))
    assert value(stack, stack) == value(beside, beside) == 1
    assert value(stack, beside) == value(beside, stack) == 2 / 3


def test_a_matrix_is_not_another_of_the_same_numbers_in_another_form():
    assert value(chart(TYPES["heatmap"]), chart({**TYPES["heatmap"], "z": [[1, 2], [3, 4], [5, 6]]})) == 0


def test_panels_of_a_page_have_the_titles_that_stand_above_them():
    traces = [{**TYPES["bar"], "name": "m"}, {**TYPES["line"], "xaxis": "x2", "yaxis": "y2", "name": "n"}]
    notes = [
        {"text": text, "x": x, "y": 1.0, "xref": "paper", "yref": "paper"}
        for text, x in (("left", 0.2), ("right", 0.8))
    ]
    axes = {
        "xaxis": {"domain": [0, 0.4]},
        "yaxis": {"domain": [0, 1]},
        "xaxis2": {"domain": [0.6, 1]},
        "yaxis2": {"domain": [0, 1]},
    }
    gold = chart(*traces, axes=axes, annotations=notes)
    assert [panel.texts["title"] for panel in gold.panels] == ["left", "right"]
    pies = chart(TYPES["pie"], {**TYPES["pie"], "values": [3, 2, 1]})
    assert len(pies.panels) == 2


def page(traces, layout=None):
    call = f'Plotly.newPlot(\n "id", {json.dumps(traces)}, {json.dumps(layout or {})}, {{"responsive": true}} )'
    return f'<html><script>x("call Plotly.newPlot(gd, ...)")</script><script>{call}</script></html>'.encode()


def typed(numbers):
    return {"dtype": "f8", "bdata": base64.b64encode(np.array(numbers, dtype="<f8").tobytes()).decode()}


def test_a_page_is_judged_by_what_it_holds_whatever_describes_it(tmp_path):
    gold, layout = tmp_path / "gold", {"title": {"text": "What it shows"}, "xaxis": {"title": {"text": "x"}}}
    gold.mkdir()
    (gold / "g.html").write_bytes(page([TYPES["bar"]], layout))
    lies = {"format": "benchwright chart 1", "plotly": {"traces": [TYPES["bar"]]}}
    for name, y, wanted in (("same", typed([1, 2, 3]), 1.0), ("other", [1, 2, 4], 0.0)):
        (tmp_path / f"{name}.html").write_bytes(page([{**TYPES["bar"], "y": y, "opacity": 1}], layout))
        (tmp_path / f"{name}.chart.json").write_text(json.dumps(lies))
        files = {f"o.{end}": tmp_path / f"{name}.{end}" for end in ("html", "chart.json")}
        check = Check(scorer="chart", output="o.html", golds=("g.html",))
        expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, gold)
        score = ChartScorer().score(Submission(files=files), expected)
        assert isinstance(score, Scored)
        assert (score.value, score.details["evidence"]) == (wanted, "read from the output")


@pytest.mark.parametrize(
    "data",
    [
        page([{"type": "bar", "y": {"dtype": "O", "bdata": ""}}]),
        page([{"type": "bar", "y": {"dtype": "f8", "bdata": "AAA"}}]),
        page([{"type": "bar", "y": {"dtype": "f8", "bdata": base64.b64encode(b"1" * 24).decode(), "shape": "2, 2"}}]),
        page([{"a": [[[[[[[[[[[[[[1]]]]]]]]]]]]]]}]),
        b'Plotly.newPlot("a", ' + b"[" * 100_000,
        page([{"type": "scatter", "x": [1], "y": [1, 2]}]),
        page([{"type": "sankey", "node": {"label": ["a"]}, "link": {"source": [7], "target": [0], "value": [1]}}]),
        page([{"type": "parcoords", "dimensions": [{"values": [1]}, {"values": [1, 2]}]}]),
    ],
)
def test_a_page_that_cannot_be_read_says_so(data):
    with pytest.raises(UnreadableChart):
        read_page("o.html", data)


@pytest.mark.parametrize(("name", "data"), [("o.html", b"<p>"), ("o.json", b"[1]"), ("o.json", b"{"), ("o.png", PNG)])
def test_a_file_without_a_figure_of_plotly_holds_none(name, data):
    assert read_page(name, data) is None
