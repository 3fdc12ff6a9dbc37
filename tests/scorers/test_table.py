import json
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest

from benchwright.errors import SuiteError
from benchwright.gold import Check, Gold
from benchwright.score import Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.table import TableScorer
from benchwright.task import Task
from benchwright.trajectory import Submission


@pytest.fixture
def score(tmp_path):
    def run(found, gold, name="out.csv", golds=("gold.csv",), **options):
        folder = tmp_path / "gold"
        folder.mkdir(exist_ok=True)
        for gold_name, text in zip(golds, gold if isinstance(gold, list) else [gold], strict=True):
            (folder / gold_name).write_bytes(text if isinstance(text, bytes) else text.encode())
        files = {}
        if found is not None:
            path = found if isinstance(found, Path) else tmp_path / name
            if path is not found:
                path.write_bytes(found if isinstance(found, bytes) else found.encode())
            files = {"out": path}
        check = Check(scorer="table", output="out", golds=golds, options=options)
        expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, folder)
        return TableScorer().score(Submission(files=files), expected)

    return run


GOLD = "name,year,mean\nAda,1815,0.50\nBob,1900,12.25\nCy,1950,-3.00\n"


def test_the_gold_itself_is_right(score):
    result = score(GOLD, GOLD)
    assert (result.value, result.details["cell_share"]) == (1.0, 1.0)


@pytest.mark.parametrize(
    "found",
    [
        GOLD.rstrip("\n"),
        GOLD.replace("\n", "\r\n"),
        "\ufeff" + GOLD,
        GOLD.encode("utf-16"),
        GOLD.replace(",", ";"),
        GOLD.replace(",", "\t"),
        GOLD.replace(",", ";").replace(".", ","),
        GOLD.replace("name,year,mean", "Name,YEAR,Mean "),
        "name,year,mean\nCy,1950,-3\nAda,1815,0.5\nBob,1900,12.2500\n",
        "mean,name,year\n0.5,Ada,1815\n12.25,Bob,1900\n-3,Cy,1950\n",
        ",name,year,mean\n0,Ada,1815,0.5\n1,Bob,1900,12.25\n2,Cy,1950,-3.0\n",
        'name,year,mean\n"Ada","1,815","0.5"\nBob,1900.0,12.25\nCY,1950,−3.0\n',
        "name,year,mean\n\nAda,1815,0.4996\nBob,1900,12.2512\nCy,1950,-3.0\n\n",
        json.dumps([{"name": "Ada", "year": 1815, "mean": 0.5}, {"name": "Bob", "year": 1900, "mean": 12.25}, {"name": "Cy", "year": 1950, "mean": -3}]),
        json.dumps({"name": ["Ada", "Bob", "Cy"], "year": [1815, 1900, 1950], "mean": [0.5, 12.25, -3.0]}),
        json.dumps({"columns": ["name", "year", "mean"], "data": [["Ada", 1815, 0.5], ["Bob", 1900, 12.25], ["Cy", 1950, -3]]}),
        '{"name": "Ada", "year": 1815, "mean": 0.5}\n{"name": "Bob", "year": 1900, "mean": 12.25}\n{"name": "Cy", "year": 1950, "mean": -3}\n',
    ],
)  # fmt: skip
def test_the_same_table_in_another_form_is_right(score, found):
    result = score(found, GOLD)
    assert result.value == 1.0, result.reason


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (GOLD.replace("0.50", "0.51"), "another value"),
        (GOLD.replace("0.50", ""), "missing"),
        (GOLD.replace("-3.00", "3.00"), "wrong sign"),
        (GOLD.replace("12.25", "12.3"), "fewer digits"),
        (GOLD.replace("1815", "1815.4"), "another value"),
        (GOLD + "Ada,1815,0.50\n", "3 rows expected, 4 found"),
        ("name,year,mean\nAda,1815,0.50\nBob,1900,12.25\n", "3 rows expected, 2 found"),
        (GOLD.replace("name", "who"), "no column name"),
        ("name,year,mean\nAda,1900,0.50\nBob,1815,12.25\nCy,1950,-3.00\n", "wrong cells"),
        ("x\n1\n", "no column"),
        ("", "empty"),
        ("{", "no column"),
        (b"\x00\x01\x02\x03binary", "binary"),
        (b"PK\x03\x04not a zip", "workbook"),
        (b"PAR1not parquet", "parquet"),
        (None, "no file"),
    ],
)
def test_another_table_is_wrong_and_the_reason_says_why(score, found, reason):
    result = score(found, GOLD)
    assert isinstance(result, Scored)
    assert result.value == 0.0
    assert reason in result.reason


def test_rows_keep_together_when_their_order_is_free(score):
    gold = "name,val\nana,10\nbo,20\ncy,30\n"
    assert score("name,val\ncy,30\nana,10\nbo,20\n", gold).value == 1.0
    assert score("name,val\nana,30\nbo,10\ncy,20\n", gold).value == 0.0


def test_repeated_rows_count_as_often_as_they_stand(score):
    gold = "k\na\na\nb\n"
    assert score("k\na\nb\na\n", gold).value == 1.0
    assert score("k\na\nb\nb\n", gold).value == 0.0


def test_a_missing_value_is_not_zero_and_na_is_not_missing(score):
    gold = "k,v\na,\nb,6.5\n"
    assert score("k,v\na,NaN\nb,6.5\n", gold).value == 1.0
    assert score("k,v\na,0\nb,6.5\n", gold).value == 0.0
    assert score('c,n\n"",1\n', "c,n\nNA,1\n").value == 0.0
    assert score("c,n\nNA,1\n", "c,n\nNA,1\n").value == 1.0


def test_order_counts_only_where_the_check_says_so_and_ties_may_change_places(score):
    gold = "t,n\nx,9\ny,9\nz,4\n"
    swapped, reversed_rows = "t,n\ny,9\nx,9\nz,4\n", "t,n\nz,4\ny,9\nx,9\n"
    assert score(reversed_rows, gold).value == 1.0
    assert score(swapped, gold, order="given").value == 0.0
    assert score(swapped, gold, order="sorted", sorted_by=["n"]).value == 1.0
    assert score(reversed_rows, gold, order="sorted", sorted_by=["n"]).value == 0.0


def test_tolerances_are_true_distances_and_not_a_grid(score):
    gold = "v\n0.0151\n1\n"
    assert score("v\n0.0149\n1\n", gold, absolute=0.01).value == 1.0
    assert score("v\n0.0149\n1\n", gold).value == 0.0
    assert score("v\n102\n", "v\n100\n", relative=0.02).value == 1.0
    assert score("v\n103\n", "v\n100\n", relative=0.02).value == 0.0


def test_what_float_arithmetic_leaves_is_no_difference(score):
    assert score("v\n0.30000000000000004\n", "v\n0.3\n").value == 1.0
    assert score("v\n0.3\n", "v\n0.30000000000000004\n").value == 1.0


def test_credit_by_cells_gives_the_share_and_surplus_rows_cost(score):
    found = GOLD.replace("0.50", "9")
    assert score(found, GOLD, credit="cells").value == pytest.approx(8 / 9)
    assert score(found, GOLD).details["cell_share"] == pytest.approx(8 / 9)
    assert score(GOLD + "Dee,1,1\n", GOLD, credit="cells").value == pytest.approx(9 / 12)


def test_only_the_named_columns_count(score):
    found = "name,year\nAda,1815\nBob,1900\nCy,1950\n"
    assert score(found, GOLD, columns=["name", "year"]).value == 1.0
    with pytest.raises(SuiteError, match="does not have"):
        score(found, GOLD, columns=["nome"])


def test_the_best_of_several_golds_counts(score):
    assert score("a\n2\n", ["a\n1\n", "a\n2\n"], golds=("one.csv", "two.csv")).value == 1.0


def test_dates_identifiers_and_truth_values_are_typed(score):
    gold = "d,id,ok\n2020-03-09,00123,True\n"
    assert score("d,id,ok\n9 March 2020,00123,TRUE\n", gold).value == 1.0
    assert score("d,id,ok\n2020-03-09 00:00:00,00123,true\n", gold).value == 1.0
    assert score("d,id,ok\n2020-03-09,123,True\n", gold).value == 0.0
    assert score("d,id,ok\n2020-03-09,00123,1\n", gold).value == 0.0


def test_an_encoding_that_is_not_utf_8_is_read_and_noted(score):
    result = score("a,b\nCafé,1\n".encode("latin-1"), "a,b\nCafé,1\n")
    assert result.value == 1.0
    assert result.details["notes"] == ["read as cp1252"]


def test_every_row_of_a_long_table_is_compared(score):
    gold = "i,v\n" + "".join(f"{i},{i * 7 % 1000}\n" for i in range(10_001))
    assert score(gold, gold).value == 1.0
    assert score(gold.replace("\n10000,0\n", "\n10000,1\n"), gold).value == 0.0


def test_noise_in_a_long_table_without_words_still_pairs_the_rows(score):
    gold = "a,b\n" + "".join(f"{i}.25,{i}.5\n" for i in range(1000))
    found = "a,b\n" + "".join(f"{i}.2501,{i}.5001\n" for i in reversed(range(1000)))
    assert score(found, gold, absolute=0.001).value == 1.0


def test_workbooks_and_parquet_files_are_read(score, tmp_path):
    import openpyxl
    import polars as pl

    book = openpyxl.Workbook()
    for row in (["name", "year", "mean"], ["Ada", 1815, 0.5], ["Bob", 1900, 12.25], ["Cy", 1950, -3]):
        book.active.append(row)
    book.save(tmp_path / "out.xlsx")
    assert score(tmp_path / "out.xlsx", GOLD).value == 1.0
    pl.DataFrame({"name": ["Ada", "Bob", "Cy"], "year": [1815, 1900, 1950], "mean": [0.5, 12.25, -3.0]}).write_parquet(
        tmp_path / "out.parquet"
    )
    assert score(tmp_path / "out.parquet", GOLD).value == 1.0


def test_a_text_of_a_parquet_file_that_is_no_utf8_is_wrong_by_itself_and_ends_nothing(score, tmp_path):
    import polars as pl

    spoiled = tmp_path / "out.parquet"
    pl.DataFrame({"name": ["Ada"], "year": [1815]}).write_parquet(spoiled, compression="uncompressed", statistics=False)
    assert score(spoiled, "name,year\nAda,1815\n").value == 1.0
    spoiled.write_bytes(spoiled.read_bytes().replace(b"Ada", b"A\x8ea"))
    result = score(spoiled, "name,year\nAda,1815\n")
    assert (result.value, result.details["columns"]) == (0.0, {"name": 0.0, "year": 1.0})


def test_a_workbook_that_unpacks_without_end_is_refused(score, tmp_path):
    with (
        zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/worksheets/sheet1.xml", "w") as stream,
    ):
        for _ in range(201):
            stream.write(b"\0" * (1 << 20))
    assert "unpacked bytes" in score(tmp_path / "bomb.xlsx", GOLD).reason


def test_a_link_to_the_gold_is_no_table(score, tmp_path):
    score(None, GOLD)
    (tmp_path / "link.csv").symlink_to(tmp_path / "gold" / "gold.csv")
    assert "not a regular file" in score(tmp_path / "link.csv", GOLD).reason


def test_no_gold_file_is_unscored_and_an_unknown_option_is_named(score, tmp_path):
    with pytest.raises(SuiteError, match="no option 'colums'"):
        score(GOLD, GOLD, colums=[])
    check = Check(scorer="table", output="out", golds=("lost.csv",))
    expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, tmp_path)
    assert isinstance(TableScorer().score(Submission(), expected), Unscored)


def test_options_are_exact_decimals(score):
    assert score("v\n1.1\n", "v\n1.0\n", absolute=0.1).value == 1.0
    assert Decimal(str(0.1)) == Decimal("0.1")


def test_a_workbook_and_a_parquet_file_are_known_by_their_content_whatever_their_names(score, tmp_path):
    import openpyxl
    import polars as pl

    book = openpyxl.Workbook()
    for row in (["k", "v"], ["a", 1], ["b", 2]):
        book.active.append(row)
    book.save(tmp_path / "book.xlsx")
    pl.DataFrame({"k": ["a", "b"], "v": [1, 2]}).write_parquet(tmp_path / "frame.parquet")
    for name in ("book.xlsx", "frame.parquet"):
        kept = tmp_path / ("0f" * 32)  # as a run folder keeps what was handed in
        kept.write_bytes((tmp_path / name).read_bytes())
        assert score(kept, "k,v\na,1\nb,2\n").value == 1
