"""Suites as data sets of the hub: written, pushed to a hub on loopback, read back, and read by others."""

import json
import shutil
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest
import yaml
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.errors import EnvironmentFault, InputError, SuiteError
from benchwright.publishing.hugging_face import Target, export_hugging_face, push
from benchwright.suite import RoomInfo, Suite
from benchwright.suites import loader
from benchwright.suites.base import BuildRequest, FetchRequest

sys.path.insert(0, str(Path(__file__).parent))
from hub import serving

TOKEN = "hf_" + "s" * 34


@pytest.fixture
def hub():
    with serving() as made:
        yield made


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    """No token and no cache of this machine's user."""
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf_home"))
    monkeypatch.delenv("HF_TOKEN", raising=False)


def visibility(hub):
    """What a new repository was asked to be, in the words of any release of the hub's library."""
    return hub.created.get("visibility") or ("private" if hub.created.get("private") else "public")


def build(folder, out):
    return loader("hugging_face").load(BuildRequest(out=out, sources={"repository": folder}))


def test_a_suite_comes_back_from_its_folder_with_the_same_digests(small, tmp_path):
    export_hugging_face(small, tmp_path / "hf", gold=True)
    back = build(tmp_path / "hf", tmp_path / "back")
    assert (back.digest, back.gold_digest) == (small.digest, small.gold_digest)
    assert back.tasks == small.tasks
    assert back.labels == small.labels
    assert back.room_index("shop") == small.room_index("shop")
    assert (back.room_path("shop") / "north" / "ünïcode name.txt").read_text() == "a note\n"


def test_the_built_in_suite_comes_back_with_the_same_digests(lake, tmp_path):
    export_hugging_face(lake, tmp_path / "hf", gold=True)
    back = build(tmp_path / "hf", tmp_path / "back")
    assert (back.digest, back.gold_digest) == (lake.digest, lake.gold_digest)


def test_nothing_of_the_gold_is_written_but_with_gold(small, tmp_path):
    export_hugging_face(small, tmp_path / "hf", gold=False)
    texts = [path.read_bytes() for path in (tmp_path / "hf").rglob("*") if path.is_file()]
    assert not (tmp_path / "hf" / "gold").exists()
    assert not any(b"DictReader" in text or b"required" in text for text in texts)
    assert not build(tmp_path / "hf", tmp_path / "back").has_gold
    export_hugging_face(small, tmp_path / "hf", gold=True)
    assert any(b"DictReader" in path.read_bytes() for path in (tmp_path / "hf" / "gold").rglob("*.jsonl"))


def test_the_tables_are_read_by_polars_and_duckdb_and_the_card_names_them(small, tmp_path):
    folder = tmp_path / "hf"
    export_hugging_face(small, folder, gold=True)
    head = yaml.safe_load((folder / "README.md").read_text().split("---")[1])
    for config in head["configs"]:
        for split in config["data_files"]:
            assert pl.read_parquet(folder / split["path"]).height > 0
    assert {config["config_name"] for config in head["configs"]} == {"tasks", "gold"}
    assert head["license"] == "apache-2.0"
    tasks = folder / "parquet" / "tasks" / "test.parquet"
    assert duckdb.sql(f"SELECT id, skills FROM '{tasks}' WHERE domain = 'shops' ORDER BY id").fetchall() == [
        ("table", []),
        ("total", ["sum"]),
    ]
    assert pl.read_parquet(folder / "parquet" / "gold" / "test.parquet")["answer"].to_list() == ["42", "42", None, None]


def test_a_push_and_a_fetch_give_the_same_suite_and_the_token_is_written_nowhere(small, hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    command = ["export", "hf", str(small.folder), "--out", str(tmp_path / "hf"), "--with-gold"]
    told = CliRunner().invoke(app, [*command, "--push", "acme/small", "--endpoint", hub.address])
    assert told.exit_code == 0, told.output
    assert visibility(hub) == "private"
    assert f"Bearer {TOKEN}" in {authorization for _, _, authorization in hub.seen}
    out = tmp_path / "back"
    into = tmp_path / "into"
    fetch = ["suites", "fetch", "hugging_face", "--from", "acme/small", "--endpoint", hub.address]
    read = CliRunner().invoke(app, [*fetch, "--into", str(into), "--out", str(out)])
    assert read.exit_code == 0, read.output
    back = Suite.open(out)
    assert (back.digest, back.gold_digest) == (small.digest, small.gold_digest)
    assert not list(into.rglob("*.parquet"))
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in written if TOKEN.encode() in path.read_bytes()]
    assert not [name for name, data in hub.files.items() if TOKEN.encode() in data]
    assert TOKEN not in told.output + read.output


def test_a_push_without_gold_takes_away_the_gold_of_an_earlier_one_and_leaves_what_is_not_ours(small, hub, tmp_path):
    export_hugging_face(small, tmp_path / "hf", gold=True)
    push(tmp_path / "hf", Target("acme/small", hub.address, token=TOKEN), "first")
    hub.files["NOTES.md"] = b"of a person"
    assert [name for name in hub.files if name.startswith("gold/")]
    export_hugging_face(small, tmp_path / "hf", gold=False)
    push(tmp_path / "hf", Target("acme/small", hub.address, public=True, token=TOKEN), "second")
    assert not [name for name in hub.files if "gold" in name]
    assert "NOTES.md" in hub.files
    assert visibility(hub) == "public"


def test_gold_does_not_go_to_a_repository_that_is_public_already_but_with_public(small, hub, tmp_path):
    hub.public = True
    export_hugging_face(small, tmp_path / "hf", gold=True)
    with pytest.raises(InputError, match="is public"):
        push(tmp_path / "hf", Target("acme/small", hub.address, token=TOKEN), "x")
    assert not hub.files
    push(tmp_path / "hf", Target("acme/small", hub.address, public=True, token=TOKEN), "x")
    assert hub.files


def test_rooms_can_stay_behind_and_be_fetched_by_name(small, hub, tmp_path):
    export_hugging_face(small, tmp_path / "bare", gold=False, data=False)
    assert not (tmp_path / "bare" / "data").exists()
    bare = build(tmp_path / "bare", tmp_path / "built")
    assert bare.digest == small.digest
    assert bare.room_index("shop") == small.room_index("shop")
    export_hugging_face(small, tmp_path / "hf", gold=False)
    push(tmp_path / "hf", Target("acme/small", hub.address, token=TOKEN), "all")
    family = loader("hugging_face")
    for rooms, files in ((("shop",), 2), ((), 0)):
        request = FetchRequest(tmp_path / f"into{files}", "acme/small", hub.address, rooms=rooms)
        folder = family.fetch(request)["repository"]
        assert len([path for path in (folder / "data").rglob("*") if path.is_file()] if rooms else []) == files


def test_without_a_token_nothing_is_sent_and_a_hub_that_refuses_is_named(small, hub, tmp_path):
    export_hugging_face(small, tmp_path / "hf", gold=False)
    with pytest.raises(InputError, match="no token"):
        push(tmp_path / "hf", Target("acme/small", hub.address), "x")
    assert not hub.seen
    hub.refuses = True
    with pytest.raises(EnvironmentFault, match="cannot push") as refused:
        push(tmp_path / "hf", Target("acme/small", hub.address, token=TOKEN), "x")
    assert TOKEN not in str(refused.value)
    assert TOKEN not in repr(Target("acme/small", token=TOKEN))


def test_changed_data_are_refused_when_read_back(small, tmp_path):
    export_hugging_face(small, tmp_path / "hf", gold=False)
    (tmp_path / "hf" / "data" / "shop" / "north" / "sales.csv").write_text("month,amount\njan,11\n")
    with pytest.raises(SuiteError, match="have changed"):
        build(tmp_path / "hf", tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_repository_cannot_reach_this_machines_files(small, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("private")
    export_hugging_face(small, tmp_path / "hf", gold=False)
    told = (tmp_path / "hf" / "suite.toml").read_text()
    (tmp_path / "hf" / "suite.toml").write_text(f'{told}\npath = "{secret}"\n')
    assert Suite.open(tmp_path / "hf").info.rooms["shop"].path == str(secret)  # else this test shows nothing
    shutil.rmtree(tmp_path / "hf" / "data")
    back = build(tmp_path / "hf", tmp_path / "back")
    assert not list(back.folder.rglob("key"))
    assert back.room_path("shop").is_relative_to(back.folder)
    (tmp_path / "hf" / "data").symlink_to(secret)
    with pytest.raises(SuiteError, match="holds a link"):
        build(tmp_path / "hf", tmp_path / "again")
    (tmp_path / "hf" / "data").unlink()
    (tmp_path / "hf" / "suite.toml").write_text('prompt = "../secret/key"\n' + told)
    with pytest.raises(SuiteError, match="prompt"):
        build(tmp_path / "hf", tmp_path / "again")


def test_gold_that_is_withheld_cannot_be_written_and_other_releases_are_refused(small, tmp_path):
    export_hugging_face(small, tmp_path / "hf", gold=False)
    with pytest.raises(SuiteError, match="another release"):
        loader("hugging_face").load(BuildRequest(tmp_path / "back", {"repository": tmp_path / "hf"}, release="7"))
    with pytest.raises(SuiteError, match="no repository"):
        loader("hugging_face").load(BuildRequest(tmp_path / "back"))
    (small.folder / "gold" / "gold.jsonl").unlink()
    with pytest.raises(InputError, match="holds no gold"):
        export_hugging_face(Suite.open(small.folder), tmp_path / "other", gold=True)
    assert isinstance(
        CliRunner()
        .invoke(app, ["export", "hf", str(small.folder), "--out", str(tmp_path / "x"), "--public"])
        .exception,
        InputError,
    )


def test_cards_hold_hostile_names_as_text(small, tmp_path):
    info = small.info.model_copy(
        update={
            "title": 'a "b" : {c}\n---\nlicense: mit',
            "licence": "ours: read it\n---",
            "rooms": {"shop": RoomInfo()},
        }
    )
    hostile = Suite.write(tmp_path / "hostile", info, small.tasks.values())
    shutil.copytree(small.folder / "data", tmp_path / "hostile" / "data")
    export_hugging_face(hostile, tmp_path / "hf", gold=False)
    head = yaml.safe_load((tmp_path / "hf" / "README.md").read_text().split("\n---\n")[0])
    assert head["license"] == "other"
    assert head["pretty_name"] == info.title
    assert json.dumps(head)
