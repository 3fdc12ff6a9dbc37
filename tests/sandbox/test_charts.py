"""What a sandbox's Python writes beside the pictures that agents save."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.sandbox.chart_programs import FIGURES, PROGRAMS, script

from benchwright.gold import Check, Gold
from benchwright.sandbox import holder
from benchwright.sandbox.base import Exec, Python, SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.scorers.base import Expected
from benchwright.scorers.chart import ChartScorer
from benchwright.scorers.chart.pictures import is_picture
from benchwright.scorers.compare.npy import read_npy
from benchwright.task import Task
from benchwright.trajectory import Submission

CAPTURE = Path(holder.__file__).with_name("capture")
RELEASES = {"3.6.3": ["numpy<2", "pandas<2.3", "seaborn<0.13"], "3.8.4": ["numpy<2", "pandas<2.3", "seaborn<0.14"]}
"""Releases of matplotlib beside the toolbox's own, each in an environment of its own."""


@pytest.fixture(scope="module")
def opened(toolbox):
    with NamespaceProvider() as provider, provider.open(SandboxSpec(toolbox=toolbox, tracing="off")) as opened:
        yield opened


@pytest.fixture
def sandbox(opened):
    """The sandbox of this module, without a figure of an earlier test."""
    assert opened.run(Python("import matplotlib.pyplot as plt; plt.close('all')")).exit_code == 0
    return opened


def environment_of(name: str, packages: list[str]) -> Path:
    """A Python with these packages, made once a machine."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "benchwright-tests"
    root, uv = cache / f"{name}-py{sys.version_info.minor}", Path(sys.executable).with_name("uv")
    if not (root / "ready").exists():
        base = getattr(sys, "_base_executable", sys.executable)
        for command in (
            ["venv", "--quiet", "--clear", "--no-project", "--python", base, root],
            ["pip", "install", "--quiet", "--python", root / "bin" / "python", *packages],
        ):
            done = subprocess.run([uv, *command], capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip(f"{name} cannot be installed here: {done.stderr[-200:]}")
        (root / "ready").touch()
    return root


@pytest.fixture(scope="module", params=["toolbox", *RELEASES])
def drawn(request, tmp_path_factory):
    """Run a program with one release of matplotlib; a look at the descriptions that it leaves, by name."""
    if request.param == "toolbox":
        sandbox = request.getfixturevalue("opened")

        def run(program):
            outcome = sandbox.run(Python(program, seconds=300))
            assert outcome.exit_code == 0, outcome.stderr.decode()
            return lambda name: json.loads(sandbox.read(f"{name}.chart.json"))

        return run
    folder = tmp_path_factory.mktemp("charts")
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(CAPTURE), "MPLBACKEND": "Agg", "HOME": str(folder)}
    packages = [f"matplotlib=={request.param}", *RELEASES[request.param]]
    python = environment_of(f"matplotlib-{request.param}", packages) / "bin" / "python"

    def run_outside(program):
        command = [python, "-c", program]
        done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return lambda name: json.loads((folder / f"{name}.chart.json").read_text())

    return run_outside


@pytest.fixture(scope="module")
def described(drawn):
    """By name of a chart, its description."""
    return drawn(script())


def about(found, expected):
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(about, found, expected))
    if isinstance(expected, dict):
        return all(about(found[name], value) for name, value in expected.items())
    return found == (expected if expected is None or isinstance(expected, str) else pytest.approx(expected))


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_kind_of_chart_is_described(described, name):
    _, kinds, values = PROGRAMS[name]
    chart = described(name)
    assert "failed" not in chart
    axes = chart["axes"][0]
    assert axes["title"] == name
    assert axes["x_label"] == "across"
    assert axes["kinds"] == kinds
    assert all("failed" not in series for series in axes["series"])
    for part, value in values.items():
        assert about(axes["series"][0][part], value), axes["series"][0]
    assert list(chart["pictures"]) == [f"{name}.png"]


@pytest.mark.parametrize("name", FIGURES)
def test_no_part_of_a_larger_figure_fails(described, name):
    text = json.dumps(described(name))
    assert '"failed"' not in text
    assert len(text) < 20_000 or name == "many points"


def test_boxes_violins_and_hexagons_hold_their_numbers(described):
    boxes = described("boxes")["axes"][0]["series"][0]["boxes"]
    assert [(box["q1"], box["med"], box["q3"], box["fliers"]) for box in boxes] == [
        (1.75, 2.5, 7.25, [20.0]),
        (2.5, 3.0, 3.5, []),
    ]
    shapes = described("violins")["axes"][0]["series"][0]["shapes"]
    assert [(shape["min"], shape["max"], shape["at"]) for shape in shapes] == [(1, 20, 1), (2, 4, 2)]
    assert sorted(filter(None, described("hexagons")["axes"][0]["series"][0]["values"])) == [1.0, 2.0]


def test_rules_and_spans_are_no_kind_of_chart(described):
    kinds = [series["kind"] for series in described("rules and spans")["axes"][0]["series"]]
    assert sorted(kinds) == ["rule", "segments", "span"]


def test_twins_colour_bars_and_empty_axes_are_told_apart(described):
    twins = described("twins")["axes"]
    assert [axes["twin_of"] for axes in twins] == [None, 0]
    grid = described("grid of axes")
    assert [axes["role"] for axes in grid["axes"]] == ["plot"] * 4 + ["colorbar"]
    assert [axes["kinds"] for axes in grid["axes"][:4]] == [["line"], ["heatmap"], [], ["bar"]]
    assert grid["figure"]["title"] == "S"


def test_a_third_dimension_is_kept(described):
    axes = described("space")["axes"][0]
    assert axes["z_label"] == "Z"
    series = {item["kind"]: item for item in axes["series"]}
    assert [series["scatter"][name] for name in "xyz"] == [[1, 2], [3, 4], [5, 6]]
    assert series["surface"]["Z"] == [[1, 2], [3, 4]]


def test_long_series_are_summarised(described):
    series = described("many points")["axes"][0]["series"][0]
    assert len(series["x"]) == 150_000
    assert series["y"]["count"] == 150_000
    assert series["y"]["quantiles"][10] == 74_999.5
    assert len(series["y"]["sha256"]) == 64


def test_categories_of_bars_are_the_labels_at_their_places(described):
    for name in ("bars", "pandas"):
        axis = described(name)["axes"][0]["x"]
        assert axis["fixed"]
        assert dict(zip(axis["ticks"], axis["labels"], strict=True)) == dict(
            enumerate("ab" if name == "bars" else "pq")
        )


def test_pictures_of_one_figure_share_a_description(sandbox):
    code = (
        "import io, matplotlib.pyplot as plt\nfig, ax = plt.subplots(); ax.plot([1, 2])\nfig.savefig('two.png'); fig.savefig('two.pdf')\n"
        "fig.savefig(io.BytesIO())\nwith open('open.png', 'wb') as stream: fig.savefig(stream)\nfig.savefig('bare')\n"
        "plt.close(fig); plt.plot([3, 4]); plt.savefig('two.svg')"
    )
    first, _, last = code.partition("plt.close(fig)")
    assert sandbox.run(Python(first)).exit_code == 0
    assert list(json.loads(sandbox.read("two.chart.json"))["pictures"]) == ["two.png", "two.pdf"]
    for name in ("open.png", "bare.png"):
        pictures = json.loads(sandbox.read(f"{name[:-4]}.chart.json"))["pictures"]
        assert pictures == {name: hashlib.sha256(sandbox.read(name)).hexdigest()}
    assert sandbox.run(Python(f"plt.close(fig){last}")).exit_code == 0
    chart = json.loads(sandbox.read("two.chart.json"))
    assert list(chart["pictures"]) == ["two.svg"]
    assert chart["axes"][0]["series"][0]["y"] == [3, 4]


def test_programs_of_every_kind_are_seen_and_none_is_disturbed(sandbox):
    code = "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.savefig({0!r}); print(len(plt.gca().lines))"
    assert sandbox.run(Exec(("python", "-c", code.format("a.png")))).stdout == b"1\n"
    assert sandbox.run(Exec(("python", "-W", "error", "-c", code.format("b.png")))).stdout == b"1\n"
    for name in "ab":
        assert json.loads(sandbox.read(f"{name}.chart.json"))["axes"][0]["series"][0]["y"] == [1, 2]
    outcome = sandbox.run(Exec(("python", "-I", "-c", code.format("c.png"))))
    assert outcome.stdout == b"1\n"
    with pytest.raises(FileNotFoundError, match=r"c\.chart\.json"):
        sandbox.read("c.chart.json")


def test_a_failure_of_ours_is_written_down_and_never_raised(sandbox):
    code = (
        "import matplotlib.pyplot as plt\nclass Odd(list):\n    def __iter__(self): raise RuntimeError('odd')\n"
        "fig, ax = plt.subplots(); ax.plot([1, 2]); fig.axes[0].get_title = lambda side='center': 1 / 0\n"
        "fig.savefig('odd.png'); fig.get_size_inches = lambda: 1 / 0\n"
        "import os; os.mkdir('closed'); os.mkdir('closed/p.chart.json'); plt.figure(); plt.savefig('closed/p.png'); 'fine'"
    )
    outcome = sandbox.run(Python(code))
    assert outcome.stdout.strip() == b"'fine'", outcome.stderr.decode()
    assert outcome.stderr == b""
    assert "ZeroDivisionError" in json.loads(sandbox.read("odd.chart.json"))["axes"][0]["failed"]


def test_the_published_prompt_works(sandbox):
    code = (
        "from image import Plotprocess; import matplotlib.pyplot as plt\nfig, axes = plt.subplots(1, 3)\n"
        "axes[0].bar(['a', 'b'], [1, 2]); axes[0].set_title('t'); axes[1].plot([1, 2], [3, 4], label='l'); axes[1].legend(title='T')\n"
        "axes[2].scatter([1, 2], [5, 6]); Plotprocess.plot_process(fig, 'published.png'); fig.savefig('published.png')"
    )
    assert sandbox.run(Python(code)).exit_code == 0
    info = json.loads(sandbox.read("published.json"))
    assert [info[f"subplot_{place}"]["type"] for place in range(3)] == ["bar", "line", "scatter"]
    assert info["total_subplots"] == 3
    assert info["subplot_0"]["graph_title"] == "t"
    assert info["subplot_0"]["xtick_labels"] == ["a", "b"]
    assert info["subplot_1"] | {"labels": ["l"], "legend_title": "T"} == info["subplot_1"]
    data = read_npy(sandbox.read("published.npy"))
    assert {name: array.tolist() for name, array in data.items()} == {
        "subplot_0": [[1, 2]],
        "subplot_1": [[3, 4]],
        "subplot_2": [[1, 5], [2, 6]],
    }
    assert json.loads(sandbox.read("published.chart.json"))["axes"][0]["kinds"] == ["bar"]


PLOTLY = """
import kaleido, plotly.graph_objects as go, plotly.io as pio
fig = go.Figure(go.Bar(x=["p", "q"], y=[3, 5]), layout={"title": {"text": "What it shows"}})
fig.write_image("method.png", width=500, height=400)
pio.write_image(fig.to_dict(), file="function.png")
pio.write_images(fig=[fig, fig], file=["first.png", "second.svg"])
kaleido.write_fig_sync(fig, path="alone.png")
"""
"""Every way in which plotly writes a picture."""


@pytest.fixture(scope="module")
def pictures_of_plotly(tmp_path_factory):
    """The folder in which plotly has drawn with a browser."""
    if not any(map(shutil.which, ("chromium", "google-chrome", "chrome"))):
        pytest.skip("plotly's pictures need a browser, and there is none here")
    folder = tmp_path_factory.mktemp("plotly")
    python = environment_of("plotly", ["plotly>=6.1,<8", "kaleido>=1,<2", "numpy<3"]) / "bin" / "python"
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(CAPTURE), "HOME": str(folder)}
    done = subprocess.run(
        [python, "-c", PLOTLY], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("name", ["method.png", "function.png", "first.png", "second.svg", "alone.png"])
def test_a_picture_that_plotly_draws_with_a_browser_is_described(pictures_of_plotly, name):
    picture = (pictures_of_plotly / name).read_bytes()
    chart = json.loads((pictures_of_plotly / name).with_suffix(".chart.json").read_text())
    assert is_picture(picture, name)
    assert chart["pictures"] == {name: hashlib.sha256(picture).hexdigest()}
    assert chart["figure"]["title"] == "What it shows"
    (trace,) = chart["plotly"]["traces"]
    assert (trace["type"], trace["x"], trace["y"]) == ("bar", ["p", "q"], [3, 5])


def test_plotlys_picture_is_judged_and_nobody_vouches_for_it(pictures_of_plotly, tmp_path):
    for end in ("png", "chart.json"):
        (tmp_path / f"g.{end}").write_bytes((pictures_of_plotly / f"first.{end}").read_bytes())
    files = {f"method.{end}": pictures_of_plotly / f"method.{end}" for end in ("png", "chart.json")}
    check = Check(scorer="chart", output="method.png", golds=("g.png",))
    score = ChartScorer().score(
        Submission(files=files), Expected(Task(id="t", question="q"), Gold(task_id="t"), check, tmp_path)
    )
    assert (score.value, score.details["evidence"]) == (1.0, "self-described")
    assert score.details["redraw"] == "it is not drawn again: it was not made with matplotlib"


CODES = {
    "B068": [("bar", "y", [1, 1])],
    "B070": [("box", None, None), ("heatmap", None, None), ("area", None, None)],
    "B071": [("bar", "y", [1])],
    "B077": [("bar", None, None)],
}
"""Of reported faults with programs, what describes the first series of each: its kind, and numbers of it."""


@pytest.mark.parametrize("number", CODES)
def test_reported_programs_are_described_under_every_release(drawn, shared, number):
    lines = (shared / "cases" / "fault_cases.jsonl").read_text(encoding="utf-8").splitlines()
    (case,) = [case for case in map(json.loads, lines) if case["id"] == number]
    codes = case["input"].get("codes") or [case["input"]["code"]]
    for place, (code, (kind, part, numbers)) in enumerate(zip(codes, CODES[number], strict=True)):
        name = f"{number}_{place}"
        program = code.replace("r.png", f"{name}.png") if "savefig" in code else f"{code}; plt.savefig('{name}.png')"
        look = drawn(f"import matplotlib.pyplot as plt\nplt.close('all')\n{program}")
        chart = look(name)
        assert "failed" not in json.dumps(chart)
        assert chart["axes"][0]["kinds"] == [kind]
        if part:
            assert chart["axes"][0]["series"][0][part] == pytest.approx(numbers)


def test_b076_labels_of_legends_and_b079_negative_bars_are_the_same_under_every_release(drawn):
    program = "import matplotlib.pyplot as plt\nplt.close('all')\n"
    chart = drawn(program + "plt.plot([1, 2], label='a'); plt.legend(); plt.savefig('legend.png')")("legend")
    assert "a" in json.dumps(chart["axes"][0]["legend"])
    chart = drawn(program + "plt.bar(['a', 'b'], [-2, 3]); plt.savefig('negative.png')")("negative")
    assert chart["axes"][0]["series"][0]["y"] == [-2, 3]
