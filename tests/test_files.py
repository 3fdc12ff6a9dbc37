"""What takes a file's place is whole, and a failure leaves nothing beside it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.errors import InputError
from benchwright.files import arriving, write_atomic


def test_a_file_arrives_whole(tmp_path):
    with arriving(tmp_path / "new" / "table.parquet") as partial:
        partial.write_text("whole")
        assert not (tmp_path / "new" / "table.parquet").exists()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["table.parquet"]
    assert (tmp_path / "new" / "table.parquet").read_text() == "whole"


def test_a_failure_leaves_the_earlier_file_and_nothing_else(tmp_path):
    (tmp_path / "kept").write_text("earlier")

    def half():
        with arriving(tmp_path / "kept") as partial:
            partial.write_text("half")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk"):
        half()
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept").read_text() == "earlier"


@pytest.mark.parametrize("letter", ["x", "ä", "名"])
def test_the_longest_names_arrive_too(tmp_path, letter):
    name = letter * (255 // len(letter.encode()))
    with arriving(tmp_path / name) as partial:
        partial.write_text("whole")
    assert (tmp_path / name).read_text() == "whole"


WRITERS = {
    "by name": "with arriving(place) as partial: partial.write_text('half'); print('half', flush=True); input()",
    "by stream": "with replacing(place) as stream: stream.write(b'half'); print('half', flush=True); input()",
}


@pytest.fixture(params=WRITERS)
def half_way(request, tmp_path):
    """A process that has written half a file."""
    text = f"import sys, pathlib; from benchwright.files import *; place = pathlib.Path(sys.argv[1])\n{WRITERS[request.param]}"
    with subprocess.Popen(
        [sys.executable, "-c", text, tmp_path / "table"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout.readline() == b"half\n"
        yield writer
        writer.kill()


def test_what_a_killed_writer_left_is_removed_by_the_next_one(half_way, tmp_path):
    half_way.send_signal(signal.SIGKILL)
    half_way.wait()
    assert [path.name for path in tmp_path.iterdir()] != []  # there is something to remove
    write_atomic(tmp_path / "other", "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_what_another_writer_is_about_to_write_stays(half_way, tmp_path):
    write_atomic(tmp_path / "other", "whole")
    half_way.communicate(b"\n")
    assert (tmp_path / "table").read_text() == "half"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "table"]


def test_nothing_arrives_at_a_device():
    with pytest.raises(InputError, match="no place for a file"), arriving(Path("/dev/null")):
        pass
