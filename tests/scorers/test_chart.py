"""Charts by what describes them: the published pair of files, and our own capture."""

import io
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import SuiteError
from benchwright.gold import Check, Gold
from benchwright.score import Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.chart import ChartScorer
from benchwright.scorers.chart.scorer import chart_of
from benchwright.task import Task
from benchwright.trajectory import Submission

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8ffff3f0005"
    "fe02fe0def46b80000000049454e44ae426082"
)
"""One white pixel."""


def stored(arrays):
    file = io.BytesIO()
    np.save(file, np.array(arrays, dtype=object), allow_pickle=True)
    return file.getvalue()


def trio(arrays, texts=None, **each):
    """A picture and its published companions."""
    arrays = {f"subplot_{place}": np.asarray(array, dtype=float) for place, array in enumerate(arrays)}
    info = {name: {"type": "bar", **each} for name in arrays}
    for name, changes in (texts or {}).items():
        info.setdefault(name, {}).update(changes)
    return {
        "png": PNG,
        "json": json.dumps({**info, "total_subplots": len(info)}).encode(),
        "npy": stored(arrays),
    }


def series(kind, **values):
    return {"kind": kind, "label": "", **values}


def panel(*items, x=None, **texts):
    axis = {"type": "number", "fixed": False, "ticks": [], "labels": []}
    return {"role": "plot", "series": list(items), "x": {**axis, **(x or {})}, "y": axis, "legend": None, **texts}


def ours(*axes, title=""):
    value = {"format": "benchwright chart 1", "pictures": {}, "figure": {"title": title}, "axes": list(axes)}
    return {"png": PNG, "chart.json": json.dumps(value).encode()}


def named(names):
    return {"type": "category", "fixed": True, "ticks": list(range(len(names))), "labels": list(names)}


@pytest.fixture
def judged(tmp_path):
    """The verdict on an output against golds, each a dict of files by ending."""
    counter = iter(range(10_000))

    def judge(gold, found, *, picture=None, scorer=None, **options):
        folder = tmp_path / str(next(counter))
        (folder / "gold").mkdir(parents=True)
        golds = gold if isinstance(gold, list) else [gold]
        for place, files in enumerate(golds):
            for ending, data in files.items():
                (folder / "gold" / f"result{place}.{ending}").write_bytes(data)
        found = {**found, "png": PNG + b" of the agent" if picture is None else picture} if "png" in found else found
        for ending, data in found.items():
            (folder / f"output.{ending}").write_bytes(data)
        names = tuple(f"result{place}.png" for place in range(len(golds)))
        check = Check(scorer="chart", output="output.png", golds=names, options=options)
        expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, folder / "gold")
        files = {f"output.{ending}": folder / f"output.{ending}" for ending in found}
        return (scorer or ChartScorer(redraw=False)).score(Submission(files=files), expected)

    return judge


@pytest.fixture
def value(judged):
    def number(*arguments, **options):
        score = judged(*arguments, **options)
        assert isinstance(score, Scored), score
        return score.value

    return number


class TestTheFaultsOfThePublishedScorer:
    BARS = trio([[[10, 20, 30, 20, 20]]], xtick_labels=list("abcde"))

    def test_values_on_another_scale_are_wrong(self, value):
        scaled = trio([[[10e3, 20e3, 30e3, 20e3, 20e3]]], xtick_labels=list("abcde"))
        assert value(self.BARS, scaled) == 0
        assert value(self.BARS, scaled, scale_free=True) == 1

    def test_categories_may_change_places_with_their_values(self, value):
        assert value(self.BARS, trio([[[30, 20, 10, 20, 20]]], xtick_labels=list("cbade"))) == 1
        assert value(self.BARS, trio([[[30, 20, 10, 20, 20]]], xtick_labels=list("abcde"))) == 0
        assert value(trio([[[10, 20, 30]]]), trio([[[30, 20, 10]]])) == 0

    def test_values_of_other_points_are_wrong(self, value):
        gold = trio([[[1, 50], [2, 47], [3, 61]]], type="scatter")
        assert value(gold, trio([[[1, 47], [2, 61], [3, 50]]], type="scatter")) == 0
        assert value(gold, trio([[[3, 61], [1, 50], [2, 47]]], type="scatter")) == 1
        assert value(trio([[[1, 30], [2, 40]]], type="scatter"), trio([[[1, 40], [2, 30]]], type="scatter")) == 0

    def test_nan_equals_only_nan(self, value):
        gold = trio([[[9, np.nan, 2]]], type="line")
        assert value(gold, gold) == 1
        assert value(gold, trio([[[np.nan] * 3]], type="line")) == 0
        assert value(gold, trio([[[1, np.nan, 5]]], type="line")) == 0
        assert value(gold, trio([[[9, 0, 2]]], type="line")) == 0

    def test_the_golds_own_picture_is_right_and_another_without_data_has_no_score(self, judged):
        gold = trio([[[1, 2]]])
        copied = judged(gold, {"png": b""}, picture=PNG)
        assert (copied.value, copied.details["picture"]) == (1.0, "byte for byte the gold's")
        alone = judged(gold, {"png": b""})
        assert isinstance(alone, Unscored)
        assert "no description of output.png" in alone.reason
        for half in ({"json": gold["json"]}, {"npy": gold["npy"]}):
            assert isinstance(judged(gold, {"png": b"", **half}), Unscored)

    def test_stored_data_are_never_run(self, judged, tmp_path):
        marker = tmp_path / "ran"

        class Runs:
            def __reduce__(self):
                return os.mkdir, (str(marker),)

        gold = trio([[[1, 2]]])
        score = judged(gold, {**gold, "npy": stored({"subplot_0": Runs()})})
        assert score.value == 0
        assert "rejected data" in score.reason
        assert not marker.exists()

    def test_signs_shares_noise_and_half_a_title_count(self, value):
        gold = trio([[[1, 2, 3]]], graph_title="Alpha of all")
        assert value(gold, trio([[[-1, -2, -3]]], graph_title="Alpha of all")) == 0
        twenty = trio([[[100.0] * 20]])
        assert value(twenty, trio([[100 + 15 * np.sin(np.arange(20))]])) == 0
        assert value(gold, trio([[[1 + 1e-9, 2, 3]]], graph_title="ALPHA of all")) == 1
        parts = ["data", "kind", "title"]
        assert value(gold, trio([[[1, 2, 3]]], graph_title="Alpha"), parts=parts) == pytest.approx(2 / 3)
        assert value(gold, trio([[[1, 2, 3]]], graph_title="Alpha of al"), parts=parts) == 1

    def test_numbers_in_texts_are_exact(self, value):
        gold = trio([[[1, 2, 3]]], graph_title="Sales of 2018 by region")
        assert value(gold, trio([[[1, 2, 3]]], graph_title="Sales of 2019 by region"), parts=["data", "title"]) == 0.5

    def test_labels_count_as_often_as_they_are_there(self, value):
        gold = trio([[[1, 2, 3]]], labels=["a", "b"])
        assert value(gold, trio([[[1, 2, 3]]], labels=["a", "a"]), parts=["data", "labels"]) == 0.75
        assert value(gold, trio([[[1, 2, 3]]], labels=["b", "a"]), parts=["data", "labels"]) == 1

    def test_series_belong_to_their_labels(self, value):
        gold = trio([[[1, 2], [3, 4]]], type="line", labels=["p", "q"])
        assert value(gold, trio([[[3, 4], [1, 2]]], type="line", labels=["q", "p"])) == 1
        assert value(gold, trio([[[3, 4], [1, 2]]], type="line", labels=["p", "q"])) == 0
        assert value(gold, trio([[[3, 4], [1, 2]]], type="line")) == pytest.approx(2 / 3)

    def test_a_panel_without_gold_data_is_left_out_and_said(self, judged):
        gold = trio([[[1, 2]]], {"subplot_1": {"type": "kde"}})
        score = judged(gold, gold, picture=PNG + b"!")
        assert score.value == 1
        assert score.details["gold_without_data"] == ["subplot_1"]
        empty = {**trio([]), "json": json.dumps({"subplot_0": {"type": "kde"}}).encode()}
        nothing = judged(empty, empty)
        assert isinstance(nothing, Unscored)
        assert nothing.details == {"gold": "no data"}


class TestPanels:
    GOLD = trio([[[1, 2, 3]], [[4, 5, 6]]])

    def test_a_surplus_panel_and_a_missing_one_cost_their_share(self, value):
        assert value(self.GOLD, trio([[[1, 2, 3]]])) == 0.5
        assert value(self.GOLD, trio([[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]])) == pytest.approx(2 / 3)

    def test_panels_may_stand_in_another_order(self, value):
        assert value(self.GOLD, trio([[[4, 5, 6]], [[1, 2, 3]]])) == 1

    def test_every_score_says_how_far_it_can_be_trusted(self, judged):
        score = judged(self.GOLD, self.GOLD)
        assert score.details["evidence"] == "self-described"
        assert score.details["source"] == "companions"

    def test_of_several_golds_the_best_counts(self, value):
        assert value([trio([[[9, 9]]]), trio([[[1, 2]]])], trio([[[1, 2]]])) == 1


class TestOurDescription:
    LINE = panel(series("line", x=[1, 2, 3], y=[4, None, 6]), title="T", x_label="across", y_label="up")

    def test_it_is_right_by_itself(self, judged):
        score = judged(ours(self.LINE), ours(self.LINE))
        assert score.value == 1
        assert score.details == {"evidence": "self-described", "source": "description", "panels": 1}

    @pytest.mark.parametrize(
        "values",
        [
            {"x": [1, 2, 4], "y": [4, None, 6]},
            {"x": [1, 2, 3], "y": [4, 5, 6]},
            {"x": [1, 2, 3], "y": [4, None, 6.2]},
            {"x": [1, 2], "y": [4, None]},
        ],
    )
    def test_other_places_or_values_are_wrong(self, value, values):
        assert (
            value(ours(self.LINE), ours(panel(series("line", **values), title="T", x_label="across", y_label="up")))
            == 0
        )

    def test_years_are_not_within_a_hundredth_of_each_other(self, value):
        gold, other = (ours(panel(series("line", x=[start, start + 1], y=[1, 2]))) for start in (2001, 2011))
        assert value(gold, other) == 0

    def test_bars_are_named_by_the_labels_at_their_places(self, value):
        gold = ours(panel(series("bar", x=[0, 1, 2], y=[5, 6, 7], base=[0] * 3, vertical=True), x=named("abc")))
        turned = ours(panel(series("bar", x=[0, 1, 2], y=[7, 5, 6], base=[0] * 3, vertical=True), x=named("cab")))
        assert value(gold, turned) == 1
        swapped = ours(panel(series("bar", x=[0, 1, 2], y=[7, 5, 6], base=[0] * 3, vertical=True), x=named("abc")))
        assert value(gold, swapped) == 0
        other = ours(panel(series("bar", x=[0, 1, 2], y=[5, 6, 7], base=[0] * 3, vertical=True), x=named("xyz")))
        assert value(gold, other) == 0

    def test_a_histogram_and_bars_that_touch_are_one_kind(self, value):
        gold = ours(panel(series("histogram", edges=[0, 1, 2], counts=[3, 4], vertical=True)))
        bars = ours(panel(series("bar", x=[0.5, 1.5], y=[3, 4], base=[0, 0], width=[1, 1], vertical=True)))
        assert value(gold, bars) == 1

    def test_a_line_instead_of_bars_keeps_half_where_only_the_kind_and_data_count(self, value):
        gold = ours(panel(series("bar", x=[0, 1], y=[5, 6], base=[0, 0], vertical=True)))
        line = ours(panel(series("line", x=[0, 1], y=[5, 6])))
        assert value(gold, line, parts=["kind", "data"]) == 0.5

    def test_the_title_of_a_figure_with_one_panel_is_the_panels(self, value):
        gold = ours(panel(series("line", x=[1], y=[2]), title="Alpha"))
        assert value(gold, ours(panel(series("line", x=[1], y=[2])), title="Alpha")) == 1

    def test_summaries_forgive_what_single_numbers_are_forgiven(self, value):
        def long(numbers, x=(1.0, 2.0)):
            quantiles, parts = sorted(numbers)[:21], numbers[:64]
            told = {"count": 9, "missing": 0, "sha256": f"{abs(hash(tuple(numbers))):064x}"}
            return ours(panel(series("scatter", x=list(x), y={**told, "quantiles": quantiles, "parts": parts})))

        numbers = [float(place % 7) for place in range(64)]
        assert value(long(numbers), long([number + 1e-9 for number in numbers])) == 1
        assert value(long(numbers), long(numbers[::-1])) == 0
        assert value(long(numbers), long(numbers, x=(1.0, 3.0))) == 0

    def test_summaries_are_compared_by_their_hash(self, value):
        def long(letter):
            return ours(panel(series("scatter", x=[1.0], y={"count": 9, "sha256": letter * 64})))

        assert value(long("a"), long("a")) == 1
        assert value(long("a"), long("b")) == 0

    def test_it_goes_before_the_published_pair(self, judged):
        gold = trio([[[1, 2]]], type="line")
        both = {**gold, **ours(panel(series("line", x=[0, 1], y=[8, 9])))}
        assert judged(gold, both).value == 0
        failed = {**gold, "chart.json": json.dumps({"format": "benchwright chart 1", "failed": "odd"}).encode()}
        assert judged(gold, failed).details["source"] == "companions"

    @pytest.mark.parametrize(
        ("kind", "rows", "item"),
        [
            ("line", [[1, 2, 3]], series("line", x=[7, 8, 9], y=[1, 2, 3])),
            ("bar", [[1, 2]], series("bar", x=[0, 1], y=[1, 2], base=[0, 0], width=[1, 1], vertical=True)),
            ("bar", [[3, 4]], series("histogram", edges=[0, 1, 2], counts=[3, 4], vertical=True)),
            ("scatter", [[1, 2], [3, 4]], series("scatter", x=[3, 1], y=[4, 2])),
            ("pie", [[0.25, 0.75]], series("pie", shares=[0.25, 0.75], labels=["a", "b"])),
            ("heatmap", [[[1, 2], [3, np.nan]]], series("heatmap", values=[[1, 2], [3, None]])),
            (
                "line",
                [[2, 1, 0, 0, 0], [4, 5, 0, 0, 0], [1, 1, 0, 0, 0], [5, 5, 0, 0, 0], [3, 3, 0, 0, 0], [2, 2, 4, 4, 2]],
                series("box", boxes=[{"q1": 2, "med": 3, "q3": 4, "whislo": 1, "whishi": 5, "fliers": []}]),
            ),
        ],
    )
    def test_golds_in_the_published_form_are_met(self, value, kind, rows, item):
        gold = trio([rows], type=kind)
        assert value(gold, ours(panel(item))) == 1
        wrong = {**gold, "npy": stored({"subplot_0": np.asarray(rows, dtype=float) + 0.5})}
        assert value(wrong, ours(panel(item))) == 0


class TestWhatAnAgentMayHandIn:
    GOLD = ours(TestOurDescription.LINE)

    @pytest.mark.parametrize(
        "text",
        [
            b"",
            b"[1]",
            b'{"format": "benchwright chart 1"}',
            b'{"format": "benchwright chart 1", "axes": 3}',
            b'{"format": "benchwright chart 1", "axes": [3, {"series": 4}, {"series": [{"kind": "line"}]}]}',
            b'{"format": "benchwright chart 1", "axes": [{"series": [{"kind": "line", "x": [true], "y": ["z"]}]}]}',
            b'{"format": "benchwright chart 1", "axes": [{"series": [{"kind": "heatmap", "values": [[1], [1, 2]]}]}]}',
            b'{"format": "benchwright chart 1", "axes": [{"series": [{"kind": "line", "x": [1e999], "y": [NaN]}]}]}',
            b'{"format": "benchwright chart 1", "axes": [{"series": [{"kind": "box", "boxes": 7}, {"kind": "violin", "shapes": [1]}]}]}',
            b'{"format": "benchwright chart 1", "plotly": {"traces": [{"x": 1}, 2], "axes": 3}}',
            b'{"a":' * 100_000,
            b'{"format": "benchwright chart 1", "axes": [{"series": [{"kind": "line", "y": [1], "x": '
            + b"[" * 900
            + b"]" * 900
            + b"}]}]}",
            b"\xff\xfe\x00",
        ],
    )
    def test_a_broken_description_is_worth_nothing(self, judged, text):
        score = judged(self.GOLD, {"png": b"", "chart.json": text})
        assert isinstance(score, Scored)
        assert score.value == 0

    @pytest.mark.parametrize("data", [b"", b"nothing", b"<html>", b"{}"])
    def test_a_description_without_a_picture_is_worth_nothing(self, judged, data):
        score = judged(self.GOLD, self.GOLD, picture=data)
        assert (score.value, score.reason) == (0.0, "unreadable output.png: it is no picture, whatever describes it")
        assert judged(self.GOLD, self.GOLD, picture=b"\xff\xd8\xff of another kind").value == 1

    def test_links_and_missing_pictures_are_worth_nothing(self, judged, tmp_path):
        assert judged(self.GOLD, {"chart.json": self.GOLD["chart.json"]}).reason == "no file output.png"
        (tmp_path / "link.png").symlink_to("/etc/passwd")
        check = Check(scorer="chart", output="link.png", golds=("g.png",))
        (tmp_path / "g.png").write_bytes(PNG)
        (tmp_path / "g.chart.json").write_bytes(self.GOLD["chart.json"])
        expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, tmp_path)
        score = ChartScorer().score(Submission(files={"link.png": tmp_path / "link.png"}), expected)
        assert score.reason == "unreadable link.png: not a regular file"

    def test_an_unknown_option_is_named(self, judged):
        with pytest.raises(SuiteError, match="no option 'colour'"):
            judged(self.GOLD, self.GOLD, colour=1)
        with pytest.raises(SuiteError, match="'parts'"):
            judged(self.GOLD, self.GOLD, parts=["sound"])

    def test_a_gold_that_nothing_describes_is_the_suites_fault(self, judged):
        score = judged({"png": PNG}, self.GOLD)
        assert score.reason.startswith("suite: ")

    def test_a_judge_of_pictures_that_was_handed_in_is_asked(self, judged):
        class Judge:
            def judge(self, picture, gold, question):
                assert (picture, gold, question) == (PNG + b" of the agent", PNG, "q")
                return Scored(value=0.5, details={"judge": "seen"})

        assert judged(self.GOLD, {"png": b""}, scorer=ChartScorer(Judge())).value == 0.5


FINITE = st.floats(-1e6, 1e6).map(lambda number: round(number, 3))
POINTS = st.lists(st.tuples(FINITE, st.one_of(FINITE, st.none())), min_size=1, max_size=12).filter(
    lambda points: any(y is not None for _, y in points)  # a line without any value is none
)


def lines(*groups, kind="line"):
    return ours(
        panel(
            *(series(kind, x=[x for x, _ in group], y=[y for _, y in group]) for group in groups),
            title="T",
            x_label="a",
        )
    )


def clouds(*groups):
    return lines(*groups, kind="scatter")


def scored(folder: Path, gold, found):
    (folder / "gold").mkdir(exist_ok=True)
    (folder / "gold" / "g.png").write_bytes(PNG)
    (folder / "gold" / "g.chart.json").write_bytes(gold["chart.json"])
    (folder / "o.png").write_bytes(PNG + b"!")
    (folder / "o.chart.json").write_bytes(found["chart.json"])
    check = Check(scorer="chart", output="o.png", golds=("g.png",))
    expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, folder / "gold")
    files = {name: folder / name for name in ("o.png", "o.chart.json")}
    return ChartScorer(redraw=False).score(Submission(files=files), expected)


@settings(deadline=None, max_examples=30)
@given(st.lists(POINTS, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_a_chart_equals_itself_in_any_order_of_series_and_points(tmp_path_factory, groups, random):
    folder = tmp_path_factory.mktemp("chart")
    shuffled = [random.sample(group, len(group)) for group in random.sample(groups, len(groups))]
    for drawn in (lines, clouds):
        assert scored(folder, drawn(*groups), drawn(*groups)).value == 1
    assert scored(folder, clouds(*groups), clouds(*shuffled)).value == 1
    once = [
        list({x: (x, y) for x, y in group if y is not None}.values()) for group in groups
    ]  # at one x the order is seen
    along = [sorted(group, key=lambda point: point[0]) for group in random.sample(once, len(once))]
    assert scored(folder, lines(*once), lines(*along)).value == 1
    assert scored(folder, lines(*along), lines(*(group[::-1] for group in along))).value == 1


@settings(deadline=None, max_examples=30)
@given(st.lists(POINTS, min_size=1, max_size=4), st.lists(POINTS, min_size=0, max_size=4))
def test_values_lie_between_nothing_and_one_and_never_change(tmp_path_factory, gold, found):
    folder = tmp_path_factory.mktemp("chart")
    first, second = (scored(folder, lines(*gold), lines(*found)) for _ in range(2))
    assert 0 <= first.value <= 1
    assert first == second


@settings(deadline=None, max_examples=10)
@given(st.permutations(range(6)))
def test_every_further_wrong_series_costs_more(tmp_path_factory, order):
    folder = tmp_path_factory.mktemp("chart")
    groups = [[(0, place), (1, 10 * place + 1)] for place in range(6)]
    last = 1.0
    for count in range(1, 7):
        wrong = [[(0, 1e4 + place), (1, 5)] if place in order[:count] else group for place, group in enumerate(groups)]
        value = scored(folder, lines(*groups), lines(*wrong)).value
        assert value < last
        last = value
    assert last == 0


def conformance(shared):
    sys.path.insert(0, str(shared / "conformance"))
    try:
        import perturb
    finally:
        sys.path.pop(0)
    return perturb


def test_every_published_gold_scores_one_against_itself(shared, tmp_path):
    golds = sorted((shared / "data" / "agenticdatabench" / "gold").glob("*/*.npy"))
    assert len(golds) == 30
    for data in golds:
        files = {file.name: file for file in data.parent.iterdir() if file.stem == data.stem}
        (tmp_path / f"{data.stem}.png").write_bytes(PNG)
        found = {**files, f"{data.stem}.png": tmp_path / f"{data.stem}.png"}
        parts = ["kind", "data", "title", "x_label", "y_label", "legend", "labels", "x_ticks", "y_ticks"]
        check = Check(scorer="chart", output=f"{data.stem}.png", golds=(f"{data.stem}.png",), options={"parts": parts})
        expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, data.parent)
        score = ChartScorer().score(Submission(files=found), expected)
        assert (score.value, data.parent.name) == (1.0, data.parent.name)
        assert chart_of(f"{data.stem}.png", files) is not None


def test_crafted_charts_score_as_a_sound_scorer_should(shared, judged):
    perturb = conformance(shared)
    names = {"type": "kind", "graph_title": "title"}
    seen = 0
    for row in perturb.load_jsonl(shared / "conformance" / "agenticdatabench_crafted.jsonl"):
        if row["function"] != "compare_image" or row["id"] == "img_pixel_name":
            continue
        made = perturb.case_files(row)
        sides = [
            {name.rpartition(".")[2]: data for name, data in made.items() if name.startswith(side)}
            for side in ("output/", "gold/")
        ]
        output, gold = sides[0] | {"png": b""}, sides[1]
        parts = ["data", *(names[name] for name in row["options"].get("calculate_columns", ["type"]))]
        score = judged(gold, output, parts=parts)
        right = isinstance(score, Scored) and score.value == 1
        assert right == (row["what_a_sound_scorer_should_say"] == "correct"), (row["id"], score)
        seen += 1
    assert seen == 8


@pytest.mark.parametrize(
    ("found", "value"),
    [
        ("Share of households with increasing income", 1.0),
        ("Share of household with increasing income", 1.0),
        ("Share of households with decreasing income", 0.5),
        ("Share of income with increasing households", 0.5),
    ],
)
def test_a_title_of_opposite_words_is_another_title(judged, found, value):
    gold = trio([[[1, 2, 3]]], graph_title="Share of households with increasing income")
    assert judged(gold, trio([[[1, 2, 3]]], graph_title=found), parts=["data", "title"]).value == value
