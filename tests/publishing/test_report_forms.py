"""The same report for papers and programs: Markdown, LaTeX, CSV, Parquet."""

import csv
import re

import polars as pl
import pytest

from benchwright.publishing.report import latex, markdown
from benchwright.publishing.report.contents import Report, Section
from benchwright.publishing.report.files import write_folder
from benchwright.publishing.tables import Column, Pivot, Table


@pytest.fixture(scope="module")
def out(run, asked, tmp_path_factory):
    folder = tmp_path_factory.mktemp("forms")
    for name in ("report.md", "report.tex", "report.csv", "report.parquet"):
        asked("report", run.path, "--out", folder / name)
    asked("report", run.path, "--out", folder / "tables", "--format", "csv")
    return folder


def test_markdown_shows_hostile_names_as_they_are(out):
    text = (out / "report.md").read_text()
    assert "<script>" not in text
    assert r"a \<script\>alert\(1\)\</script\>" in text
    heads = [line for line in text.splitlines() if line.startswith("| agent")]
    assert heads


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a|b", r"a\|b"),
        ("[x](y)", r"\[x\]\(y\)"),
        ("two\nlines", "two lines"),
        ("# no", r"\# no"),
        ("\x07 red", r"⟨U\+0007⟩ red"),
    ],
)
def test_nothing_in_a_text_formats_markdown(text, told):
    assert markdown.escaped(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (r"\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        ("50 % of $x_1^2$ & #1 ~", r"50 \% of \$x\_1\textasciicircum{}2\$ \& \#1 \textasciitilde{}"),
        ("[4ex] next", "{[}4ex{]} next"),
        ("two\nlines", "two lines"),
        ("^^5cinput", r"\textasciicircum{}\textasciicircum{}5cinput"),
    ],
)
def test_nothing_in_a_text_is_a_command_of_latex(text, told):
    assert latex.escaped(text) == told


def test_latex_tables_have_as_many_cells_in_every_line_as_columns(out):
    text = (out / "report.tex").read_text()
    tables = re.findall(r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}\n\\toprule\n(.*?)\\bottomrule", text, re.DOTALL)
    assert len(tables) > 8
    for columns, body in tables:
        lines = [line for line in body.splitlines() if line != r"\midrule"]
        assert {len(re.findall(r"(?<!\\)&", line)) + 1 for line in lines} == {len(columns)}


def test_one_tidy_file_holds_every_number_with_what_it_is_of(out):
    found = pl.read_parquet(out / "report.parquet")
    row = found.filter(table="accuracy", row=0, column="mean").to_dicts()[0]
    assert (row["value"], row["text"]) == (10 / 12, "0.833")
    assert "a <script>" in row["of"]
    with (out / "report.csv").open() as stream:
        assert len(list(csv.DictReader(stream))) == found.height


def test_a_folder_holds_a_file_a_table(out):
    names = {path.stem for path in (out / "tables").iterdir()}
    assert {"accuracy", "pairs", "by_domain", "cost", "tasks", "skill_scores"} <= names


def test_a_name_that_a_spreadsheet_would_run_is_quoted_in_csv(tmp_path):
    table = Table("t", "T", (Column("title", "agent"), Column("n", "n", "count")), ({"title": "=cmd()", "n": -3},))
    write_folder(Report("", "", (), (), (Section("s", "S", tables=(table,)),)), tmp_path, "csv")
    assert (tmp_path / "t.csv").read_text() == "title,n\n'=cmd(),-3\n"


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "+1 or more"]
)
def test_every_beginning_of_a_formula_is_quoted_and_signed_numbers_are_not(text, tmp_path):
    table = Table(
        "t", "T", (Column("title", "agent"),), tuple({"title": each} for each in (text, "+0.054", "-1,204.5"))
    )
    write_folder(Report("", "", (), (), (Section("s", "S", tables=(table,)),)), tmp_path, "csv")
    with (tmp_path / "t.csv").open(newline="") as stream:
        assert [row["title"] for row in csv.DictReader(stream)] == [f"'{text}", "+0.054", "-1,204.5"]


def test_a_grid_has_a_dash_where_an_agent_has_no_value():
    rows = ({"label": "x", "title": "a", "mean": 0.5}, {"label": "y", "title": "b", "mean": None})
    columns = (Column("label", "label"), Column("title", "agent"), Column("mean", "mean", "share"))
    grid = Table("t", "T", columns, rows, pivot=Pivot("label", "title")).grid
    assert [head.title for head in grid.heads] == ["label", "a", "b"]
    assert [[cell.plain for cell in line] for line in grid.lines] == [["x", "0.500", "–"], ["y", "–", "–"]]


def test_a_form_that_is_not_told_is_asked_for(run, asked, tmp_path):
    assert "--format html|md|latex|csv|parquet" in asked("report", run.path, "--out", tmp_path / "report", code=2)
