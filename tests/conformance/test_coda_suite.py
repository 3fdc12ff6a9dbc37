"""The suite built from the official files, against the figures that were published for it."""

from collections import Counter

import pytest

from benchwright.files import read_json
from benchwright.suites.base import BuildRequest
from benchwright.suites.coda_bench import CodaBenchLoader
from benchwright.suites.coda_bench.answer_types import part_type, parts_of


@pytest.fixture(scope="module")
def official(shared):
    return shared / "data" / "coda_bench"


@pytest.fixture(scope="module")
def suite(official, tmp_path_factory):
    return CodaBenchLoader().load(
        BuildRequest(out=tmp_path_factory.mktemp("coda") / "suite", sources={"tasks": official / "coda_bench.json"})
    )


@pytest.fixture(scope="module")
def later(official, tmp_path_factory):
    request = BuildRequest(
        out=tmp_path_factory.mktemp("coda") / "suite",
        sources={"tasks": official / "coda_bench.json"},
        release="v1.0.1",
    )
    return CodaBenchLoader().load(request)


def rooms(suite, subset="full"):
    return {task_id: suite.tasks[task_id].data[0].room for task_id in suite.subset(subset)}


def test_full_and_hard_have_the_published_sizes(suite):
    assert (len(suite.tasks), len(suite.subset("hard"))) == (1009, 119)
    assert (len(set(rooms(suite).values())), len(set(rooms(suite, "hard").values()))) == (31, 15)
    assert suite.info.release == "v1.0.0"


def test_communities_have_the_published_numbers_of_tasks(suite):
    counts = Counter(rooms(suite).values())
    assert [counts[f"community_{number}"] for number in (27, 28, 31, 26, 29, 52, 17)] == [258, 138, 113, 100, 49, 2, 1]
    hard = Counter(rooms(suite, "hard").values())
    assert [hard[f"community_{number}"] for number in (27, 28, 31, 41, 49)] == [35, 27, 23, 8, 5]


def test_hard_is_found_by_content_for_its_numbers_mean_other_tasks(suite, official):
    assert suite.subset("hard")[:4] == ("39", "44", "51", "54")
    for number, record in enumerate(read_json(official / "coda_bench_hard.json")):
        assert suite.tasks[str(number)].question != record["question"]


def test_the_rooms_of_the_later_release_are_as_published(suite, later):
    before, after = rooms(suite), rooms(later)
    moved = {task_id for task_id in before if before[task_id] != after[task_id]}
    hard = set(suite.subset("hard"))
    assert (len(moved), len(moved & hard)) == (186, 16)
    assert (len(set(after.values())), len({after[task_id] for task_id in hard})) == (49, 22)
    assert later.digest != suite.digest
    assert later.info.release == "v1.0.1"


def test_what_the_agent_sees_names_no_file_data_set_or_notebook(suite, official):
    records = {str(record["instance_id"]): record for record in read_json(official / "coda_bench.json")}
    for task in suite.tasks.values():
        record = records[task.id]
        shown = task.model_dump_json()
        assert set(task.to_json()) <= {"id", "question", "guidelines", "data", "outputs", "limits"}
        assert task.to_json()["outputs"] == [{"file": "result.txt"}]
        for hidden in (record["notebook"], record["reference_code"]):
            assert hidden not in shown
        for required in suite.golds[task.id].required_files:
            assert required.path not in shown or required.path in record["question"]  # 61 asks for a file by its name


def test_golds_hold_answer_solution_and_required_files(suite):
    assert all(gold.answer for gold in suite.golds.values())
    assert sum(gold.discovery_known for gold in suite.golds.values()) == 999
    assert [task_id for task_id, gold in suite.golds.items() if gold.solution is None] == ["907"]


def test_answer_parts_have_the_published_kinds(suite):
    kinds = Counter(part_type(part) for gold in suite.golds.values() for part in parts_of(gold.answer))
    assert kinds["range"] + kinds["text_with_digits"] == 26 + 159
    assert {name: kinds[name] for name in kinds if name not in {"range", "text_with_digits"}} == {
        "integer": 612,
        "percent": 498,
        "text": 487,
        "float": 312,
        "key_number": 87,
        "thousands": 61,
        "number_unit": 44,
        "date": 13,
        "yes_no": 11,
        "currency": 3,
    }
    parts = Counter(label.extra["parts"] for label in suite.labels.values())
    assert [parts[number] for number in (1, 2, 3, 4)] == [243, 473, 166, 78]


def test_the_hard_file_alone_is_a_suite_of_hard_tasks(official, tmp_path):
    suite = CodaBenchLoader().load(
        BuildRequest(out=tmp_path / "hard", sources={"hard": official / "coda_bench_hard.json"})
    )
    assert len(suite.subset("hard")) == len(suite.tasks) == 119


def test_building_twice_gives_the_same_suite(suite, official, tmp_path):
    again = CodaBenchLoader().load(
        BuildRequest(out=tmp_path / "again", sources={"tasks": official / "coda_bench.json"})
    )
    assert (again.digest, again.gold_digest) == (suite.digest, suite.gold_digest)
