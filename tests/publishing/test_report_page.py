"""The report as a page: whole, closed to the outside, and harmless whatever models and data say."""

import html
import re
from html.parser import HTMLParser

import polars as pl
import pytest

from benchwright.publishing.report.contents import Report, Section
from benchwright.publishing.report.html import html as html_of
from benchwright.publishing.tables import Column, Table


class Page(HTMLParser):
    """Tags with their attributes, and the text outside of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.scripts, self._inside = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside = tag if tag in ("script", "style") else self._inside

    def handle_endtag(self, tag):
        self._inside = None if tag == self._inside else self._inside

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts.append(data)
        elif self._inside is None:
            self.text.append(data)


@pytest.fixture(scope="module")
def text(page_path):
    return page_path.read_text()


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_a_report_says_first_who_is_best_and_whether_that_is_more_than_noise(page):
    words = " ".join(" ".join(page.text).split())
    assert words.index("reaches the highest sound mean") < words.index("the paired test tells it apart")


def test_nothing_of_models_and_data_becomes_a_tag(page, text):
    assert "<script>alert" not in text
    assert len(page.scripts) == 1
    assert "alert(1)" not in page.scripts[0]
    assert any("<script>alert(1)</script>" in part for part in page.text)


def test_the_check_of_scripts_sees_one_that_came_through(text):
    assert len(Page(html.unescape(text)).scripts) > 1


def test_nothing_is_loaded_from_anywhere(page):
    sources = [
        value for _, attrs in page.tags for name, value in attrs.items() if name in ("src", "href", "xlink:href")
    ]
    assert all(value.startswith(("#", "data:")) for value in sources)
    (policy,) = [attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def test_nothing_on_the_page_needs_what_the_policy_forbids(page):
    assert [attrs for _, attrs in page.tags if "style" in attrs or any(name.startswith("on") for name in attrs)] == []


def test_the_plot_is_in_the_page_and_takes_its_colours_from_it(text):
    plot = re.search(r"<svg.*?</svg>", text, re.DOTALL).group()
    assert "var(--text)" in plot
    assert "xmlns" not in plot


def test_without_gold_nothing_of_it_is_on_the_page_and_with_it_it_stands_beside_the_answer(run, asked, text, tmp_path):
    """No agent was right on the last two tasks, so that whoever reads their golds has them from the report."""
    golds = ("gold-of-t10", "gold-of-t11")
    assert [gold for gold in golds if gold in text] == []
    asked("report", run.path, "--out", tmp_path / "report.html", "--with-gold")
    shown = (tmp_path / "report.html").read_text()
    assert [gold for gold in golds if gold in shown] == list(golds)


def test_a_task_leads_to_its_attempts_which_say_what_went_wrong(page, text):
    links = [attrs["href"][1:] for tag, attrs in page.tags if tag == "a"]
    ids = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    assert len([link for link in links if link.startswith("task-")]) == 12
    assert {link for link in links if not link.startswith("step-")} <= ids
    assert "Global limit exceeded" in text


def test_no_id_stands_twice(page):
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_attempts_that_a_page_has_no_room_for_are_counted(run, asked, tmp_path):
    asked("report", run.path, "--out", tmp_path / "report.html", "--attempts", 5)
    text = (tmp_path / "report.html").read_text()
    assert text.count('<article class="attempt">') == 5
    assert "67 attempts are left out" in text


def test_the_reference_solutions_are_told_of_but_win_over_nobody(make, asked, tmp_path):
    made = make("with_oracle", {"oracle": 12, "b": 9, "c": 2})
    asked("report", made.path, "--out", tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text()
    assert "b reaches the highest sound mean, 0.750" in text
    assert "oracle, which runs the reference solutions, reaches 1.000." in text


def test_a_table_that_is_too_long_for_a_page_is_cut_and_says_so():
    rows = tuple({"task_id": f"t{number}", "n": number} for number in range(2_003))
    table = Table("t", "T", (Column("task_id", "task"), Column("n", "n", "count")), rows)
    text = html_of(Report("", "", (), (), (Section("s", "S", tables=(table,)),)), "sound")
    assert text.count('<th scope="row"') == 2_000
    assert "The first 2,000 of 2,003 rows" in " ".join(text.split())


def test_a_report_without_gold_does_not_hold_what_the_reference_solutions_did(make, asked, tmp_path):
    made = make("reference_alone", {"oracle": 12})
    for name, more in (("plain", ()), ("gold", ("--with-gold",))):
        asked("report", made.path, "--out", tmp_path / f"{name}.html", *more)
        asked("report", made.path, "--out", tmp_path / name, "--format", "parquet", *more)
    told = {
        name: (tmp_path / f"{name}.html").read_text()
        + str([pl.read_parquet(path).rows() for path in (tmp_path / name / "runs").iterdir()])
        for name in ("plain", "gold")
    }
    assert ["gold-of-t01" in told[name] for name in ("plain", "gold")] == [False, True]
    assert ["x.csv" in told[name] for name in ("plain", "gold")] == [False, True]


def test_cells_of_many_runs_of_one_name_all_stand_in_the_report(make, asked, tmp_path):
    runs = [make("same", {"b": rights}) for rights in (1, 2, 3, 4, 5)]
    asked("report", *(run.path for run in runs), "--out", tmp_path / "report.csv")
    told = pl.read_csv(tmp_path / "report.csv", infer_schema=False).filter(
        pl.col("table") == "accuracy", pl.col("column") == "mean"
    )
    assert sorted(map(float, told["value"])) == pytest.approx([rights / 12 for rights in (1, 2, 3, 4, 5)])
    assert "named twice" in asked("report", runs[0].path, runs[0].path, "--out", tmp_path / "r.md", code=2)
