import json
import os

import pytest
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import InputError
from benchwright.generation.rooms.communities import SizeBounds, communities
from benchwright.generation.rooms.confusability import Confusions
from benchwright.generation.rooms.datasets import collect
from benchwright.generation.rooms.graph import DatasetGraph, Edge
from benchwright.generation.rooms.likeness import Contents, shares_of_sets
from benchwright.generation.rooms.making import RoomsRequest, make_rooms
from benchwright.generation.rooms.usage import DatasetPaths, co_usage, notebook_code, read_programs, used
from benchwright.profiles.folders import Looking

pytest.importorskip("networkx")

FLIGHTS = "carrier,origin,destination,delay\n"
PATIENTS = "patient,diagnosis,dose,outcome\n"


def written(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def rows(first, count=30, other="x"):
    return "".join(
        f"{first}{number},{other}{number % 7},{other}{number % 3},{number * 3.5}\n" for number in range(count)
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Six data sets about two subjects, and two that only programs tie to them."""
    folder = tmp_path_factory.mktemp("data")
    flights = {f"flights_{year}/flights.csv": FLIGHTS + rows(f"c{year}") for year in ("east", "west", "north")}
    patients = {f"patients_{site}/patients.csv": PATIENTS + rows(f"p{site}") for site in ("rome", "oslo", "bern")}
    odd = {"zebra/a.csv": "k,v\n1,2\n3,4\n", "quartz/b.csv": "m,n\n5,6\n7,8\n"}
    written(folder, {**flights, **patients, **odd, ".hidden/secret.csv": "a\n1\n"})
    (folder / "patients_rome" / "stolen.csv").symlink_to("/etc/passwd")
    os.mkfifo(folder / "zebra" / "pipe")
    return folder


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# flights\n"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import pandas as pd\n", "base = '../input/'\n"]},
        {"cell_type": "code", "source": "!pip install x\na = pd.read_csv(base + 'zebra/a.csv')"},
        {"cell_type": "code", "source": ["f = pd.read_csv(base + 'flights_east/flights.csv')"]},
    ]
}


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    folder = tmp_path_factory.mktemp("code")
    (folder / "one.ipynb").write_text(json.dumps(NOTEBOOK))
    script = (
        "import pandas as pd\nd = pd.read_csv('data/quartz/b.csv')\np = pd.read_csv('patients_oslo/patients.csv')\n"
    )
    return written(folder, {"two.py": script, "bad.ipynb": "{", "worse.py": "def ("})


def request(data, out, cache, **more):
    return RoomsRequest(data, out, looking=Looking(cache=cache), **more)


def groups(manifest):
    return [set(room.datasets) for room in manifest.rooms]


@pytest.fixture(scope="module")
def made(data, code, tmp_path_factory):
    out = tmp_path_factory.mktemp("rooms") / "rooms"
    cache = tmp_path_factory.mktemp("cache")
    return make_rooms(request(data, out, cache, code=code, bounds=SizeBounds(2, 5))), out, cache


def test_data_sets_of_one_subject_and_those_used_with_them_come_into_one_room(made):
    manifest, _, _ = made
    assert groups(manifest) == [
        {"flights_east", "flights_west", "flights_north", "zebra"},
        {"patients_rome", "patients_oslo", "patients_bern", "quartz"},
    ]
    assert (manifest.programs, manifest.programs_used) == (4, 2)
    assert set(manifest.programs_unread) == {"bad.ipynb", "worse.py"}


def test_without_programs_what_is_like_nothing_is_not_tied_to_anything(data, made, tmp_path):
    manifest = make_rooms(request(data, tmp_path / "rooms", made[2], bounds=SizeBounds(1, 5)))
    assert {"flights_east", "flights_west", "flights_north"} in groups(manifest)
    assert {"zebra"} in groups(manifest)


def test_rooms_hold_the_files_and_the_data_stay_where_they_are(data, made):
    manifest, out, _ = made
    here = sorted(
        path.relative_to(out / "room_01").as_posix() for path in (out / "room_01").rglob("*") if path.is_file()
    )
    assert here == ["flights_east/flights.csv", "flights_north/flights.csv", "flights_west/flights.csv", "zebra/a.csv"]
    assert (out / "room_01/zebra/a.csv").samefile(data / "zebra/a.csv")
    assert manifest.rooms[0].files == 4
    assert manifest.rooms[0].sha256
    assert json.loads((out / "rooms.json").read_text())["rooms"][1]["name"] == "room_02"


def test_tasks_are_generated_from_each_room_that_was_made(made):
    from benchwright.generation.material import rooms_in

    assert list(rooms_in(made[1])) == ["room_01", "room_02"]
    (made[1] / "rooms.json").rename(
        made[1] / "notes.json"
    )  # a control: beside a file that is no manifest it is one room
    try:
        assert len(rooms_in(made[1])) == 1
    finally:
        (made[1] / "notes.json").rename(made[1] / "rooms.json")


def test_links_and_special_files_are_in_no_room_and_said_so(made):
    manifest, out, _ = made
    assert manifest.left_out == {"patients_rome/stolen.csv": "a link", "zebra/pipe": "not a regular file"}
    assert not any(path.is_symlink() for path in out.rglob("*"))
    assert not list(out.rglob("secret.csv"))


def test_the_same_seed_makes_the_same_rooms_and_copies_are_no_links(data, code, made, tmp_path):
    again = make_rooms(request(data, tmp_path / "rooms", made[2], code=code, bounds=SizeBounds(2, 5), copy=True))
    assert again == made[0]
    for name in ("rooms.json", "graph.jsonl", "files.jsonl"):
        assert (tmp_path / "rooms" / name).read_bytes() == (made[1] / name).read_bytes()
    assert not (tmp_path / "rooms/room_01/zebra/a.csv").samefile(data / "zebra/a.csv")


def test_files_of_one_schema_are_confusable_and_what_is_like_nothing_is_not(made):
    confusions = {}
    for line in (made[1] / "files.jsonl").read_text().splitlines():
        confusions[json.loads(line)["path"]] = json.loads(line)
    east = confusions["flights_east/flights.csv"]
    assert east["near"] == 2
    assert east["index"] == pytest.approx(2 / 3)  # two files that are wholly alike in name and schema, and itself
    assert {near["path"] for near in east["nearest"]} == {"flights_north/flights.csv", "flights_west/flights.csv"}
    assert confusions["zebra/a.csv"]["index"] == 0.0


def test_copies_of_a_file_are_as_good_as_itself(tmp_path):
    from benchwright.profiles.entries import FileProfile

    entries = {
        name: FileProfile(path=name, bytes=1, format="csv", sha256=content)
        for name, content in {"a/sales.csv": "1", "b/sales.csv": "1", "c/sales_2019.csv": "2"}.items()
    }
    first, _, other = Confusions(list(entries), Contents(entries)).files()
    assert [near.path for near in first.nearest] == ["c/sales_2019.csv"]
    assert other.near == 2


def test_a_task_that_requires_both_of_two_near_files_misses_none_of_them():
    from benchwright.profiles.entries import FileProfile

    entries = {name: FileProfile(path=name, bytes=1, format="csv", sha256=name) for name in ("a/s.csv", "b/s.csv")}
    # a name of one letter has no words: nothing is near
    assert Confusions(list(entries), Contents(entries)).task("t", ["a/s.csv"]).index == 0.0
    entries = {
        name: FileProfile(path=name, bytes=1, format="csv", sha256=name) for name in ("a/stock.csv", "b/stock.csv")
    }
    among = Confusions(list(entries), Contents(entries))
    assert among.task("t", ["a/stock.csv"]).index == pytest.approx(0.5)
    assert among.task("t", ["a/stock.csv", "b/stock.csv"]).index == 0.0


def test_shares_of_sets_are_what_jaccard_says():
    sets = [frozenset("ab"), frozenset("bc"), frozenset(), frozenset("ab")]
    shares = shares_of_sets(sets)
    for one, left in enumerate(sets):
        for other, right in enumerate(sets):
            expected = len(left & right) / len(left | right) if left & right else 0.0
            assert shares[one, other] == pytest.approx(expected)


def clique(*members, weight=1.0):
    return [Edge(one, other, usage=weight) for one in members for other in members if one < other]


def test_communities_are_cut_and_put_together_to_the_bounds():
    edges = [*clique(*range(12)), *clique(12, 13, 14), Edge(11, 15, usage=0.1)]
    graph = DatasetGraph(17, tuple(edges), ((),) * 17)
    found = communities(graph, SizeBounds(3, 6))
    assert sorted(member for part in found for member in part) == list(range(17))
    assert all(3 <= len(part) <= 6 for part in found)
    assert found == communities(graph, SizeBounds(3, 6))
    # and a control: without bounds the clique stays whole, with what hangs on it
    assert {*range(12), 15} in map(set, communities(graph, SizeBounds(1, 17)))


def test_a_program_with_many_data_sets_ties_each_as_much_as_one_with_two(data):
    collection = collect(data)
    paths = DatasetPaths(collection)
    place = {dataset.name: number for number, dataset in enumerate(collection.datasets)}
    three = used("open('zebra/a.csv'); open('quartz/b.csv'); open('patients_oslo/patients.csv')", "p", paths)
    together = co_usage([three])
    assert set(together.values()) == {0.5}
    assert len(together) == 3
    assert used("open('flights_east/f*.csv')", "p", paths).datasets == (place["flights_east"],)
    assert used("open('elsewhere/patients.csv')", "p", paths).datasets == ()  # three data sets have one of that name
    assert used("open('anywhere/b.csv')", "p", paths).datasets == (place["quartz"],)


def test_a_notebook_is_read_without_magics_and_shell_lines():
    text = notebook_code(NOTEBOOK)
    assert "pip" not in text
    assert "matplotlib" not in text
    assert "flights_east" in text
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"]}]}]}
    assert notebook_code(old) == "x = 1"


def test_programs_that_cannot_be_read_cost_no_other(data, code):
    read = {program.path: program for program in read_programs(code, collect(data))}
    assert read["bad.ipynb"].error
    assert len(read["two.py"].datasets) == 2


def test_what_is_in_the_way_is_refused_and_stays(data, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(InputError, match="in the way"):
        make_rooms(request(data, tmp_path / "mine", tmp_path / "cache"))
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "x"
    with pytest.raises(InputError, match="hold each other"):
        make_rooms(request(data, data / "rooms", tmp_path / "cache"))
    with pytest.raises(InputError, match="no data to make rooms of"):
        collect(tmp_path / "cache2") if (tmp_path / "cache2").mkdir() is None else None


def test_the_command_prints_one_document_and_refuses_impossible_bounds(data, code, made, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "home"))
    run = CliRunner().invoke
    arguments = ["generate", "rooms", "--data", str(data), "--code", str(code), "--out", str(tmp_path / "out")]
    told = run(app, [*arguments, "--least", "2", "--most", "5", "--json"])
    assert told.exit_code == 0, told.output
    document = json.loads(told.stdout)
    assert [len(room["datasets"]) for room in document["rooms"]] == [4, 4]
    assert document == made[0].to_json()
    refused = run(app, [*arguments, "--least", "6", "--most", "5"])
    assert isinstance(refused.exception, InputError)
