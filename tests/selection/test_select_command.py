import json

import pytest
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.gold import Gold
from benchwright.labels import Labels
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task

SKILLS = {"1": ("load", "join"), "2": ("load",), "3": ("plot", "join", "load"), "4": ("sort",)}


@pytest.fixture
def suite(tmp_path):
    folder = tmp_path / "whole"
    for room in "ab":
        (folder / "data" / room).mkdir(parents=True)
        (folder / "data" / room / "x.csv").write_text("x\n1\n")
    (folder / "gold/files/3").mkdir(parents=True)
    (folder / "gold/files/3/out.csv").write_text("x\n1\n")
    return Suite.write(
        folder,
        SuiteInfo(name="whole", rooms={room: RoomInfo.of(folder / "data" / room) for room in "ab"}),
        [Task(id=i, question=f"Question {i}?", data=(DataMount(room="a" if i < "4" else "b"),)) for i in SKILLS],
        [Labels(task_id=i, skills=skills, domain="d" if i < "3" else "e") for i, skills in SKILLS.items()],
        [Gold(task_id=i, answer=i, files=("out.csv",) if i == "3" else ()) for i in SKILLS],
    )


@pytest.fixture
def select(suite):
    def run(*arguments, code=0):
        done = CliRunner().invoke(app, ["select", str(suite.folder), *map(str, arguments)])
        if code:
            assert getattr(done.exception, "exit_code", None) == code, done.output
            return str(done.exception)
        assert done.exit_code == 0, done.output
        return done.stdout

    return run


def test_a_smaller_suite_is_written_beside_the_old_one(suite, select, tmp_path):
    before = {path: path.read_bytes() for path in suite.folder.rglob("*") if path.is_file()}
    document = json.loads(select("--out", tmp_path / "few", "--json"))
    assert document["tasks"] == ["3", "4"]
    assert (document["before"]["covered"], document["after"]["covered"], document["after"]["share"]) == (4, 4, 1)
    assert document["curve"] == [3, 4]
    made = Suite.open(tmp_path / "few")
    assert list(made.tasks) == list(made.labels) == list(made.golds) == ["3", "4"]
    assert made.name == "whole_selected"
    assert "2 of 4 tasks of whole 1" in made.info.source
    assert (made.room_path("a") / "x.csv").read_text() == "x\n1\n"
    assert (made.gold_files("3") / "out.csv").read_text() == "x\n1\n"
    assert made.digest != suite.digest
    assert {path: path.read_bytes() for path in suite.folder.rglob("*") if path.is_file()} == before
    assert "is not empty" in select("--out", tmp_path / "few", code=2)


def test_nothing_is_written_into_the_suite_itself(suite, select):
    before = sorted(suite.folder.rglob("*"))
    assert "inside the suite" in select("--out", suite.folder / "few", code=2)
    assert sorted(suite.folder.rglob("*")) == before


def test_the_report_needs_no_folder(select):
    text = select("--tasks", 1, "--exact")
    assert "tasks: 3" in text
    assert "not covered: sort" in text
    assert "no smaller or better choice exists" in text


def test_quotas_demands_weights_and_lists_are_heard(select, tmp_path):
    assert json.loads(select("--demand", 2, "--json"))["tasks"] == ["3", "1", "4"]
    assert json.loads(select("--tasks", 1, "--at-least", "d=1", "--json"))["tasks"] == ["1"]
    assert json.loads(select("--at-most", "e=1", "--json"))["after"]["groups"] == {"e": 1}
    (tmp_path / "w.json").write_text('{"sort": 9}')
    assert json.loads(select("--tasks", 1, "--weights", tmp_path / "w.json", "--json"))["tasks"] == ["4"]
    assert json.loads(select("--weights", "frequency", "--json"))["after"]["value"] == 7
    (tmp_path / "all.txt").write_text("load\njoin\nplot\nsort\nfly\n")
    document = json.loads(select("--skills", tmp_path / "all.txt", "--json"))
    assert (document["after"]["covered"], document["after"]["wanted"], document["after"]["missing"]) == (4, 5, ["fly"])
    (tmp_path / "all.jsonl").write_text('{"skill": "load"}\n{"name": "join"}\n')
    assert "'plot', 'sort'" in select("--skills", tmp_path / "all.jsonl", code=2)
    (tmp_path / "plain.jsonl").write_text('"load"\n"join"\n"plot"\n"sort"\n"fly"\n')
    assert json.loads(select("--skills", tmp_path / "plain.jsonl", "--json"))["after"]["missing"] == ["fly"]


@pytest.mark.parametrize(
    ("option", "name", "content", "words"),
    [
        ("--skills", "x.jsonl", b'"load"\n7\n', "line 2"),
        ("--skills", "x.jsonl", b'{"name": ["load"]}\n', "line 1"),
        ("--skills", "x.txt", "größer".encode("latin-1"), "cannot read"),
        ("--weights", "w.json", b'{"load": 1' + b"0" * 400 + b"}", "equal, frequency, or a JSON file"),
    ],
)
def test_a_list_or_weights_that_cannot_be_read_are_one_message(select, tmp_path, option, name, content, words):
    (tmp_path / name).write_bytes(content)
    assert words in select(option, tmp_path / name, code=2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--at-least", "d"), "DOMAIN=N"),
        (("--at-least", "z=1"), "no task is of 'z'"),
        (("--weights", "heavy"), "equal, frequency, or a JSON file"),
        (("--skills", "absent.txt"), "no file absent.txt"),
        (("--by", "categories"), "has no categories"),
        (("--demand", "0"), "each skill at least 1 task"),
        (("--tasks", "-1"), "below 0"),
    ],
)
def test_a_wrong_wish_is_one_clear_message(select, arguments, words):
    assert words in select(*arguments, code=2)


def test_a_suite_without_its_gold_is_selected_all_the_same(suite, select, tmp_path):
    (suite.folder / "gold/gold.jsonl").unlink()
    select("--out", tmp_path / "few")
    assert not Suite.open(tmp_path / "few").has_gold
