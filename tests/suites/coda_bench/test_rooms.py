import json

import pytest

from benchwright.errors import SuiteError
from benchwright.files import sha256_file
from benchwright.suites.coda_bench.rooms import RoomSource
from benchwright.suites.room_store import RoomStore

LAYOUTS = {
    "as published": "data/community_7/full_community/shop/source/a.csv",
    "as the later release": "community_7/full_community/shop/source/a.csv",
    "without an inner folder": "community_7/shop/source/a.csv",
    "bare": "shop/source/a.csv",
}


@pytest.fixture
def store(tmp_path):
    return RoomStore(tmp_path / "store")


def find(folder, store):
    return RoomSource(folder, store, lambda _: None).find("community_7")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("place", [".", "archives"])
def test_the_room_is_found_inside_every_layout_of_archive(tmp_path, archive, store, layout, place):
    (tmp_path / "data" / place).mkdir(parents=True, exist_ok=True)
    archive(tmp_path / "data" / place, {LAYOUTS[layout]: b"1"}, "community_7.tar.zst")
    found = find(tmp_path / "data", store)
    assert [entry.path for entry in found.index] == ["shop/source/a.csv"]
    assert (found.folder / "shop" / "source" / "a.csv").read_bytes() == b"1"


@pytest.mark.parametrize("root", [".", "communities", "data"])
def test_unpacked_rooms_are_found_in_every_place(tmp_path, store, root):
    folder = tmp_path / "data" / root / "community_7" / "full_community" / "shop"
    folder.mkdir(parents=True)
    (folder / "a.csv").write_text("1")
    assert [entry.path for entry in find(tmp_path / "data", store).index] == ["shop/a.csv"]


def test_a_room_that_is_not_there_is_none(tmp_path, store):
    assert find(tmp_path, store) is None


MANIFESTS = {
    "SHA256SUMS": lambda name, digest: f"{digest}  archives/{name}\n",
    "archives.sha256": lambda name, digest: f"{digest.upper()} *{name}\n",
    "archives_manifest.json": lambda name, digest: json.dumps(
        {"archives": [{"path": f"archives/{name}", "sha256": digest, "size": 5}]}
    ),
    "manifest.json": lambda name, digest: json.dumps({"files": {name: {"sha256": digest}}}),
}


@pytest.mark.parametrize("manifest", MANIFESTS)
def test_an_archive_is_held_against_its_manifest(tmp_path, archive, store, manifest):
    path = archive(tmp_path, {LAYOUTS["bare"]: b"1"}, "community_7.tar.zst")
    (tmp_path / manifest).write_text(MANIFESTS[manifest](path.name, sha256_file(path)))
    assert find(tmp_path, store).index
    (tmp_path / manifest).write_text(MANIFESTS[manifest](path.name, "0" * 64))
    with pytest.raises(SuiteError, match="not the archive that its manifest names"):
        find(tmp_path, store)


def test_an_archive_that_the_manifest_does_not_name_is_refused(tmp_path, archive, store):
    archive(tmp_path, {LAYOUTS["bare"]: b"1"}, "community_7.tar.zst")
    (tmp_path / "SHA256SUMS").write_text(f"{'0' * 64}  community_8.tar.zst\n")
    with pytest.raises(SuiteError, match="not in the manifest"):
        find(tmp_path, store)
