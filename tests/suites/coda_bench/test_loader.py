import json

import pytest

from benchwright.errors import InputError, SuiteError
from benchwright.suites.base import BuildRequest
from benchwright.suites.coda_bench import CodaBenchLoader


def record(number, **values):
    return {
        "instance_id": number,
        "question": f"How many rows has table {number}?",
        "answer": str(number),
        "answer_guidelines": "An integer.",
        "reference_code": f"import pandas as pd\nprint(len(pd.read_csv('my_shop/source/t{number}.csv')))",
        "dataset": "my-shop",
        "notebook": "a-notebook",
        "release_community": "community_27",
    } | values


def build(folder, records, *, hard=None, release="", data=None, tasks="coda_bench.json"):
    sources = {}
    if records is not None:
        (folder / tasks).write_text(records if isinstance(records, str) else json.dumps(records))
        sources["tasks"] = folder / tasks
    if hard is not None:
        (folder / "hard.json").write_text(json.dumps(hard))
        sources["hard"] = folder / "hard.json"
    if data:
        sources["data"] = data
    return CodaBenchLoader().load(BuildRequest(out=folder / "suite", sources=sources, release=release))


def test_both_releases_are_read_and_unknown_keys_are_no_error(tmp_path):
    later = record(
        0, data_path="communities/community_1/full_community", source_type="x", source_community="27", new=[1]
    )
    suite = build(tmp_path, [later])
    assert (suite.info.release, suite.tasks["0"].data[0].room) == ("v1.0.1", "community_1")
    assert build(tmp_path, [record(0, new=1)]).info.release == "v1.0.0"


def test_rooms_move_only_for_the_published_tasks(tmp_path):
    suite = build(tmp_path, [record(0), record(33), record(189), record(190)], release="1.0.1")
    assert [task.data[0].room for task in suite.tasks.values()] == [
        "community_1", "community_27", "community_1", "community_27",
    ]  # fmt: skip


def test_hard_membership_is_by_content(tmp_path):
    suite = build(tmp_path, [record(0), record(1), record(2)], hard=[record(2) | {"instance_id": 0}])
    assert suite.subset("hard") == ("2",)


def test_a_hard_file_beside_the_tasks_is_found(tmp_path):
    (tmp_path / "coda_bench_hard.json").write_text(json.dumps([record(1) | {"instance_id": 0}]))
    assert build(tmp_path, [record(0), record(1)]).subset("hard") == ("1",)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ("{", "not valid JSON"),
        ("{}", "not a CoDA-Bench file"),
        ("[]", "no tasks"),
        ([record(0), record(1, answer=5)], r"record 1 \(instance_id 1\): answer is wrong"),
        ([record(0), {"instance_id": 7}], r"record 1 \(instance_id 7\): question is wrong"),
        ([record(0), 5], "record 1: the record is wrong"),
        ([record(0), record(0)], "record 1: instance_id 0 stands twice"),
        ([record(0, instance_id=-1)], "instance_id is wrong"),
        ([record(0, release_community="../up")], "release_community is wrong"),
        ([record(0), record(1, data_path="communities/community_1")], "mix two releases"),
    ],
)
def test_a_wrong_file_names_record_and_field(tmp_path, records, message):
    with pytest.raises(InputError, match=message):
        build(tmp_path, records)
    assert not (tmp_path / "suite").exists()


def test_the_hard_file_given_as_the_tasks_makes_a_suite_of_hard_tasks_and_says_so(tmp_path):
    said = []
    (tmp_path / "coda_bench_hard.json").write_text(json.dumps([record(0), record(1)]))
    sources = {"tasks": tmp_path / "coda_bench_hard.json"}
    suite = CodaBenchLoader().load(BuildRequest(out=tmp_path / "suite", sources=sources, progress=said.append))
    assert suite.subset("hard") == suite.subset("full") == ("0", "1")
    assert said == ["the hard file alone numbers its tasks anew: predictions for the full file are of other tasks"]


def test_a_hard_task_that_is_not_in_the_full_file_is_refused(tmp_path):
    with pytest.raises(SuiteError, match=r"hard.json, record 0 .*no such task"):
        build(tmp_path, [record(0)], hard=[record(9)])


def test_releases_that_cannot_be_had_are_refused(tmp_path):
    later = record(0, data_path="communities/community_1/full_community")
    with pytest.raises(SuiteError, match="cannot be had"):
        build(tmp_path, [later], release="v1.0.0")
    with pytest.raises(SuiteError, match="unknown release"):
        build(tmp_path, [later], release="v2")
    with pytest.raises(SuiteError, match="hard file alone"):
        build(tmp_path, None, hard=[record(0)], release="v1.0.1")


def test_no_tasks_and_unknown_sources_are_refused(tmp_path):
    with pytest.raises(SuiteError, match="built from its task file"):
        build(tmp_path, None)
    with pytest.raises(SuiteError, match="no source 'taks'"):
        CodaBenchLoader().load(BuildRequest(out=tmp_path / "s", sources={"taks": tmp_path}))


def test_a_folder_that_is_no_suite_is_not_overwritten(tmp_path):
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "precious.txt").write_text("x")
    with pytest.raises(SuiteError, match="in the way"):
        build(tmp_path, [record(0)])
    assert (tmp_path / "suite" / "precious.txt").read_text() == "x"


def test_unpacked_data_are_used_where_they_lie_and_give_paths_their_spelling(tmp_path):
    room = tmp_path / "data" / "communities" / "community_27" / "full_community"
    (room / "my-shop" / "source").mkdir(parents=True)
    (room / "my-shop" / "source" / "t0.csv").write_text("a\n1\n")
    (room / "copy" / "source").mkdir(parents=True)
    (room / "copy" / "source" / "x.csv").write_text("a\n1\n")
    suite = build(tmp_path, [record(0), record(1)], data=tmp_path / "data")
    assert suite.room_path("community_27") == room
    assert suite.info.rooms["community_27"].files == 2
    assert [entry.path for entry in suite.room_index("community_27")] == ["copy/source/x.csv", "my-shop/source/t0.csv"]
    (found,) = suite.golds["0"].required_files
    assert (found.path, found.matches, found.copies) == (
        "my-shop/source/t0.csv",
        ("my-shop/source/t0.csv",),
        ("copy/source/x.csv",),
    )
    (missing,) = suite.golds["1"].required_files
    assert (missing.path, missing.matches) == ("my_shop/source/t1.csv", ())


def test_a_data_folder_without_any_community_is_refused(tmp_path):
    (tmp_path / "data").mkdir()
    with pytest.raises(SuiteError, match="holds no community"):
        build(tmp_path, [record(0)], data=tmp_path / "data")
