import csv
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.errors import BenchwrightError, InputError, SuiteError
from benchwright.proving.lint import lint
from benchwright.suites.base import BuildRequest
from benchwright.suites.dsbc import DsbcLoader
from benchwright.suites.dsbc.categories import CATEGORIES, read_categories
from benchwright.suites.dsbc.records import COLUMNS, read_questions

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "dsbc"


def published(**values):
    row = {
        "Index": 49,
        "Dataset": "WEATHER Dataset",
        "Tasks": "Data Parsing, Statistics",
        "Query_Raw": "Which month was the coldest?",
        "Query_Clean": "Does the mean temperature vary by month? Name the coldest.",
        "Response_Expected": "weeks 15-16",
        "Solution_Code": "answer = df_WEATHER['t'].sum()",
    }
    return row | values


@pytest.fixture
def build(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "WEATHER_TRAIN.csv").write_text("t\n1\n2\n")

    def run(rows, kind="csv", release="", wanted=COLUMNS):
        path = tmp_path / f"queries.{kind}"
        if kind == "csv":
            with path.open("w", newline="") as stream:
                writer = csv.DictWriter(stream, wanted, extrasaction="ignore")
                writer.writeheader()
                writer.writerows(rows)
        elif kind == "jsonl":
            path.write_text("\n".join(json.dumps(row) for row in rows))
        else:
            pq.write_table(pa.Table.from_pylist(rows), path)
        sources = {"queries": path, "data": data}
        return DsbcLoader().load(BuildRequest(out=tmp_path / "suite", sources=sources, release=release))

    return run


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_published_columns_become_the_same_suite_from_every_format(build, kind):
    suite = build([published(), published(Index=7, Query_Raw="")], kind)
    task, gold, labels = suite.tasks["49"], suite.golds["49"], suite.label("49")
    assert task.question == task.variants["clean"] != task.variants["raw"]
    assert suite.tasks["7"].variants == {"clean": task.question}
    assert labels.categories == ("Data Parsing & Understanding", "Statistics")
    assert (labels.domain, labels.dataset) == ("weather", "WEATHER Dataset")
    assert gold.answer == "weeks 15-16"
    assert [file.matches for file in gold.required_files] == [("WEATHER_TRAIN.csv",)]
    assert gold.discovery_known
    assert "df_WEATHER = df = data.copy()" in gold.solution.code
    assert suite.info.rooms["weather"].files == 1


def test_corrections_are_laid_over_only_where_asked_for_and_only_where_they_fit(build):
    assert build([published()]).golds["49"].answer == "weeks 15-16"
    rows = [published(), published(Index=96, Response_Expected="left skewed"), published(Index=219)]
    suite = build([*rows, published(Index=282)], release="corrected")
    assert suite.golds["49"].answer == "25-25 weeks"
    assert suite.golds["96"].answer == "normal"
    assert suite.golds["219"].answer == "weeks 15-16"
    assert suite.label("49").extra["corrected"] is True
    assert "corrected" not in suite.label("219").extra
    assert suite.info.release == "corrected"
    assert "replaced: 49, 96" in suite.info.description
    assert "unfit: 219" in suite.info.description
    assert "noted: 282" in suite.info.description


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "no questions"),
        ([published(), published()], "stands twice"),
        ([published(Index="x")], "the id is wrong"),
        ([published(Dataset="")], "Dataset is empty"),
        ([published(Query_Raw="", Query_Clean="")], "Query_Clean is empty"),
        ([published(Dataset="MOON Dataset")], "no data for 1 data sets: moon"),
        ([published(Dataset="../../etc Dataset")], "no data for"),
        ([{"Index": 1}], "no column 'Dataset'"),
    ],
)
def test_what_is_wrong_with_a_question_is_named(build, rows, said):
    with pytest.raises(SuiteError, match=re.escape(said)):
        build(rows, "jsonl")


def test_files_of_other_kinds_are_refused(tmp_path):
    (tmp_path / "q.xlsx").write_text("")
    with pytest.raises(SuiteError, match="unknown kind"):
        read_questions(tmp_path / "q.xlsx")
    (tmp_path / "q.parquet").write_text("no")
    with pytest.raises(SuiteError, match="parquet"):
        read_questions(tmp_path / "q.parquet")
    (tmp_path / "q.csv").write_bytes(b'Index,Dataset\n"1,2\n')
    with pytest.raises(InputError, match="not valid CSV"):
        read_questions(tmp_path / "q.csv")


def test_a_release_that_does_not_exist_is_refused(build):
    with pytest.raises(SuiteError, match="no release"):
        build([published()], release="3")


def test_categories_are_read_under_all_their_names():
    assert read_categories(CATEGORIES) == (CATEGORIES, ())
    named = ["Data Parsing", "data pre-processing ", "Preprocessing", "correlation", "Cooking", ""]
    found, unknown = read_categories(named)
    assert found == ("Data Parsing & Understanding", "Data Pre-processing", "Correlation Analysis")
    assert unknown == ("Cooking",)


def rules(suite, task_id):
    return {finding.rule for finding in lint(suite) if finding.task_id == task_id}


def test_wordings_and_categories_are_linted(build):
    suite = build(
        [
            published(Index=1),
            published(Index=2, Query_Clean="Which month was the coldest?"),
            published(Index=3, Query_Raw="How many deaths in week 9?", Query_Clean="Report the deaths in week 8."),
            published(Index=4, Tasks="Statistics, Correlation, Distribution Analysis, Feature Engineering"),
            published(Index=5, Tasks="Cooking"),
        ]
    )
    assert "presupposing-wording" in rules(suite, "1")
    assert "clean-wording-presupposes" in rules(suite, "2")
    assert rules(suite, "3") >= {"clean-wording-presupposes", "wordings-differ"}
    assert "categories-out-of-range" in rules(suite, "4")
    assert "categories-out-of-range" in rules(suite, "5")
    assert not rules(suite, "1") & {"clean-wording-presupposes", "wordings-differ", "categories-out-of-range"}


cells = st.none() | st.text(max_size=8) | st.integers() | st.floats() | st.lists(st.text(max_size=3), max_size=2)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(st.sampled_from([*COLUMNS, "gold_answer", "id", "categories"]), cells, max_size=10))
def test_no_record_fails_otherwise_than_with_an_error_that_names_it(values):
    from benchwright.suites.dsbc.records import _question

    said = "here"
    try:
        _question(values, "here")
    except BenchwrightError as error:
        said = str(error)
    assert "here" in said


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the DSBC data files")
def test_the_worked_questions_become_a_suite(tmp_path):
    sources = {"queries": SHARED / "questions_sample.jsonl", "data": SHARED}
    suite = DsbcLoader().load(BuildRequest(out=tmp_path / "suite", sources=sources))
    assert len(suite.tasks) == 14
    assert set(suite.info.rooms) == {
        "insurance",
        "weather",
        "power",
        "covid",
        "aqi",
        "life",
        "stocks",
        "population",
        "production",
    }
    assert json.loads(suite.golds["11"].answer) == {"month": "June", "deaths": 241}
    assert suite.golds["1"].checks[0].options == {"answer_type": "number", "tolerance": "round2"}
    assert all(1 <= len(suite.label(task_id).categories) <= 3 for task_id in suite.tasks)
    found = [rule for task_id in suite.tasks for rule in rules(suite, task_id)]
    assert found.count("presupposing-wording") >= 8
    assert "categories-out-of-range" not in found
