import os
import sqlite3

import pytest

from benchwright.errors import SuiteError
from benchwright.gold import Check, Gold
from benchwright.score import Scored, Unscored
from benchwright.scorers.base import Expected
from benchwright.scorers.compare.databases import open_database
from benchwright.scorers.compare.duckdb_blocks import comes_back, is_whole
from benchwright.scorers.compare.tables import UnreadableTable
from benchwright.scorers.database import DatabaseScorer
from benchwright.task import Task
from benchwright.trajectory import Submission

GOOD = (
    "CREATE TABLE t1(a, b); INSERT INTO t1 VALUES (1,'x'),(2,'y'); CREATE TABLE t2(c); INSERT INTO t2 VALUES (5),(6);"
)


def _sqlite(path, script):
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.commit()
    connection.close()
    return path


def _duckdb(path, script):
    import duckdb

    with duckdb.connect(str(path)) as connection:
        connection.execute(script)
    return path


@pytest.fixture
def score(tmp_path):
    def run(found, gold=GOOD, make=_sqlite, **options):
        (tmp_path / "gold").mkdir(exist_ok=True)
        (tmp_path / "gold" / "g.db").unlink(missing_ok=True)
        (tmp_path / "out.db").unlink(missing_ok=True)
        _sqlite(tmp_path / "gold" / "g.db", gold)
        files = {}
        if found is not None:
            path = found if not isinstance(found, str) else make(tmp_path / "out.db", found)
            files = {"out.db": path}
        check = Check(scorer="database", output="out.db", golds=("g.db",), options={"credit": "columns", **options})
        expected = Expected(Task(id="t", question="q"), Gold(task_id="t"), check, tmp_path / "gold")
        return DatabaseScorer().score(Submission(files=files), expected)

    return run


def test_equal_tables_are_right_whatever_the_order_of_rows_columns_and_tables(score):
    other = "CREATE TABLE T2(c); INSERT INTO T2 VALUES (6),(5.0); CREATE TABLE t1(b, a); INSERT INTO t1 VALUES ('Y',2),('x',1);"
    assert score(GOOD).value == score(other).value == 1.0
    assert score(other, order="given").value < 1.0


def test_a_missing_table_costs_itself_alone(score):
    one = "CREATE TABLE t1(a, b); INSERT INTO t1 VALUES (1,'x'),(2,'y');"
    assert score(one).value == score(one, tables={"t1": None, "t2": None}).value == 0.5
    assert score(one, tables={"t1": ["a"]}).value == 1.0


def test_a_missing_column_is_no_constant(score):
    found = "CREATE TABLE t1(a); INSERT INTO t1 VALUES (1),(2); CREATE TABLE t2(c); INSERT INTO t2 VALUES (5),(6);"
    assert score(found, tables={"t1": ["a", "b"], "t2": ["c"]}).value == 0.75


def test_other_values_are_wrong_and_nothing_is_written_beside_the_files(score, tmp_path):
    result = score(
        "CREATE TABLE t1(a); INSERT INTO t1 VALUES (1),(2);", "CREATE TABLE t1(a); INSERT INTO t1 VALUES (8),(9);"
    )
    assert result.value == 0.0
    assert {path.name for path in tmp_path.rglob("*")} == {"gold", "g.db", "out.db"}


def test_a_duckdb_file_is_read_too(score):
    result = score(GOOD.replace("(a, b)", "(a int, b varchar)").replace("(c)", "(c double)"), make=_duckdb)
    assert result.value == 1.0, result.reason


def test_what_is_no_database_is_wrong_and_a_gold_that_is_none_is_unscored(score, tmp_path):
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("a,b\n1,2\n")
    (tmp_path / "torn").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    (tmp_path / "duck").write_bytes(b"\0" * 8 + b"DUCK" + b"\xff" * 20000)
    (tmp_path / "link").symlink_to("gold/g.db")
    os.mkfifo(tmp_path / "pipe")
    for name in ("empty", "text", "torn", "duck", "link", "pipe", "none"):
        result = score(tmp_path / name)
        assert isinstance(result, Scored)
        assert (result.value, "unreadable" in result.reason) == (0.0, True), name
    assert score(None).reason == "no file out.db"
    assert isinstance(score(GOOD, tables={"t9": None}), Unscored)


def test_options_that_mean_nothing_are_refused(score):
    for options, named in (
        ({"table": []}, "no option 'table'"),
        ({"tables": ["t1"]}, "option 'tables'"),
        ({"tables": {"t1": "a"}}, "option 'columns'"),
        ({"tables": {}}, "option 'tables'"),
    ):
        with pytest.raises(SuiteError, match=named):
            score(GOOD, **options)


def test_nothing_that_a_database_holds_is_run(tmp_path):
    """A view would call functions, attach files or never end; as a table it would be read like one."""
    script = GOOD + (
        "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n;"
        "CREATE TRIGGER x AFTER INSERT ON t1 BEGIN DELETE FROM t2; END;"
        "CREATE VIRTUAL TABLE w USING fts5(body);"
    )
    path = _sqlite(tmp_path / "hostile.db", script)
    with open_database(path) as database:
        names = database.names()
        assert "v" not in names
        assert "w" not in names
        assert database.table("t1").rows == (("1", "x"), ("2", "y"))
        for name in ("v", "w", "nothing"):
            with pytest.raises(UnreadableTable, match="not a readable table"):
                database.table(name)


def test_a_statement_beyond_reading_is_refused_and_is_not_without_the_guard(tmp_path):
    path = _sqlite(tmp_path / "a.db", GOOD)
    with open_database(path) as database:
        connection = database._connection
        for statement in (
            "ATTACH ':memory:' AS m",
            "PRAGMA query_only = OFF",
            "DELETE FROM t1",
            "SELECT randomblob(9)",
            "CREATE TABLE z(a)",
        ):
            with pytest.raises(sqlite3.Error, match=r"not authorized|prohibited"):
                connection.execute(statement).fetchall()
        connection.set_authorizer(None)
        assert connection.execute("SELECT length(randomblob(9))").fetchall() == [(9,)]


def test_a_generated_column_that_calls_functions_is_not_computed(tmp_path):
    path = _sqlite(tmp_path / "a.db", "CREATE TABLE t(a, b AS (hex(zeroblob(1000000)))); INSERT INTO t(a) VALUES (1);")
    with open_database(path) as database, pytest.raises(UnreadableTable, match="computed columns"):
        database.table("t")


def duckdb_file(path):
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{path}' AS d (BLOCK_SIZE 16384)")
        connection.execute("CREATE TABLE d.t AS SELECT range AS a FROM range(5)")
        connection.execute("DETACH d")
    return path


def test_a_duckdb_file_is_whole_until_a_bit_of_a_block_is_another(tmp_path):
    """DuckDB never comes back from some damaged files, whatever its own sums say."""
    path = duckdb_file(tmp_path / "d.duckdb")
    assert is_whole(path)
    data = bytearray(path.read_bytes())
    for place in (50, 5000, 13_000, len(data) - 16_000):
        damaged = bytes([*data[:place], data[place] ^ 1, *data[place + 1 :]])
        (tmp_path / "damaged").write_bytes(damaged)
        assert not is_whole(tmp_path / "damaged"), place
        with pytest.raises(UnreadableTable, match="a block of it is damaged"), open_database(tmp_path / "damaged"):
            pass


def test_a_database_is_read_by_another_process_first_which_is_given_so_long(tmp_path):
    path = duckdb_file(tmp_path / "d.duckdb")
    assert comes_back(path, {"threads": "1"}, 60)
    assert not comes_back(path, {"threads": "1"}, 0.001)
    with open_database(path) as database:
        assert database.table("t").height == 5
