import os
import signal
import subprocess
import sys

import pytest

from benchwright.errors import EnvironmentFault, SuiteError
from benchwright.files import sha256_file
from benchwright.suites.room_store import RoomStore


def leftovers(store):
    return [path.name for path in store.folder.iterdir() if path.name.endswith(".partial")]


def test_an_archive_is_unpacked_once(tmp_path, archive):
    store = RoomStore(tmp_path / "rooms")
    path = archive(tmp_path, {"a/b.csv": b"1"})
    first = store.unpacked(path)
    mark = (first.folder / "a" / "b.csv").stat().st_ino
    again = store.unpacked(path, sha256_file(path))
    assert (again.index, (again.folder / "a" / "b.csv").stat().st_ino) == (first.index, mark)


def test_a_refused_archive_leaves_nothing(tmp_path, archive):
    store = RoomStore(tmp_path / "rooms")
    with pytest.raises(SuiteError, match="leads out of the archive"):
        store.unpacked(archive(tmp_path, {"a.csv": b"1", "../b.csv": b"2"}))
    with pytest.raises(SuiteError, match="manifest"):
        store.unpacked(archive(tmp_path, {"a.csv": b"1"}), "f" * 64)
    assert [path.name for path in store.folder.iterdir() if path.is_dir()] == []


CHILD = """
import os, sys
from pathlib import Path
from benchwright.suites.room_store import RoomStore
opened = 0
def die(event, arguments):
    global opened
    if event == "open" and str(arguments[0]).endswith(".csv"):
        opened += 1
        if opened == int(sys.argv[3]):
            os.kill(os.getpid(), 9)
sys.addaudithook(die)
print("start", flush=True)
RoomStore(Path(sys.argv[1])).unpacked(Path(sys.argv[2]))
"""


def test_a_killed_unpacking_is_cleared_away_and_done_again(tmp_path, archive):
    store = RoomStore(tmp_path / "rooms")
    path = archive(tmp_path, {f"{n}.csv": os.urandom(1000) for n in range(400)})
    done = subprocess.run([sys.executable, "-c", CHILD, store.folder, path, "100"], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert leftovers(store)
    assert len(store.unpacked(path).index) == 400
    assert leftovers(store) == []


def test_two_at_once_unpack_once(tmp_path, archive):
    store = RoomStore(tmp_path / "rooms")
    path = archive(tmp_path, {f"{n}.csv": b"x" * 100 for n in range(500)})
    children = [
        subprocess.Popen([sys.executable, "-c", CHILD, store.folder, path, "-1"], stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [child.communicate()[0] and child.returncode for child in children] == [0, 0, 0]
    assert len([path for path in store.folder.iterdir() if path.is_dir()]) == 1


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_disk_too_small_is_said_before_and_nothing_is_left(tmp_path, archive):
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=True)
    try:
        store = RoomStore(disk / "rooms")
        with pytest.raises(EnvironmentFault, match="too little space"):
            store.unpacked(archive(tmp_path, {"a": os.urandom(2 << 20)}))
        with pytest.raises(EnvironmentFault, match="disk is full"):
            store.unpacked(archive(tmp_path, {f"{n}.csv": b"0123456789" * 30_000 for n in range(10)}))
        assert leftovers(store) == []
    finally:
        subprocess.run(["umount", disk], check=True)
