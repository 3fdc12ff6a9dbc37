"""Faults of table scorers that were reported in public: the reported inputs from ../shared, and others of each kind.

B065 (columns under other names, matched by their values) is judged wrong here, or worth a half: names are part of a table that
a task asks for by name. Where a task names none, the check says so (`names` = "free"), and it is right.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from benchwright.dialects import delimited_rows, find_delimiter
from benchwright.gold import Check, Gold
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.tables import read_table
from benchwright.scorers.table import TableScorer
from benchwright.task import Task
from benchwright.trajectory import Submission


@cache
def _case(shared: Path, number: str):
    with (shared / "cases" / "fault_cases.jsonl").open(encoding="utf-8") as lines:
        return next(case for case in map(json.loads, lines) if case["id"] == number)


@pytest.fixture
def right(tmp_path):
    def run(found, gold, **options):
        (tmp_path / "gold").mkdir(exist_ok=True)
        for path, content in ((tmp_path / "result.csv", found), (tmp_path / "gold" / "result.csv", gold)):
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        check = Check(scorer="table", output="result.csv", golds=("result.csv",), options=options)
        expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, tmp_path / "gold")
        return TableScorer().score(Submission(files={"result.csv": tmp_path / "result.csv"}), expected).value == 1.0

    return run


@pytest.mark.parametrize(("number", "options"), [("B043", {}), ("B044", {}), ("B047", {"order": "sorted", "sorted_by": ["n"]}), ("B098", {"key": ["id"]}), ("B125", {})])  # fmt: skip
def test_reported_pairs_of_csv_files(shared, right, number, options):
    case = _case(shared, number)
    expected = case["expected"].get("match", True)
    assert right(case["input"]["pred_csv"], case["input"]["gold_csv"], **options) == expected, case["symptom"]


def test_the_reported_grid_of_tolerances(shared, right):
    case = _case(shared, "B127")["input"]
    columns = ["v\n" + "".join(f"{value}\n" for value in case[side]) for side in ("prediction", "gold")]
    assert right(*columns, absolute=case["abs_tol"])


def test_the_reported_rows_beyond_ten_thousand(shared, right):
    case = _case(shared, "B064")["input"]
    gold = "v\n" + "".join(f"{row}\n" for row in range(case["gold_rows"]))
    assert not right(gold.removesuffix("10000\n") + "x\n", gold, order="given")


def test_the_reported_encodings_and_dialects(shared, right, tmp_path):
    case = _case(shared, "B184")["input"]
    assert right(bytes.fromhex(case["pred_bytes_hex"]), case["gold_csv"])
    assert find_delimiter(_case(shared, "B166")["input"]["csv"]) == ","
    (tmp_path / "dash.csv").write_bytes(bytes.fromhex(_case(shared, "B169")["input"]["bytes_hex"]))
    assert (read_table(tmp_path / "dash.csv").notes, len(read_table(tmp_path / "dash.csv").rows)) == (
        ("read as cp1252",),
        1,
    )
    (tmp_path / "titles.csv").write_bytes(b'Titre;Note\r\n"a\nb";"\xe9t\xe9"\r\n')
    assert read_table(tmp_path / "titles.csv").rows == (("a\nb", "été"),)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "gb18030"])
def test_every_encoding_that_shows_itself_is_read(right, encoding):
    gold = "城市,人口\n北京市朝阳区,5\n上海市浦东新区,7\n"
    assert right(gold.encode(encoding), gold)


def test_quoted_na_is_a_value(shared, right):
    csv = _case(shared, "B170")["input"]["csv"]
    assert right(csv, csv)
    assert not right('c\n""\n"US"\n', csv)


@pytest.mark.parametrize(
    ("kind", "found", "gold", "expected"),
    [
        ("null is not zero", "k,v\na,1\nb,0\n", "k,v\na,1\nb,\n", False),
        ("zero is not null", "k,v\na,1\nb,\n", "k,v\na,1\nb,0\n", False),
        ("rows scrambled by column", "city,n\nrome,3\nbern,9\n", "city,n\nrome,9\nbern,3\n", False),
        ("positional instead of by id", "id,y\n7,1\n5,2\n", "id,y\n5,2\n7,1\n", True),
        ("no final newline", "a,b\n1,2", "a,b\n1,2\n", True),
        ("final blank lines", "a,b\n1,2\n\n\n", "a,b\n1,2\n", True),
        ("one row repeated for all", "id,y\n5,2\n5,2\n", "id,y\n5,2\n7,1\n", False),
        ("distinct values padded", "k,v\na,1\nb,1\n", "k,v\na,1\na,1\n", False),
        ("a grid of numbers", "k,v\n1,2\n3,4\n5,6\n", "k,v\na,1\nb,2\n", False),
        ("half the rows and blanks", "k,v\na,1\n\n", "k,v\na,1\nb,2\n", False),
        ("blanks around numbers", "k , v , d\na , 1500 , 2020-01-01\n", "k,v,d\na,1500,2020-01-01\n", True),
        ("blanks around identifiers", "k,v\na, 0150 \n", "k,v\na,150\n", False),
        ("a fraction for a percentage", "k,v\na,0.125\nb,0.3\n", "k,v\na,12.5%\nb,30%\n", True),
        ("a percentage for a fraction", "k,v\na,12.5%\nb,30%\n", "k,v\na,0.125\nb,0.3\n", True),
        ("a hundred times too much", "k,v\na,1250%\nb,30%\n", "k,v\na,12.5%\nb,30%\n", False),
        ("a stated separator", "sep=;\nk;v\na;1,5\n", "k,v\na,1.5\n", True),
        ("thousands and percent", 'k,v\na,"1,500"\nb,20%\n', "k,v\na,1500\nb,20%\n", True),
        ("midnight", "d\n2020-01-01 00:00:00\n", "d\n2020-01-01\n", True),
        ("truth with spaces", "k,t\na, TRUE \n", "k,t\na,True\n", True),
        ("small values lost in a tolerance", "v\n0\n0\n", "v\n0.0004\n0.0007\n", False),
    ],
)
def test_other_inputs_of_the_reported_kinds(right, kind, found, gold, expected):
    assert right(found, gold) == expected, kind


def test_delimiters_inside_quotes_do_not_count():
    assert delimited_rows('a,b\n"1;2","3;4"\n', find_delimiter('a,b\n"1;2","3;4"\n')) == [["a", "b"], ["1;2", "3;4"]]
