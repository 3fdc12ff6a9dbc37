"""A description is drawn again, and a picture that shows something else has no score."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.sandbox.chart_programs import FIGURES, PROGRAMS, script
from tests.scorers.test_chart import PNG, ChartScorer, Check, Expected, Gold, Submission, Task, ours, panel, series

from benchwright.sandbox import holder
from benchwright.score import Scored, Unscored
from benchwright.scorers.chart import redraw
from benchwright.scorers.chart.compare import compare_charts
from benchwright.scorers.chart.description import read_description
from benchwright.scorers.chart.redraw import verify
from benchwright.scorers.chart.rule import ChartRule

pytest.importorskip("matplotlib", reason="drawing again needs the extra 'plots'")
CAPTURE = Path(holder.__file__).with_name("capture")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Charts of every kind as the capture describes them, drawn by this environment's matplotlib."""
    place = tmp_path_factory.mktemp("charts")
    variables = {**os.environ, "PYTHONPATH": str(CAPTURE), "MPLBACKEND": "Agg"}
    plain, _, _ = script().partition("fig = plt.figure()")
    plain += "\n".join(f"{FIGURES[name]}; fig.savefig('{name}.png')\n" for name in ("turned", "line in space"))
    more = "\nfig, ax = plt.subplots(); ax.bar(list('abcd'), [1, 5, 2, 8]); fig.savefig('other.png', bbox_inches='tight', dpi=150)"
    more += "\nax.set_title('What it shows'); ax.set_xlabel('across'); ax.set_ylabel('upwards'); fig.savefig('sharp.png', dpi=220)"
    more += "\nfig.savefig('coarse.png', dpi=60); fig.savefig('twice.png'); fig.savefig('twice.pdf'); fig.savefig('twice.svg')"
    done = subprocess.run(
        [sys.executable, "-c", plain + more], cwd=place, env=variables, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return place


def described(folder, name):
    return json.loads((folder / f"{name}.chart.json").read_text())


def picture(folder, name):
    return (folder / f"{name}.png").read_bytes()


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_picture_contradicts_its_own_description(folder, name):
    agreement = verify(described(folder, name), picture(folder, name), f"{name}.png")
    # the only points of the one stand apart from each other, and what the other holds has no reader
    assert agreement.value is not None or name in {"line", "no reader"}, agreement
    assert not agreement.contradicts, agreement


USUAL = ["bars", "lying bars", "points", "area", "pie", "other", "stacked bars", "filled stairs", "two histograms"]
USUAL += ["own colours", "histograms over each other", "ticks along an axis", "turned", "hidden"]
USUAL += ["stacked histograms", "stacked steps", "raised histogram", "sharp", "coarse", "twice"]


@pytest.mark.parametrize("name", USUAL)
def test_usual_pictures_bear_out_their_descriptions(folder, name):
    assert verify(described(folder, name), picture(folder, name), f"{name}.png").confirms


@pytest.mark.parametrize(
    ("name", "shown"), [("bars", "line"), ("points", "bars"), ("area", "bars"), ("picture", "mesh")]
)
def test_a_picture_of_something_else_is_found_out(folder, name, shown):
    agreement = verify(described(folder, name), picture(folder, shown), f"{name}.png")
    assert agreement.contradicts or not agreement.confirms
    assert "not the one that was described" in agreement.reason


def test_a_chart_of_shapes_alone_is_told_from_another_and_nobody_vouches_for_what_has_no_reader(folder):
    shapes, rules = (read_description(described(folder, name)) for name in ("shapes", "rules and spans"))
    assert [compare_charts(shapes, found, ChartRule()).verdict.value for found in (shapes, rules)] == [1.0, 0.0]
    other = described(folder, "shapes")
    other["axes"][0]["series"][0]["values"] = [6, 5]
    assert compare_charts(shapes, read_description(other), ChartRule()).verdict.value == 0.0
    assert not verify(other, picture(folder, "shapes"), "shapes.png").confirms
    assert not verify(described(folder, "no reader"), picture(folder, "shapes"), "no reader.png").confirms


def test_a_contradiction_leaves_no_score_and_agreement_is_told(folder, tmp_path):
    def judged(name, shown, scorer):
        files = {"o.png": folder / f"{shown}.png", "o.chart.json": tmp_path / "o.chart.json"}
        value = described(folder, name)
        value["pictures"] = {f"o.{end}": sha for end, sha in value["pictures"].items()}
        value["pictures"] = {"o.png": next(iter(described(folder, shown)["pictures"].values()))}
        files["o.chart.json"].write_text(json.dumps(value))
        gold = tmp_path / "gold"
        gold.mkdir(exist_ok=True)
        (gold / "g.png").write_bytes(PNG)
        (gold / "g.chart.json").write_text(json.dumps(described(folder, name)))
        check = Check(scorer="chart", output="o.png", golds=("g.png",))
        return scorer.score(
            Submission(files=files), Expected(Task(id="t", question="q"), Gold(task_id="t"), check, gold)
        )

    honest = judged("bars", "bars", ChartScorer())
    assert isinstance(honest, Scored)
    assert (honest.value, honest.details["evidence"]) == (1.0, "verified by redraw")
    forged = judged("bars", "points", ChartScorer())
    assert isinstance(forged, Unscored)
    assert forged.reason.startswith("scorer: picture does not show its description")
    control = judged("bars", "points", ChartScorer(redraw=False))
    assert (control.value, control.details["evidence"]) == (1.0, "self-described")


@pytest.mark.parametrize(
    "changes",
    [
        {"figure": {"size": [1e9, 1]}},
        {"figure": {"size": [None, 3]}},
        {"figure": {"size": [4, 3], "crop": [0, 0, 1e9, 1]}},
        {"axes": [{"role": "plot", "position": [0, 0, 1, 1], "series": [{"kind": "surface"}]}]},
        {"axes": [{"role": "plot", "position": ["a"], "series": [{"kind": "line"}]}]},
        {"axes": [{"role": "plot", "position": [0, 0, 1, 1], "x": {"limits": [1, "inf"]}, "series": [3]}]},
        {"axes": [{"role": "plot", "position": [0, 0, 0, 0], "series": [{"kind": "line", "x": [1], "y": [1]}]}]},
        {"axes": 7},
    ],
)
def test_what_cannot_be_drawn_is_said_and_never_confirmed(folder, changes):
    value = {"figure": {"size": [4, 3]}, "axes": [], "pictures": {}, **changes}
    agreement = verify(value, picture(folder, "bars"), "bars.png")
    assert not agreement.confirms
    assert not agreement.contradicts
    assert agreement.reason


def test_three_dimensions_are_not_drawn_flat(folder):
    agreement = verify(described(folder, "line in space"), picture(folder, "line in space"), "line in space.png")
    assert (agreement.value, agreement.reason) == (None, "axes of the projection '3d' are not drawn again")


def test_a_picture_that_is_cut_off_shows_nothing_and_one_that_moves_is_not_looked_at(folder):
    from PIL import Image

    value, whole = described(folder, "bars"), picture(folder, "bars")
    for data in (whole[: len(whole) // 2], whole[:20]):
        assert verify(value, data, "bars.png").broken
    assert not verify(value, whole, "bars.png").broken
    file = io.BytesIO()
    frames = [Image.new("L", (40, 30), shade) for shade in (0, 255)]
    frames[0].save(file, "PNG", save_all=True, append_images=frames[1:])
    assert "moves" in verify(value, file.getvalue(), "bars.png").reason


def test_a_picture_in_which_nobody_reads_a_chart_shows_nothing(folder):
    from PIL import Image

    value, whole = described(folder, "bars"), Image.open(io.BytesIO(picture(folder, "bars")))
    seen = {}
    for width in (30, 120):
        file = io.BytesIO()
        whole.resize((width, width * 3 // 4)).save(file, "PNG")
        seen[width] = verify(value, file.getvalue(), "bars.png")
    assert seen[30].reason == "it has 30 x 22 pixels, too few to read a chart"
    assert seen[30].broken
    assert not seen[120].broken


def test_a_picture_that_is_none_or_huge_is_not_looked_at():
    from PIL import Image

    value = json.loads(ours(panel(series("line", x=[1], y=[2])))["chart.json"]) | {"figure": {"size": [4, 3]}}
    limits = {"limits": [0, 3]}
    value["axes"][0] |= {"position": [0.1, 0.1, 0.8, 0.8], "x": limits, "y": limits}
    assert "not looked at" in verify(value, b"<svg/>", "o.svg").reason
    file = io.BytesIO()
    Image.new("1", (12_000, 12_000)).save(file, "PNG")
    assert "12000 x 12000 pixels" in verify(value, file.getvalue(), "o.png").reason


@pytest.mark.parametrize(
    "item",
    [
        {"kind": "line", "x": [1.0] * 600_000, "y": [1.0] * 600_000},
        {"kind": "bar", "x": [1.0] * 30_000, "y": [1.0] * 30_000},
        {"kind": "contour", "z": [[1, 2], [3, 4]], "levels": list(range(10_000))},
        {"kind": "box", "boxes": [{}] * 10_000},
    ],
)
def test_what_would_take_long_to_draw_is_not_drawn_again(folder, item):
    value = described(folder, "bars")
    value["axes"][0]["series"] = [item]
    assert "holds more than is drawn again" in verify(value, picture(folder, "bars"), "bars.png").reason


def test_the_bounds_lie_apart():
    assert 0 < redraw.CONTRADICTED < redraw.CONFIRMED < 1


TWINS = """
import matplotlib; matplotlib.use("Agg")
import matplotlib.pyplot as plt
data = {"a": ([3, 8, 5, 1], [[.1, .2, .3, .4]]), "b": ([7, 2, 6, 4], [[.4, .1, .2, .3]])}
draw = {
    "bar": lambda ax, v, _: ax.bar(list("pqrs"), v), "lying": lambda ax, v, _: ax.barh(list("pqrs"), v),
    "bins": lambda ax, v, _: ax.hist([0, 1, 2, 3], bins=4, weights=v), "area": lambda ax, v, _: ax.fill_between(range(4), v),
    "stack": lambda ax, v, _: (ax.bar(range(4), v), ax.bar(range(4), v[::-1], bottom=v)),
    "pie": lambda ax, _, v: ax.pie(v[0]),
}
for style in ("default", "bmh", "ggplot", "fivethirtyeight"):
    for kind, drawn in draw.items():
        for twin, values in data.items():
            with plt.style.context(style):
                fig, ax = plt.subplots(); drawn(ax, *values); fig.savefig(f"{kind}-{style}-{twin}.png"); plt.close(fig)
"""
STYLES = ["default", "bmh", "ggplot", "fivethirtyeight"]


@pytest.fixture(scope="module")
def twins(tmp_path_factory):
    place = tmp_path_factory.mktemp("twins")
    variables = {**os.environ, "PYTHONPATH": str(CAPTURE), "MPLBACKEND": "Agg"}
    subprocess.run([sys.executable, "-c", TWINS], cwd=place, env=variables, check=True)
    return place


@pytest.mark.parametrize("kind", ["bar", "lying", "bins", "area", "stack", "pie"])
def test_a_chart_of_the_same_kind_with_other_values_is_told_apart_in_every_style(twins, kind):
    for style in STYLES:
        own = described(twins, f"{kind}-{style}-a")
        honest = verify(own, picture(twins, f"{kind}-{style}-a"), f"{kind}-{style}-a.png")
        assert honest.confirms, (style, honest)
        forged = verify(own, picture(twins, f"{kind}-{style}-b"), f"{kind}-{style}-a.png")
        assert forged.value < 0.75, (style, forged)
        assert forged.contradicts or kind in {"pie", "area"}, (style, forged)


def hidden_inset(axes):
    return [*axes, {**axes[0], "role": "inset"}]


def hidden_axes(axes):
    return [*axes, {**axes[0], "shown": False}]


def false_twin(axes):
    return [*axes, {**axes[0], "twin_of": 0, "position": [0, 0, 0.1, 0.1]}]


def tiny_axes(axes):
    return [*axes, {**axes[0], "position": [0, 0, 0.001, 0.001]}]


def large_legend(axes):
    return [{**axes[0], "legend": {"box": [0, 0, 1, 0.7]}}]


def series_without_ink(style, **more):
    def change(axes):
        item = {"kind": "line", "label": "", "x": [0, 1], "y": [1, 1], "style": style, **more}
        return [{**axes[0], "series": [*axes[0]["series"], item]}]

    return change


@pytest.mark.parametrize(
    "change",
    [
        hidden_inset,
        hidden_axes,
        false_twin,
        tiny_axes,
        large_legend,
        series_without_ink({"line": "None", "marker": "None"}),
        series_without_ink({"line": "-", "color": "#00000001"}),
        series_without_ink({"line": "-", "color": "#000000"}, x=[70, 80]),
    ],
)
def test_no_picture_bears_out_what_is_hidden_from_those_who_look(folder, change):
    honest, data = described(folder, "bars"), picture(folder, "bars")
    assert verify(honest, data, "bars.png").confirms
    assert not verify({**honest, "axes": change(honest["axes"])}, data, "bars.png").confirms


TEXTS = ["title", "x_label", "y_label"]


@pytest.mark.parametrize("name", TEXTS)
def test_a_title_that_the_picture_has_not_is_borne_out_by_nothing(folder, name):
    honest, data = described(folder, "sharp"), picture(folder, "sharp")
    assert verify(honest, data, "sharp.png").confirms
    forged = verify({**honest, "axes": [{**honest["axes"][0], name: "Something else"}]}, data, "sharp.png")
    assert not forged.confirms
    assert not forged.contradicts
