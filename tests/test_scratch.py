import errno
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from benchwright import scratch
from benchwright.scratch import PREFIX, clear_scratch, scratch_folder

HOLDING = """
import sys, time
from benchwright.scratch import scratch_folder
with scratch_folder("draft") as folder:
    (folder / "left").write_text("x")
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def holder(place):
    """A process that holds a folder, and the folder."""
    environment = {**os.environ, "TMPDIR": str(place)}
    with subprocess.Popen([sys.executable, "-c", HOLDING], stdout=subprocess.PIPE, text=True, env=environment) as other:
        yield other, Path(other.stdout.readline().strip())
        other.kill()


def test_a_folder_is_gone_after_its_block_and_private_within_it(place):
    with scratch_folder("try") as folder:
        assert folder.parent == place
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()


def test_the_folder_of_a_killed_process_is_removed_and_that_of_a_living_one_is_not(place, holder):
    other, folder = holder
    assert clear_scratch(place) == ()
    assert (folder / "left").is_file()
    other.send_signal(signal.SIGKILL)
    other.wait()
    assert clear_scratch(place) == (folder,)
    assert not folder.exists()


def test_making_the_first_folder_clears_what_was_left(place):
    left = place / f"{PREFIX}draft-0123"
    (left / "deep").mkdir(parents=True)
    with scratch_folder("draft"):
        assert not left.exists()


def test_links_files_and_folders_of_other_names_are_left_alone(place):
    (place / "mine").mkdir()
    (place / "mine" / "kept").write_text("x")
    (place / f"{PREFIX}draft-1").symlink_to(place / "mine")
    (place / f"{PREFIX}draft-2").write_text("x")
    (place / "benchwright-other").mkdir()
    assert clear_scratch(place) == ()
    assert (place / "mine" / "kept").is_file()
    assert (place / "benchwright-other").is_dir()


def test_a_folder_that_cannot_be_held_is_an_error_and_is_not_made_again_and_again(place, monkeypatch):
    def none_left(folder):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(scratch, "_open", none_left)
    with pytest.raises(OSError, match="Too many open files"), scratch_folder("full"):
        pass
    assert len(list(place.iterdir())) == 1
