import gzip
import json
import os
import sqlite3
import subprocess
import sys

import pandas as pd
import pytest

from benchwright.baselines.explore.tables import KINDS, load, sketches, tidy, valid
from benchwright.baselines.explorer import Explorer, program, request
from benchwright.errors import Broken
from benchwright.sandbox import toolbox
from benchwright.sandbox.base import Room, SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.task import DataMount, OutputSpec, Task

CARS = pd.DataFrame(
    {
        "model": ["Alfa", "Bravo", "Carina", "Delta", "Echo", "Fury"],
        "maker": ["Zeta", "Zeta", "Omega", "Omega", "Omega", "Zeta"],
        "mpg": [30.5, 20.25, 25.0, 15.5, 40.0, 22.75],
        "cylinders": [4, 6, 4, 8, 4, 6],
        "registered": ["2019-03-01", "2020-04-02", "2020-05-03", "2021-06-04", "2021-07-05", "2021-08-06"],
    }
)
MAKERS = pd.DataFrame({"maker": ["Zeta", "Omega"], "headquarters": ["Oslo", "Lima"]})


@pytest.fixture
def room(tmp_path):
    """Two tables that matter, a stale copy, and distractors."""
    folder = tmp_path / "room"
    (folder / "vehicles").mkdir(parents=True)
    CARS.to_csv(folder / "vehicles" / "cars_fuel.csv", index=False)
    CARS.assign(mpg=0.0).to_csv(folder / "vehicles" / "cars_fuel_old.csv", index=False)
    MAKERS.to_csv(folder / "vehicles" / "makers.csv", index=False)
    for number in range(40):
        (folder / "other").mkdir(exist_ok=True)
        pd.DataFrame({"a": [number], "weight": [1]}).to_csv(folder / "other" / f"notes_{number}.csv", index=False)
    return folder


def asked(question, guidelines="", **more):
    return Task(id="t", question=question, guidelines=guidelines, data=(DataMount(room="r"),), **more)


def explore(task, folder, cwd):
    (cwd / "explore.pyz").write_bytes(program())
    told = request(task) | {"roots": [str(folder)]}
    command = [sys.executable, str(cwd / "explore.pyz")]
    done = subprocess.run(
        command, input=json.dumps(told), capture_output=True, text=True, check=True, cwd=cwd, timeout=800
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("question", "guidelines", "answer"),
    [
        ("What is the average mpg of all cars?", "One number with 2 decimals.", "25.67"),
        ("What is the mean miles per gallon of cars with 4 cylinders?", "One number with 2 decimals.", "31.83"),
        ("What is the median mpg of the cars of the maker Zeta?", "A number with 2 decimals", "22.75"),
        ("How many cars of Omega are there?", "An integer", "3"),
        ("How many different makers of cars are there?", "An integer", "2"),
        ("How many cars have an mpg above 24?", "An integer", "3"),
        ("What percentage of the cars have 4 cylinders?", "Percentage with 1 decimal and a percent sign.", "50.0%"),
        (
            "Which car model has the highest mpg, and what is it?",
            "Answer as: model; mpg. mpg with 1 decimal. Example: X; 1.2",
            "Echo; 40.0",
        ),
        ("Which maker has the lowest average mpg?", "The maker as it is written.", "Zeta"),
        ("What was the total mpg of the cars registered in 2021?", "A number with 2 decimals", "78.25"),
        ("What is the correlation between cylinders and mpg of the cars?", "A number with 2 decimals", "-0.82"),
        (
            "What is the average mpg of the cars whose maker has its headquarters in Lima?",
            "A number with 2 decimals",
            "26.83",
        ),
    ],
)
def test_simple_questions_are_answered_from_the_right_file(room, tmp_path, question, guidelines, answer):
    assert explore(asked(question, guidelines), room, tmp_path)["answer"] == answer


def test_a_stale_copy_is_not_preferred(room, tmp_path):
    found = explore(asked("What is the average mpg of all cars?", "A number"), room, tmp_path)
    assert found["used"].endswith("cars_fuel.csv")


def test_a_table_is_written_for_a_question_about_each_group(room, tmp_path):
    output = OutputSpec(kind="table", name="out.csv", description="columns maker, mean_mpg")
    task = asked("Give the mean mpg of the cars for each maker.", "Columns: maker, mean_mpg", outputs=(output,))
    explore(task, room, tmp_path)
    assert pd.read_csv(tmp_path / "out.csv").round(2).to_dict("list") == {
        "maker": ["Omega", "Zeta"],
        "mean_mpg": [26.83, 24.5],
    }


def test_a_room_without_tables_and_a_question_without_sense_give_no_answer(tmp_path):
    (tmp_path / "empty").mkdir()
    assert explore(asked("What?", "A number"), tmp_path / "empty", tmp_path)["answer"] is None


def test_unreadable_files_are_passed_over(room, tmp_path):
    for name in ("cars.parquet", "cars.xlsx", "cars.sqlite", "cars.json", "cars.csv.gz", "cars_mpg.csv"):
        (room / name).write_bytes(b"\x00\xffnot what it says")
    os.mkfifo(room / "cars_pipe.csv")
    (room / "cars_link.csv").symlink_to("nowhere.csv")
    assert (
        explore(asked("What is the average mpg of all cars?", "A number with 2 decimals"), room, tmp_path)["answer"]
        == "25.67"
    )


def test_the_program_is_the_same_bytes_every_time_and_knows_nothing_of_benchwright():
    assert program() == program()
    assert b"benchwright" not in program()


def write_formats(folder):
    CARS.to_csv(folder / "a.csv", index=False)
    CARS.to_csv(folder / "b.tsv", index=False, sep="\t")
    CARS.to_csv(folder / "c.txt", index=False, sep=";", decimal=",", encoding="cp1252")
    (folder / "d.csv").write_text("Source: test\nSecond line\n" + CARS.to_csv(index=False), encoding="utf-16")
    (folder / "e.csv.gz").write_bytes(gzip.compress(CARS.to_csv(index=False).encode()))
    CARS.to_json(folder / "f.json", orient="records")
    CARS.to_json(folder / "g.jsonl", orient="records", lines=True)
    CARS.to_parquet(folder / "h.parquet")
    CARS.to_excel(folder / "i.xlsx", index=False)
    with sqlite3.connect(folder / "j.sqlite") as database:
        CARS.to_sql("cars", database, index=False)
    database.close()


def test_the_usual_formats_are_read_alike(tmp_path):
    write_formats(tmp_path)
    paths = sorted(tmp_path.iterdir())
    assert len(paths) == 10
    for path in paths:
        (found,) = sketches(path)
        assert list(found.columns) == list(CARS.columns), path
        assert load(found)["mpg"].tolist() == CARS["mpg"].tolist(), path


def test_numbers_with_thousands_and_codes_for_missing_are_understood():
    frame = tidy(
        pd.DataFrame({"a": ["1,234", "2,000"], "b": ["12%", "13%"], "c": ["1.234,5", "7,25"], "d": ["x", "y"]})
    )
    assert frame.to_dict("list") == {"a": [1234, 2000], "b": [12, 13], "c": [1234.5, 7.25], "d": ["x", "y"]}
    assert valid(pd.DataFrame({"a": [1.0, 2.0, -999.0]}))["a"].isna().tolist() == [False, False, True]
    assert not valid(pd.DataFrame({"a": [990, 998, 999]}))["a"].isna().any()


def test_the_explorer_discovers_in_a_sandbox_without_opening_everything(room):
    tools = toolbox.find("core")
    if tools is None:
        pytest.skip("needs the core toolbox")
    task = asked("Which maker has the lowest average mpg?", "The maker as it is written.")
    spec = SandboxSpec(rooms=(Room("r", room),), limits=task.limits, toolbox=tools)
    with NamespaceProvider() as provider, provider.open(spec) as sandbox:
        submission = Explorer().attempt(task, sandbox, 0)
    assert submission.answer == "Zeta"
    if submission.accesses.kind == "not_measured":
        pytest.skip(submission.accesses.reason)
    opened = {access.path for access in submission.accesses.files}
    assert "vehicles/cars_fuel.csv" in opened
    assert len(opened) < 0.9 * 43
    assert not submission.accesses.swept


def test_the_explorer_without_a_sandbox_says_so():
    with pytest.raises(Broken, match="needs a sandbox"):
        Explorer().attempt(asked("?"), None, 0)


def test_every_kind_of_file_is_known_by_its_ending():
    assert {".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx", ".sqlite"} <= set(KINDS)
