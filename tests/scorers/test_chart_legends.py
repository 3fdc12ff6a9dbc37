"""Which label belongs to which series where only the colours of a legend tell."""

import json

import pytest
from tests.scorers.test_chart import named, ours, panel, series

from benchwright.scorers.chart.compare import compare_charts
from benchwright.scorers.chart.description import read_description
from benchwright.scorers.chart.rule import ChartRule

RED, BLUE = "#ff0000", "#0000ff"


def legend(*labels, colors=(RED, BLUE)):
    return {"title": "", "labels": list(labels), "colors": list(colors)}


def line(values, color):
    return series("line", x=[0, 1, 2], y=values, style={"color": color})


def chart(*axes):
    return read_description(json.loads(ours(*axes)["chart.json"]))


def value(gold, found):
    return compare_charts(gold, found, ChartRule()).verdict.value


def two(first, second, labels, colors=(RED, BLUE)):
    return chart(panel(line(first, colors[0]), line(second, colors[1]), legend=legend(*labels, colors=colors)))


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (two([1, 2, 3], [6, 5, 4], "mn"), 1.0),
        (two([6, 5, 4], [1, 2, 3], "nm"), 1.0),
        (two([1, 2, 3], [6, 5, 4], "mn", colors=("#00ff00", "#888888cc")), 1.0),
        (two([1, 2, 3], [6, 5, 4], "nm"), 0.0),
        (two([6, 5, 4], [1, 2, 3], "mn"), 0.0),
    ],
)
def test_series_change_places_and_colours_with_their_labels_and_not_without(found, wanted):
    assert value(two([1, 2, 3], [6, 5, 4], "mn"), found) == wanted


def test_a_label_of_its_own_goes_before_and_one_without_colours_fits_any():
    gold = two([1, 2, 3], [6, 5, 4], "mn")
    plain = [{**line([1, 2, 3], "#111111"), "label": "m"}, {**line([6, 5, 4], "#222222"), "label": "n"}]
    assert value(gold, chart(panel(*plain, legend=legend("m", "n", colors=())))) == 1
    plain[0]["label"], plain[1]["label"] = "n", "m"
    assert value(gold, chart(panel(*plain, legend=legend("m", "n", colors=())))) == 0
    nameless = [line([1, 2, 3], "#111111"), line([6, 5, 4], "#222222")]
    assert value(gold, chart(panel(*nameless, legend=legend("m", "n", colors=())))) == 1


def test_points_of_several_colours_are_as_many_series():
    def points(which, y=(4, 5, 6, 7)):
        style = {"colors": [RED, BLUE], "which": which}
        item = series("scatter", x=[1, 2, 3, 4], y=list(y), style=style)
        return chart(panel(item, legend=legend("m", "n")))

    gold = points([0, 1, 0, 1])
    assert sorted(one.label for one in gold.panels[0].series) == ["m", "n"]
    assert value(gold, points([0, 1, 0, 1])) == 1
    assert value(gold, points([1, 0, 1, 0])) == 0
    assert value(gold, points([0, 1, 0, 1], (4, 5, 6, 8))) == 0.5
    broken = series("scatter", x=[1, 2], y=[1, 2], style={"colors": [RED, BLUE], "which": [0]})
    assert len(chart(panel(broken, legend=legend("m", "n"))).panels[0].series) == 1


def test_two_series_of_one_label_stay_with_their_label():
    def each(*pairs):
        items = ({**line(values, RED), "label": label} for values, label in pairs)
        return chart(panel(*items, legend=legend("m", "n", colors=())))

    gold = each(([1, 2, 3], "m"), ([3, 2, 1], "m"), ([4, 5, 6], "n"), ([6, 5, 4], "n"))
    assert value(gold, each(([3, 2, 1], "m"), ([1, 2, 3], "m"), ([6, 5, 4], "n"), ([4, 5, 6], "n"))) == 1
    assert value(gold, each(([3, 2, 1], "n"), ([1, 2, 3], "n"), ([6, 5, 4], "m"), ([4, 5, 6], "m"))) == 0


def test_points_beside_a_name_belong_to_it_wherever_they_were_spread():
    def strip(x, y):
        return chart(panel(series("scatter", x=x, y=y), x=named("pq")))

    gold = strip([0.1, -0.1, 1.2], [4, 5, 6])
    assert value(gold, strip([0.9, 0.0, 0.0], [6, 5, 4])) == 1
    assert value(gold, strip([0.1, 1.1, 1.2], [4, 5, 6])) == 0
    assert value(gold, strip([0.1, -0.1, 1.2], [4, 5, 7])) == 0


def test_a_bar_of_another_year_does_not_stand_in_for_one_that_is_missing():
    def bars(*names):
        return chart(panel(series("bar", x=[0, 1, 2], y=[5, 6, 7], width=[1, 1, 1]), x=named(names)))

    assert value(bars("2019", "2020", "2021"), bars("2019", "2020", "2022")) == 0
    assert value(bars("male", "other", "none"), bars("female", "other", "none")) == 0
    assert value(bars("New Yorck", "b", "c"), bars("New York", "b", "c")) == 1
