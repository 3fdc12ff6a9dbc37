"""Fetching, from a folder and from a hub that runs on this machine's loopback."""

import json

import pytest

from benchwright.errors import EnvironmentFault, InputError, SuiteError
from benchwright.suites.base import BuildRequest, FetchRequest
from benchwright.suites.coda_bench import CodaBenchLoader

pytestmark = pytest.mark.usefixtures("own_home")

pytest.importorskip("huggingface_hub")
RECORD = {
    "instance_id": 0,
    "question": "How many rows?",
    "answer": "1",
    "answer_guidelines": "An integer.",
    "reference_code": "import pandas as pd\nprint(len(pd.read_csv('shop/source/a.csv')))",
    "dataset": "shop",
    "notebook": "n",
    "release_community": "community_7",
}


@pytest.fixture
def published(tmp_path, archive):
    folder = tmp_path / "published"
    (folder / "archives").mkdir(parents=True)
    (folder / "coda_bench.json").write_text(json.dumps([RECORD]))
    (folder / "coda_bench_hard.json").write_text(json.dumps([RECORD]))
    (folder / "README.md").write_text("read me")
    for number in (7, 8):
        name = f"community_{number}.tar.zst"
        archive(folder / "archives", {f"data/community_{number}/full_community/shop/source/a.csv": b"x\n1\n"}, name)
    return folder


@pytest.fixture
def hub(published, serve):
    return serve(published, "o/coda")


def fetch(hub, into, **values):
    return CodaBenchLoader().fetch(FetchRequest(into=into, origin="o/coda", endpoint=hub.address, **values))


def test_what_a_hub_publishes_is_fetched_and_builds(hub, tmp_path):
    sources = fetch(hub, tmp_path / "got")
    suite = CodaBenchLoader().load(BuildRequest(out=tmp_path / "suite", sources=sources))
    assert suite.info.rooms["community_7"].files == 1
    assert suite.golds["0"].required_files[0].matches == ("shop/source/a.csv",)
    assert not (tmp_path / "got" / "README.md").exists()
    assert json.loads((tmp_path / "got" / "fetched.json").read_text())["revision"] == hub.commit


def test_only_the_rooms_wanted_are_fetched(hub, tmp_path):
    fetch(hub, tmp_path / "got", rooms=("community_8",))
    assert [path.name for path in (tmp_path / "got" / "archives").iterdir()] == ["community_8.tar.zst"]
    sources = fetch(hub, tmp_path / "texts", rooms=())
    assert set(sources) == {"tasks", "hard"}
    with pytest.raises(InputError, match=r"no archive of the room 'community_9'(.|\n)*community_7"):
        fetch(hub, tmp_path / "got", rooms=("community_9",))


def test_what_is_there_is_not_fetched_again(hub, tmp_path):
    fetch(hub, tmp_path / "got")
    before = len([1 for method, path in hub.asked if method == "GET" and "/resolve/" in path])
    fetch(hub, tmp_path / "got")
    assert before == len([1 for method, path in hub.asked if method == "GET" and "/resolve/" in path]) > 0


def test_an_archive_that_was_changed_on_the_way_is_refused_by_the_build(hub, tmp_path):
    hub.corrupt = "archives/community_7.tar.zst"
    sources = fetch(hub, tmp_path / "got")
    with pytest.raises(SuiteError, match=r"not the archive that its manifest names|damaged"):
        CodaBenchLoader().load(BuildRequest(out=tmp_path / "suite", sources=sources))
    assert not (tmp_path / "suite").exists()


def test_a_folder_on_this_machine_is_used_where_it_lies(published, tmp_path):
    sources = CodaBenchLoader().fetch(FetchRequest(into=tmp_path / "unused", origin=str(published)))
    assert sources == {
        "tasks": published / "coda_bench.json",
        "hard": published / "coda_bench_hard.json",
        "data": published,
    }
    assert not (tmp_path / "unused").exists()


def test_a_folder_without_the_task_file_is_refused(tmp_path):
    with pytest.raises(SuiteError, match=r"holds no coda_bench.json"):
        CodaBenchLoader().fetch(FetchRequest(into=tmp_path / "x", origin=str(tmp_path)))


@pytest.mark.parametrize("origin", ["/no/such", "./no-such", "~/no-such"])
def test_a_path_that_is_no_folder_is_not_looked_for_on_a_hub(hub, tmp_path, origin):
    with pytest.raises(InputError, match="no such folder"):
        CodaBenchLoader().fetch(FetchRequest(into=tmp_path / "x", origin=origin, endpoint=hub.address))
    assert hub.asked == []


def test_an_unknown_repository_and_a_dead_hub_are_said_in_plain_words(hub, tmp_path):
    with pytest.raises(InputError, match="cannot fetch o/none"):
        CodaBenchLoader().fetch(FetchRequest(into=tmp_path / "x", origin="o/none", endpoint=hub.address))
    with pytest.raises(EnvironmentFault, match="cannot fetch o/coda"):
        CodaBenchLoader().fetch(FetchRequest(into=tmp_path / "x", origin="o/coda", endpoint="http://127.0.0.1:1"))
