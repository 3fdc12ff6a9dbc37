"""Fetching, from a folder and from a hub that runs on this machine's loopback."""

import json

import pytest

from benchwright.errors import InputError, SuiteError
from benchwright.suites.agentic_data_bench import AgenticDataBenchLoader
from benchwright.suites.base import BuildRequest, FetchRequest

pytestmark = pytest.mark.usefixtures("own_home")

RECORD = {
    "skills": ["Counting"],
    "question": "How many units were sold? Write output.csv.",
    "data_sources": ["sales.csv"],
    "output_file_name": ["output.csv"],
    "gold_file_name": ["result.csv"],
    "eval_func": ["compare_csv('output.csv', 'result.csv')"],
}


@pytest.fixture(params=["top", "repository"])
def published(request, tmp_path, archive):
    """The files as they may lie: all at the top, or as in the benchmark's own repository; shop unpacked, loan packed."""
    top = tmp_path / "published"
    prefix = "" if request.param == "top" else "testbed/"
    files = {
        f"{prefix}gold/shop_1/result.csv": "units\n1\n",
        f"{prefix}datasets/shop/sales.csv": "units\n1\n",
        "tasks.jsonl" if request.param == "top" else "testbed/tasks/dev.jsonl": "".join(
            json.dumps({"id": f"{domain}_1", "domain": room, **RECORD}) + "\n"
            for domain, room in (("shop", "shop"), ("loan", "loan/loan_1"))
        ),
        "step-clusters.jsonl" if request.param == "top" else "skill_cluster/data/step-clusters.jsonl": json.dumps(
            {"name": "Counting", "type": "Statistics", "cluster": []}
        ),
        "README.md": "read me",
    }
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    archive(top / prefix / "datasets", {"loan/loan_1/sales.csv": b"units\n"}, "loan.tar.zst")
    return top


def fetch(hub, into, **values):
    pytest.importorskip("huggingface_hub")
    return AgenticDataBenchLoader().fetch(FetchRequest(into=into, origin="o/adb", endpoint=hub.address, **values))


def build(folder, sources):
    return AgenticDataBenchLoader().load(BuildRequest(out=folder, sources=sources))


def test_what_a_hub_publishes_is_fetched_and_builds(published, serve, tmp_path):
    hub = serve(published, "o/adb")
    suite = build(tmp_path / "suite", fetch(hub, tmp_path / "got"))
    assert suite.subset("gold_complete") == ("shop_1",)
    assert suite.label("shop_1").categories == ("Data Analysis",)
    assert {name: room.files for name, room in suite.info.rooms.items()} == {"shop": 1, "loan/loan_1": 1}
    assert not (tmp_path / "got" / "README.md").exists()
    record = json.loads((tmp_path / "got" / "fetched.json").read_text())
    assert (record["revision"], len(record["files"])) == (hub.commit, 5)


def test_only_the_domains_wanted_are_fetched(published, serve, tmp_path):
    hub = serve(published, "o/adb")
    suite = build(tmp_path / "suite", fetch(hub, tmp_path / "got", rooms=("shop",)))
    assert {name: room.files for name, room in suite.info.rooms.items()} == {"shop": 1, "loan/loan_1": None}
    assert set(fetch(hub, tmp_path / "texts", rooms=())) == {"tasks", "gold", "skills"}
    with pytest.raises(InputError, match=r"no data of the domain 'moon'(.|\n)*loan, shop"):
        fetch(hub, tmp_path / "got", rooms=("moon",))


def test_an_archive_that_was_changed_on_the_way_is_refused_by_the_build(published, serve, tmp_path):
    hub = serve(published, "o/adb")
    hub.corrupt = next(name for name in map(str, published.rglob("*.zst"))).removeprefix(f"{published}/")
    with pytest.raises(SuiteError, match=r"not the archive that its manifest names|damaged"):
        build(tmp_path / "suite", fetch(hub, tmp_path / "got"))


def test_a_folder_on_this_machine_is_used_where_it_lies(published, tmp_path):
    request = FetchRequest(into=tmp_path / "unused", origin=str(published))
    sources = AgenticDataBenchLoader().fetch(request)
    assert build(tmp_path / "suite", sources).info.rooms["shop"].files == 1
    assert not (tmp_path / "unused").exists()


def test_a_place_has_to_be_named_and_to_hold_tasks(tmp_path):
    with pytest.raises(InputError, match="has to be said"):
        AgenticDataBenchLoader().fetch(FetchRequest(into=tmp_path / "got"))
    with pytest.raises(SuiteError, match="holds no tasks"):
        AgenticDataBenchLoader().fetch(FetchRequest(into=tmp_path / "got", origin=str(tmp_path)))
    with pytest.raises(InputError, match="no such folder"):
        AgenticDataBenchLoader().fetch(FetchRequest(into=tmp_path / "got", origin="./no-such"))
