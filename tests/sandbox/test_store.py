import os
import time
from pathlib import Path

import pytest

from benchwright.errors import SuiteError
from benchwright.files import folder_digest, index_folder
from benchwright.sandbox.base import Exec, Room, SandboxSpec, Shell
from benchwright.sandbox.namespace import NamespaceProvider
from benchwright.sandbox.store import RoomStore, signature
from benchwright.task import Limits

pytestmark = pytest.mark.usefixtures("own_home")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "room"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.csv").write_text("a\n1\n")
    (folder / "deep" / "b.csv").write_text("b\n2\n")
    return folder


def digest(folder):
    return folder_digest(index_folder(folder))


def test_a_room_that_holds_what_it_should_passes(folder):
    assert RoomStore().check(Room("r", folder, sha256=digest(folder))) is None
    assert len(list(Path(os.environ["BENCHWRIGHT_HOME"], "checked").iterdir())) == 1


@pytest.mark.parametrize("change", ["edit", "edit and set the time back", "add", "remove", "rename"])
def test_a_room_that_was_changed_is_refused_also_after_it_passed_once(folder, change):
    room = Room("r", folder, sha256=digest(folder))
    RoomStore().check(room)
    before = os.stat(folder / "a.csv")
    match change:
        case "add":
            (folder / "new").write_text("")
        case "remove":
            (folder / "a.csv").unlink()
        case "rename":
            (folder / "a.csv").rename(folder / "c.csv")
        case _:
            time.sleep(0.01)
            (folder / "a.csv").write_text("a\n2\n")
    if "time" in change:
        os.utime(folder / "a.csv", ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(SuiteError, match="room r does not hold"):
        RoomStore().check(room)


def test_what_passed_is_not_hashed_again(folder, monkeypatch):
    room = Room("r", folder, sha256=digest(folder))
    RoomStore().check(room)
    note = next(Path(os.environ["BENCHWRIGHT_HOME"], "checked").iterdir())
    assert signature(folder) in note.read_text()
    written = note.stat().st_mtime_ns
    RoomStore().check(room)
    assert note.stat().st_mtime_ns == written


def test_a_sandbox_does_not_start_on_a_changed_room(folder):
    folder.chmod(0o755)
    with NamespaceProvider() as provider:
        with pytest.raises(SuiteError, match="room r does not hold what its suite says"):
            provider.open(SandboxSpec(rooms=(Room("r", folder, sha256="0" * 64),)))
        with provider.open(SandboxSpec(rooms=(Room("r", folder, sha256=digest(folder)),))) as sandbox:
            assert sandbox.run(Exec(("cat", "/data/a.csv"))).stdout == b"a\n1\n"


def test_attempts_share_one_copy_and_none_sees_what_another_wrote(folder):
    room, before = Room("r", folder, writable=True), digest(folder)
    with NamespaceProvider() as provider:
        with provider.open(SandboxSpec(rooms=(room,))) as one, provider.open(SandboxSpec(rooms=(room,))) as other:
            one.run(Shell("echo changed > /data/a.csv; echo x > /data/new; rm -r /data/deep"))
            assert other.run(Shell("cat /data/a.csv; ls /data")).stdout == b"a\n1\na.csv\ndeep\n"
        with provider.open(SandboxSpec(rooms=(room,))) as later:
            assert later.run(Shell("cat /data/a.csv; ls /data")).stdout == b"a\n1\na.csv\ndeep\n"
    assert digest(folder) == before


def test_a_writable_rooms_layer_counts_towards_the_disk_limit(folder):
    room = Room("r", folder, writable=True)
    with (
        NamespaceProvider() as provider,
        provider.open(SandboxSpec(rooms=(room,), limits=Limits(disk_mb=20))) as sandbox,
    ):
        outcome = sandbox.run(Shell("head -c 40M /dev/zero > /data/big"))
        assert b"No space left" in outcome.stderr
        assert outcome.limit == "disk"


def test_several_rooms_lie_side_by_side_and_inside_each_other(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "x").write_text("x")
    rooms = (Room("a", folder, "/data"), Room("b", other, "/data/deep"), Room("c", other, "/srv/more"))
    with NamespaceProvider() as provider, provider.open(SandboxSpec(rooms=rooms)) as sandbox:
        assert sandbox.run(Shell("cat /data/a.csv /data/deep/x /srv/more/x")).stdout == b"a\n1\nxx"
