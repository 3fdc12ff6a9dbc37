"""Whose fault it is that nothing can be judged does not depend on what was handed in."""

import json
import sqlite3

import pytest

from benchwright.errors import SuiteError
from benchwright.gold import Check, Gold
from benchwright.score import Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.chart import ChartScorer
from benchwright.scorers.database import DatabaseScorer
from benchwright.scorers.document import DocumentScorer
from benchwright.scorers.model_metric import ModelMetricScorer
from benchwright.scorers.table import TableScorer
from benchwright.scorers.text import TextScorer
from benchwright.task import Task
from benchwright.trajectory import Submission

TABLE = b"id,v\n1,2.5\n2,3.5\n"


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "made.db"
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2), (3, 4);")
    connection.close()
    return path.read_bytes()


UNFIT = {
    "a column that the gold lacks": (TableScorer, TABLE, {"columns": ["w"]}),
    "a key that the gold lacks": (TableScorer, TABLE, {"key": ["w"]}),
    "an order by what the gold lacks": (TableScorer, TABLE, {"order": "sorted", "sorted_by": ["w"]}),
    "a gold that is no table": (TableScorer, b"", {}),
    "a table that the gold lacks": (DatabaseScorer, None, {"tables": {"s": None}}),
    "a column that the gold's table lacks": (DatabaseScorer, None, {"tables": {"t": ["c"]}}),
    "a key that the gold's table lacks": (DatabaseScorer, None, {"key": ["c"]}),
    "a gold that is no database": (DatabaseScorer, TABLE, {}),
    "a field that the gold lacks": (DocumentScorer, b'{"a": 1}', {"fields": {"b": None}}),
    "a gold that is no document": (DocumentScorer, b"{", {}),
    "a column of labels that the gold lacks": (ModelMetricScorer, TABLE, {"metric": "mae", "value_columns": ["w"]}),
    "labels that any constant fits": (ModelMetricScorer, b"v\n1\n1\n", {"metric": "r2"}),
    "a gold chart that nothing describes": (ChartScorer, TABLE, {}),
    "a metric that does not exist": (ModelMetricScorer, TABLE, {"metric": "luck"}),
    "a mode that does not exist": (TextScorer, b"a", {"mode": "near"}),
}


@pytest.mark.parametrize(("scorer", "content", "options"), UNFIT.values(), ids=UNFIT)
def test_a_fault_of_the_suite_leaves_no_score_whatever_was_handed_in(scorer, content, options, database, tmp_path):
    gold, content = tmp_path / "gold", database if content is None else content
    gold.mkdir()
    (gold / "gold.x").write_bytes(content)
    check = Check(scorer=scorer.name, output="out.x", golds=("gold.x",), options=options)
    expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, gold)
    handed_in = {
        "nothing": None,
        "the gold": content,
        "junk": b"\x00\xff\x00",
        "another": b"z\n1\n",
        "database": database,
    }
    seen = {name: told(scorer(), data, expected, tmp_path) for name, data in handed_in.items()}
    assert len(set(seen.values())) == 1, seen
    assert seen["nothing"].startswith("no score")


def told(scorer, data, expected, folder):
    files = {}
    if data is not None:
        (folder / "out").write_bytes(data)
        files["out.x"] = folder / "out"
    try:
        score = scorer.score(Submission(files=files), expected)
    except SuiteError as error:
        return f"no score: {error}"
    return f"no score: {score.reason}" if isinstance(score, Unscored) else f"{score.value}"


@pytest.mark.parametrize(
    ("scorer", "content"),
    [
        (TableScorer, TABLE),
        (TextScorer, b"a text"),
        (DocumentScorer, json.dumps({"a": 1}).encode()),
        (DatabaseScorer, None),
        (ModelMetricScorer, TABLE),
    ],
)
def test_a_missing_file_is_0_where_the_gold_is_whole(scorer, content, database, tmp_path):
    content = database if content is None else content
    (tmp_path / "gold.x").write_bytes(content)
    options = {"metric": "mae", "id_columns": ["id"]} if scorer is ModelMetricScorer else {}
    check = Check(scorer=scorer.name, output="out.x", golds=("gold.x",), options=options)
    expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, tmp_path)
    assert scorer().score(Submission(), expected) == Scored(value=0.0, reason="no file out.x")
    assert scorer().score(Submission(files={"out.x": tmp_path / "gold.x"}), expected).value == 1.0
