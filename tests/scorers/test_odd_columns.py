"""Columns of kinds that CSV does not have, in Parquet, Feather and DuckDB files, and what hostile ones hold."""

import datetime as dt
import decimal
import gzip
import io

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from benchwright.gold import Check, Gold
from benchwright.score import Scored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare import tables
from benchwright.scorers.compare.databases import open_database
from benchwright.scorers.compare.tables import UnreadableTable, read_table
from benchwright.scorers.table import TableScorer
from benchwright.task import Task
from benchwright.trajectory import Submission

FAR = 2**62


def parquet(table):
    made = io.BytesIO()
    pq.write_table(table, made, compression="none", use_dictionary=False)
    return made.getvalue()


def feather(table):
    made = io.BytesIO()
    pyarrow.feather.write_feather(table, made)
    return made.getvalue()


@pytest.fixture
def read(tmp_path):
    def run(data):
        (tmp_path / "out").write_bytes(data)
        return read_table(tmp_path / "out")

    return run


@pytest.fixture
def value(tmp_path):
    """The value of an output, under plain credit, against a gold of two columns."""
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "g.csv").write_text("day,n\n2024-03-01,1.5\n2024-03-02,2\n")
    check = Check(scorer="table", output="out", golds=("g.csv",))
    expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, tmp_path / "gold")

    def run(data):
        (tmp_path / "out").write_bytes(data)
        score = TableScorer().score(Submission(files={"out": tmp_path / "out"}), expected)
        assert isinstance(score, Scored), score
        return score

    return run


DAYS = [dt.date(2024, 3, 1), dt.date(2024, 3, 2)]
RIGHT = {"day": pa.array(DAYS), "n": pa.array([1.5, 2.0])}


@pytest.mark.parametrize(
    "wrapped",
    [
        parquet(pa.table(RIGHT)),
        feather(pa.table(RIGHT)),
        gzip.compress(b"day,n\n2024-03-01,1.5\n2024-03-02,2\n"),
        gzip.compress(parquet(pa.table(RIGHT))),
        parquet(pa.table({**RIGHT, "day": pa.array(DAYS).cast(pa.timestamp("ns"))})),
        parquet(pa.table({**RIGHT, "day": pa.array([b"2024-03-01", b"2024-03-02"])})),
        parquet(pa.table({**RIGHT, "n": pa.array([decimal.Decimal("1.5"), 2], pa.decimal256(60, 3))})),
        parquet(pa.table({**RIGHT, "n": pa.array(["1.5", "2"]).dictionary_encode()})),
    ],
)
def test_the_right_table_is_right_in_whatever_columns_it_stands(value, wrapped):
    assert value(wrapped).value == 1.0


ODD = {
    "days beyond": pa.array([2**31 - 1, -(2**31) + 1], pa.date32()),
    "moments beyond": pa.array([FAR, -FAR], pa.timestamp("ms")),
    "seconds beyond": pa.array([FAR, -FAR], pa.timestamp("s")),
    "no such zone": pa.array([0, 1], pa.timestamp("us", "Nowhere/Land")),
    "a great decimal": pa.array([decimal.Decimal(10) ** 70, None], pa.decimal256(76, 2)),
    "a long while": pa.array([FAR, -5], pa.duration("us")),
    "bytes": pa.array([b"\xff\x00", None]),
    "nested": pa.array([{"a": [{"b": None}]}, None]),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array(["x"])),
}


NOT_IN_PARQUET = {"seconds beyond", "runs"}


@pytest.mark.parametrize(
    ("name", "write"),
    [(name, feather) for name in ODD] + [(name, parquet) for name in ODD if name not in NOT_IN_PARQUET],
)
def test_an_odd_column_besides_those_that_count_costs_nothing(value, name, write):
    assert value(write(pa.table({**RIGHT, "odd": ODD[name]}))).value == 1.0


@pytest.mark.parametrize("name", sorted(ODD))
def test_an_odd_column_where_days_are_asked_for_is_wrong_and_nothing_else(value, name):
    score = value(feather(pa.table({**RIGHT, "day": ODD[name]})))
    assert score.value == 0.0
    assert score.details["cell_share"] == 0.5


def test_moments_out_of_range_keep_their_numbers_so_that_other_ones_are_told_apart(read):
    column = read(feather(pa.table({"t": pa.array([FAR, FAR + 1, 0, None], pa.timestamp("s"))}))).columns[0].to_list()
    assert column == [f"out of range: {FAR}", f"out of range: {FAR + 1}", "1970-01-01 00:00:00", ""]


def test_texts_that_are_no_utf_8_are_read_as_in_text_files_and_a_column_of_lists_of_them_is_told(read):
    spoiled = parquet(pa.table({"a": ["word", "other"], "b": [1, 2]})).replace(b"word", b"\x8eord")
    assert read(spoiled).rows == (("�ord", "1"), ("other", "2"))
    nested = read(parquet(pa.table({"a": [["word"], ["x"]], "b": [1, 2]})).replace(b"word", b"\x8eord"))
    assert nested.columns[1].to_list() == ["1", "2"]
    assert "column 'a' cannot be read: ArrowInvalid" in nested.notes[0]


@pytest.mark.parametrize("data", [b"\x1f\x8b", gzip.compress(b"a\n1\n")[:-9], b"ARROW1", b"ARROW1\0\0" + b"\xff" * 64])
def test_a_gzip_or_feather_file_that_is_cut_off_cannot_be_read(read, data):
    with pytest.raises(UnreadableTable, match="not a readable"):
        read(data)


def test_a_gzip_bomb_is_not_unpacked_whole(read, monkeypatch):
    bomb = gzip.compress(b"a\n" + b"0\n" * 1_000_000)
    assert read(bomb).height == 1_000_000
    monkeypatch.setattr(tables, "MAX_BYTES", 1_000_000)
    with pytest.raises(UnreadableTable, match="unpacked bytes"):
        read(bomb)


KINDS = {
    "INTERVAL 5000000 YEAR": "5000000 years",
    "TIMESTAMPTZ '2020-01-01 00:00:00+00'": "2020-01-01 00:00:00+00",
    "'2020-01-02 03:04:05.123456789'::TIMESTAMP_NS": "2020-01-02 03:04:05.123456789",
    "'infinity'::TIMESTAMP_S": "infinity",
    "170141183460469231731687303715884105727": "170141183460469231731687303715884105727",
    "'\\xff\\x00'::BLOB": "ff00",
    "[INTERVAL 5000000 YEAR]": "[5000000 years]",
}


@pytest.mark.parametrize("expression", KINDS)
def test_a_duckdb_column_of_any_kind_is_read_and_so_are_those_beside_it(tmp_path, expression):
    with duckdb.connect(str(tmp_path / "d")) as connection:
        connection.execute(f'CREATE TABLE t AS SELECT {expression} AS "a ""b""", 7 AS n')
    with open_database(tmp_path / "d") as database:
        table = database.table("t")
    assert (table.names, table.rows) == (('a "b"', "n"), ((KINDS[expression], "7"),))


def test_what_a_library_cannot_turn_into_text_leaves_every_row_in_its_place(read):
    table = read(feather(pa.table({"t": ODD["no such zone"], "n": [1, 2]})))
    assert isinstance(table.columns[0], pl.Series)
    assert table.rows == (("(cannot be read)", "1"), ("(cannot be read)", "2"))
