"""What a chart shows counts, not what its description holds besides; and the same data count however they are drawn."""

import json

import pytest
from tests.scorers.test_chart import named, ours, panel, series

from benchwright.scorers.chart.compare import compare_charts
from benchwright.scorers.chart.description import read_description
from benchwright.scorers.chart.naming import worded_places
from benchwright.scorers.chart.rule import ChartRule

TITLES = {"title": "T", "x_label": "place", "y_label": "value"}
NUMBERS = {"type": "number", "scale": "linear", "limits": [0, 10], "fixed": False, "ticks": [], "labels": []}


def axes(*items, x=None, y=None, **more):
    found = panel(*items, **{**TITLES, "position": [0.1, 0.1, 0.8, 0.8], "color": "#ffffff", **more})
    return {**found, "x": {**NUMBERS, **(x or {})}, "y": {**NUMBERS, **(y or {})}}


def chart(*every, size=(6.4, 4.8)):
    value = json.loads(ours(*every)["chart.json"])
    return read_description(value | {"figure": {"title": "", "size": list(size)}})


def value(gold, found):
    return compare_charts(gold, found, ChartRule()).verdict.value


def both(one, other):
    """The value of either as the gold of the other."""
    return value(one, other), value(other, one)


def line(x=(1, 2, 3, 4), y=(4, 7, 5, 6), style=None, **more):
    return series("line", x=list(x), y=list(y), style={"line": "-", "color": "#1f77b4", **(style or {})}, **more)


def points(x=(1, 2, 3, 4), y=(4, 7, 5, 6), **more):
    return series("scatter", x=list(x), y=list(y), **more)


def bars(y, base=None, x=None, label="", **more):
    at = list(range(len(y)) if x is None else x)
    spans = {"base": list(base or [0] * len(y)), "width": [0.8] * len(y)}
    return {"kind": "bar", "label": label, "x": at, "y": list(y), **spans, "vertical": True, **more}


def legend(*labels, colors=()):
    return {"title": "", "labels": list(labels), "colors": list(colors)}


LINE = chart(axes(line()))


@pytest.mark.parametrize(
    ("style", "seen"),
    [
        ({}, True),
        ({"alpha": 0.5}, True),
        ({"alpha": 0.0}, False),
        ({"line": "None"}, False),
        ({"line": "None", "marker": "o"}, True),
        ({"line": "None", "marker": "o", "marker_size": 0.0}, False),
        ({"width": 0.0}, False),
        ({"color": "#ffffff"}, False),
        ({"color": "#ffffff", "marker": "o"}, True),
        ({"color": "#fafafa"}, False),
        ({"color": "#dddddd"}, True),
    ],
)
def test_a_line_that_nobody_sees_is_none(style, seen):
    assert bool(chart(axes(line(style=style))).panels) is seen
    beside = chart(axes(line(style=style), line(y=[1, 2, 3, 4])))
    assert len(beside.panels[0].series) == 1 + seen


def test_bars_without_width_and_points_without_size_are_none():
    assert not chart(axes({**bars([5, 6]), "width": [0, 0.0]})).panels
    assert not chart(axes(points(style={"sizes": [0.0]}))).panels
    assert chart(axes(points(style={"sizes": [0.0, 4.0]}))).panels


def test_a_line_without_a_value_is_none():
    assert not chart(axes(line(y=[None] * 4))).panels
    assert chart(axes(line(y=[None, 7, None, 6]))).panels


def test_a_white_line_on_dark_ground_is_seen():
    dark = chart(axes(line(style={"color": "#ffffff"}), color="#222222"))
    assert value(LINE, dark) == 1
    assert not chart(axes(line(style={"color": "#222222"}), color="#222222")).panels


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ({"shown": False}, {"shown": True}),
        ({"position": [0.1, 0.1, 0.001, 0.8]}, {"position": [0.1, 0.1, 0.1, 0.8]}),
        ({"position": [1.1, 0.1, 0.8, 0.8]}, {"position": [0.5, 0.1, 0.8, 0.8]}),
    ],
)
def test_axes_that_nobody_sees_are_no_panel(hidden, shown):
    assert value(LINE, chart(axes(line(), **shown))) == 1
    assert not chart(axes(line(), **hidden)).panels
    wrong = chart(axes(line(y=[1, 1, 1, 1])), axes(line(), **hidden))
    assert value(LINE, wrong) == 0


def test_small_axes_of_a_tall_figure_are_seen():
    rows = [axes(line(), position=[0.1, place / 100, 0.8, 0.006]) for place in range(3)]
    assert len(chart(*rows, size=(6, 60)).panels) == 3


@pytest.mark.parametrize("item", [line(), points(), bars([4, 7, 5, 6])])
@pytest.mark.parametrize("cut", [{"x": {"limits": [-1, 2.5]}}, {"y": {"limits": [0, 6.5]}}])
def test_what_lies_out_of_view_is_missing(item, cut):
    whole, cropped = chart(axes(item, x={"limits": [-1, 10]})), chart(axes(item, **{"x": {"limits": [-1, 10]}, **cut}))
    assert both(whole, whole) == (1, 1)
    assert value(whole, cropped) == 0
    assert both(cropped, cropped) == (1, 1)
    assert value(cropped, whole) == 1  # more than was asked for is in view


def test_limits_at_the_outermost_values_and_below_the_ends_of_bars_cut_nothing():
    tight = {"x": {"limits": [1, 4]}, "y": {"limits": [4, 7]}}
    assert value(LINE, chart(axes(line(), **tight))) == 1
    assert value(LINE, chart(axes(line(), y={"limits": [7, 4], "inverted": True}))) == 1
    gold = chart(axes(bars([40, 70, 50]), x={"limits": [-1, 3]}, y={"limits": [0, 80]}))
    assert value(gold, chart(axes(bars([40, 70, 50]), x={"limits": [-1, 3]}, y={"limits": [30, 80]}))) == 1
    assert value(gold, chart(axes(bars([40, 70, 50]), x={"limits": [-1, 3]}, y={"limits": [45, 80]}))) == 0


@pytest.mark.parametrize(
    ("labels", "right"),
    [
        (["0", "2", "4", "6", "8"], True),
        (["0", "20", "40", "60", "80"], True),
        (["0", "2,000", "4,000", "6,000", "8,000"], True),
        (["-1", "1", "3", "5", "7"], True),
        (["none", "2", "4", "6", "8"], True),
        (["$0", "$2", "$4", "$6", "$8"], True),
        (["0", "", "4", "", "8"], True),
        (["0", "0.7", "1.3", "2", "2.7"], True),
        (["0", "2", "4", "6", "80"], False),
        (["8", "6", "4", "2", "0"], False),
        (["0", "0", "0", "0", "0"], False),
    ],
)
def test_values_beside_which_other_numbers_stand_are_wrong(labels, right):
    plain, lying = {"fixed": True, "ticks": [0, 2, 4, 6, 8]}, named("pqrs")
    for gold, item in ((LINE, line()), (chart(axes(bars([4, 7, 5, 6]), x=lying)), bars([4, 7, 5, 6]))):
        x = lying if item["kind"] == "bar" else {}
        assert value(gold, chart(axes(item, x=x, y={**plain, "labels": labels}))) == right


def test_cells_and_boxes_out_of_view_are_missing():
    def mesh(limits):
        item = series("heatmap", values=[[1, 2], [3, 4]], extent=[0, 2, 0, 2], origin="upper")
        return chart(axes(item, x={"limits": limits}))

    assert value(mesh([0, 2]), mesh([0, 2])) == 1
    assert value(mesh([0, 2]), mesh([0, 1])) == 0

    def boxes(limits):
        each = [{"q1": at, "med": at + 1, "q3": at + 2, "whislo": 0, "whishi": 9, "at": at} for at in (1, 2)]
        return chart(axes(series("box", boxes=each, vertical=True), x={"limits": limits}))

    assert value(boxes([0, 3]), boxes([0, 3])) == 1
    assert value(boxes([0, 3]), boxes([0, 1.5])) == 0.5


def test_another_scale_of_an_axis_is_a_part_that_is_wrong():
    log = chart(axes(line(), y={"scale": "log", "limits": [1, 10]}))
    assert both(log, log) == (1, 1)
    assert both(LINE, log) == (5 / 6, 5 / 6)
    assert value(log, chart(axes(line(), y={"scale": "symlog", "limits": [1, 10]}))) == 1


def test_a_line_is_joined_in_its_order():
    turned = chart(axes(line(x=[4, 3, 2, 1], y=[6, 5, 7, 4])))
    assert value(LINE, turned) == 1
    shuffled = line(x=[1, 3, 2, 4], y=[4, 5, 7, 6])
    assert value(LINE, chart(axes(shuffled))) == 0
    assert value(chart(axes(shuffled)), LINE) == 1  # the gold goes to and fro: along its axis it says the same
    other = line(x=[1, 3, 4, 2], y=[4, 5, 6, 7])
    assert value(chart(axes(shuffled)), chart(axes(other))) == 0
    loose = {"line": "None", "marker": "o"}
    assert value(chart(axes(line(style=loose))), chart(axes(line(x=[1, 3, 2, 4], y=[4, 5, 7, 6], style=loose)))) == 1


def test_points_are_points_whichever_way_they_are_drawn():
    marked = chart(axes(line(style={"line": "None", "marker": "o"})))
    assert both(marked, chart(axes(points()))) == (1, 1)
    assert value(marked, LINE) < 1
    twice = chart(axes(line(label="m"), points()))
    assert both(twice, chart(axes(line(label="m", style={"marker": "o"})))) == (1, 1)
    assert value(LINE, chart(axes(line(), points(y=[4, 7, 5, 9])))) < 0.6


def test_stacked_bars_are_the_same_in_another_order_and_none_that_stand_side_by_side():
    more = {"x": {**named("pq"), "limits": [-1, 2]}, "legend": legend("m", "n")}
    stack = chart(axes(bars([1, 2], label="m"), bars([3, 4], [1, 2], label="n"), **more))
    turned = chart(axes(bars([3, 4], label="n"), bars([1, 2], [3, 4], label="m"), **more))
    beside = chart(axes(bars([1, 2], label="m", x=[-0.2, 0.8]), bars([3, 4], label="n", x=[0.2, 1.2]), **more))
    assert both(stack, turned) == (1, 1)
    assert both(stack, beside) == (5 / 6, 5 / 6)
    assert value(stack, chart(axes(bars([3, 2], label="m"), bars([1, 4], [3, 2], label="n"), **more))) == 0
    floating = chart(axes(bars([1, 2], label="m"), bars([3, 4], [2, 3], label="n"), **more))
    assert both(stack, floating) == (0.5 * 5 / 6, 0.5 * 5 / 6)
    below = chart(axes(bars([1, -2], label="m"), bars([3, -4], [1, -2], label="n"), **more, y={"limits": [-9, 9]}))
    assert below.panels[0].kinds == {"stacked bar"}


def test_stacked_areas_are_the_same_in_another_order():
    def areas(*parts):
        items = [
            series("area", parts=[{"x": [1, 2, 3], "low": low, "high": high}], vertical=True) | {"label": label}
            for low, high, label in parts
        ]
        return chart(axes(*items, legend=legend("m", "n")))

    stack = areas(([0, 0, 0], [1, 2, 1], "m"), ([1, 2, 1], [4, 5, 6], "n"))
    turned = areas(([0, 0, 0], [3, 3, 5], "n"), ([3, 3, 5], [4, 5, 6], "m"))
    assert both(stack, turned) == (1, 1)
    assert value(stack, areas(([0, 0, 0], [1, 2, 1], "m"), ([0, 0, 0], [3, 3, 5], "n"))) == 5 / 6
    assert value(stack, areas(([0, 0, 0], [1, 2, 1], "m"), ([1, 2, 1], [3, 3, 5], "n"))) == 0.5


def test_the_rim_of_an_area_is_no_line_of_its_own():
    part = {"x": [1, 2, 3], "low": [0, 0, 0], "high": [4, 7, 5]}
    area = chart(axes(series("area", parts=[part], vertical=True)))
    rimmed = chart(axes(series("area", parts=[part], vertical=True), line(x=[1, 2, 3], y=[4, 7, 5])))
    assert both(area, rimmed) == (1, 1)
    other = chart(axes(series("area", parts=[part], vertical=True), line(x=[1, 2, 3], y=[4, 7, 6])))
    assert value(area, other) < 0.5


def test_a_legend_of_the_figure_is_as_good_as_one_of_its_only_axes():
    item = line(label="m")
    value_of_axes = json.loads(ours(axes(item, legend=legend("m")))["chart.json"])
    of_figure = json.loads(ours(axes(item))["chart.json"]) | {"figure": {"title": "", "legends": [legend("m")]}}
    assert value(read_description(value_of_axes), read_description(of_figure)) == 1
    assert value(read_description(value_of_axes), chart(axes(item))) < 1


def test_bars_that_lie_are_the_same_as_bars_that_stand_with_what_is_written_at_their_axes():
    standing = chart(axes(bars([5, 6]), x=named("pq")))
    lying = axes(bars([5, 6], vertical=False), y=named("pq"), x_label="value", y_label="place")
    assert both(standing, chart(lying)) == (1, 1)
    assert value(standing, chart({**lying, **TITLES})) == 0.6
    assert value(standing, chart(axes(bars([6, 5], vertical=False), y=named("pq")))) == 0
    log = {"scale": "log", "limits": [1, 10]}
    assert value(chart(axes(bars([5, 6]), x=named("pq"), y=log)), chart({**lying, "x": {**NUMBERS, **log}})) == 1


def test_bars_with_a_colour_each_are_one_series():
    x = named("pqr")
    whole = chart(axes(bars([5, 6, 7]), x=x))

    def each(values, labels):
        items = [bars([value], x=[at], label=labels[at]) for at, value in enumerate(values)]
        return chart(axes(*items, x=x, legend=legend(*labels)))

    assert both(whole, chart(axes(*(bars([5 + at], x=[at]) for at in range(3)), x=x))) == (1, 1)
    assert both(whole, each([5, 6, 7], "pqr")) == (1, 1)
    assert value(whole, each([5, 6, 7], "rqp")) == 0
    assert value(whole, each([5, 6, 8], "pqr")) == 0
    halves = [bars([5, 6], label="past"), bars([7], x=[2], label="to come")]
    assert len(chart(axes(*halves, x=x, legend=legend("past", "to come"))).panels[0].series) == 2


DAYS = {"2024-01-01": 19723.0, "2024-02-01": 19754.0, "2024-03-01": 19783.0}


@pytest.mark.parametrize("item", [lambda x: line(x=x, y=[4, 7, 5]), lambda x: bars([4, 7, 5], x=x)])
def test_dates_and_numbers_may_be_written_as_words(item):
    days = chart(axes(item(list(DAYS.values())), x={"type": "date", "limits": [19000, 20000]}))
    words = chart(axes(item([0, 1, 2]), x=named(DAYS)))
    assert both(days, words) == (1, 1)
    months = chart(axes(item([0, 1, 2]), x=named(["Jan 2024", "Feb 2024", "Mar 2024"])))
    assert both(days, months) == (1, 1)
    assert both(days, chart(axes(item([0, 1, 2]), x=named(["2024-01-01", "2024-02-02", "2024-03-01"])))) == (0, 0)
    years = chart(axes(item([2019, 2020, 2021]), x={"limits": [2010, 2030]}))
    assert both(years, chart(axes(item([0, 1, 2]), x=named(["2019", "2020", "2021"])))) == (1, 1)
    assert both(years, chart(axes(item([0, 1, 2]), x=named(["2019", "2020", "2022"])))) == (0, 0)
    numbered = {"type": "number", "fixed": True, "ticks": [0, 1, 2], "labels": ["2019", "2020", "2021"]}
    assert both(years, chart(axes(item([0, 1, 2]), x=numbered))) == (1, 1)
    short = {"type": "number", "fixed": True, "ticks": [2e6, 3e6, 4e6], "labels": ["2", "3", "4"], "limits": [0, 9e6]}
    assert value(years, chart(axes(item([2e6, 3e6, 4e6]), x=short))) == 0


def test_months_are_the_same_by_their_beginnings_and_by_their_ends():
    date = {"type": "date", "limits": [19000, 20000]}
    months = line(x=[0, 1, 2], y=[4, 7, 5]) | {"x_days": [19723, 19754, 19783], "x_ends": [19753, 19782, 19813]}
    period = chart(axes(months, x={"type": "period", "limits": [-1, 3]}))
    for places in ([19723, 19754, 19783], [19753, 19782, 19813]):
        assert both(period, chart(axes(line(x=places, y=[4, 7, 5]), x=date))) == (1, 1)
    assert both(period, chart(axes(line(x=[19730, 19760, 19790], y=[4, 7, 5]), x=date))) == (0, 0)


def test_error_bars_that_nobody_asked_for_are_left_alone_and_others_compared():
    plain, barred = bars([5, 6]), bars([5, 6], y_low=[4, 5], y_high=[6, 7])
    assert value(chart(axes(plain)), chart(axes(barred))) == 1
    assert value(chart(axes(barred)), chart(axes(plain))) == 0
    assert value(chart(axes(barred)), chart(axes({**barred, "y_low": [4, 4]}))) == 0
    assert value(chart(axes(plain)), chart(axes({**barred, "y": [5, 7]}))) == 0


def test_bands_around_a_line_that_were_drawn_by_lot_may_differ_a_little():
    def band(low, high, y=(4, 7, 5, 6)):
        part = {"x": [1, 2, 3, 4], "low": low, "high": high}
        return chart(axes(line(y=y), series("area", parts=[part], vertical=True)))

    gold = band([3, 6, 4, 5], [5, 8, 6, 7])
    assert value(gold, band([3.1, 5.8, 4, 5.2], [5.2, 8.1, 6, 6.9])) == 1
    assert value(gold, band([2, 5, 3, 4], [6, 9, 7, 8])) == 0.5
    alone = band([3, 6, 4, 5], [5, 8, 6, 7], y=(9, 9, 9, 9))  # not around its line: what it shows is exact
    assert value(alone, band([3.1, 5.8, 4, 5.2], [5.2, 8.1, 6, 6.9], y=(9, 9, 9, 9))) == 0.5


def test_slices_are_called_what_a_legend_says_of_their_colours():
    colors = ["#ff0000", "#0000ff"]

    def pie(labels, entries=()):
        item = series("pie", shares=[0.25, 0.75], labels=list(labels), style={"colors": colors})
        return chart(axes(item, legend=legend(*entries, colors=colors[: len(entries)]) if entries else None))

    named_slices = pie("mn")
    assert value(named_slices, pie(["", ""], "mn")) == 1
    assert value(named_slices, pie(["", ""], "nm")) == 0
    assert value(named_slices, pie(["", ""])) == 0


def test_names_that_were_written_at_the_places_of_a_line_are_its_names():
    words = chart(axes(line(x=[0, 1, 2], y=[4, 7, 5]), x=named(["low", "middle", "high"])))
    written = {"type": "number", "fixed": True, "ticks": [0, 1, 2], "labels": ["low", "middle", "high"]}
    assert both(words, chart(axes(line(x=[0, 1, 2], y=[4, 7, 5]), x=written))) == (1, 1)
    assert both(words, chart(axes(line(x=[0, 1, 2], y=[7, 4, 5]), x=written))) == (0, 0)
    more = {
        **written,
        "limits": [-0.5, 2.5],
        "ticks": [-1, 0, 1, 2, 3],
        "labels": ["high", "low", "middle", "high", ""],
    }
    assert both(words, chart(axes(line(x=[0, 1, 2], y=[4, 7, 5]), x=more))) == (1, 1)


@pytest.mark.parametrize(
    ("names", "places"),
    [
        (["1", "2.5", "−3"], [1.0, 2.5, -3.0]),
        (["2024-01-01", "2024-01-02T12:00"], [19723.0, 19724.5]),
        (["0", "1"], [0.0, 1.0]),
        (["1 January 2024"], [19723.0]),
        (["1", "1.0"], None),
        (["1", "two"], None),
        (["10%", "20%"], None),
        (["01/02/2024"], None),
        ([], None),
        (["nan", "inf"], None),
    ],
)
def test_only_what_can_be_read_in_one_way_is_a_number_or_a_date(names, places):
    assert worded_places(names) == places


def test_the_legend_says_which_series_is_which_whatever_they_are_called():
    def two(labels, shown, colors=("#ff0000", "#0000ff")):
        items = [
            line(y=y, label=label, style={"color": color})
            for y, label, color in zip(([1, 2, 3, 4], [6, 5, 4, 9]), labels, ("#ff0000", "#0000ff"), strict=True)
        ]
        return chart(axes(*items, legend=legend(*shown, colors=colors)))

    gold = two("mn", "mn")
    assert value(gold, gold) == 1
    assert value(gold, two("mn", "nm")) == 0
    assert value(gold, two("ab", "mn")) == 1
    assert value(gold, two("mn", "mn", ())) == 1
    assert value(gold, two("nm", "mn", ())) == 0
    nobody = chart(axes(*(line(y=y, label=label) for y, label in (([1, 2, 3, 4], "n"), ([6, 5, 4, 9], "m")))))
    assert value(gold, nobody) == 5 / 6  # no legend says what is which, and that is all that it lacks
