"""A program of ours that is killed before it said that it is ready is begun again; one that fails by itself is not."""

import pytest

from benchwright.errors import EnvironmentFault
from benchwright.process import Process

PROGRAM = """
import os, signal, sys
from pathlib import Path
begun = Path(sys.argv[1])
begun.write_text(begun.read_text() + "x")
if len(begun.read_text()) <= int(sys.argv[2]):
    {end}
print("ready", flush=True)
for line in sys.stdin:
    print("heard " + line, end="", flush=True)
"""


@pytest.fixture
def begun(tmp_path, monkeypatch):
    """A module that ends at its first starts, and where it counts them."""

    def written(end):
        (tmp_path / "unlucky.py").write_text(PROGRAM.format(end=end))
        (tmp_path / "begun").write_text("")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        return tmp_path / "begun"

    return written


def test_a_start_that_was_killed_is_made_again(begun):
    count = begun("os.kill(os.getpid(), signal.SIGKILL)")
    with Process("unlucky", (str(count), "2")) as process:
        process.hand_in(b"hello\n")
        assert process.next() == b"heard hello\n"
    assert count.read_text() == "xxx"


def test_a_start_that_is_killed_again_and_again_is_an_error(begun):
    count = begun("os.kill(os.getpid(), signal.SIGKILL)")
    with Process("unlucky", (str(count), "9")) as process, pytest.raises(EnvironmentFault, match="signal SIGKILL"):
        process.hand_in(b"hello\n")
    assert count.read_text() == "xxx"


def test_a_program_that_fails_at_its_start_is_begun_once(begun):
    count = begun("sys.exit('no such thing')")
    with Process("unlucky", (str(count), "9")) as process, pytest.raises(EnvironmentFault, match="no such thing"):
        process.hand_in(b"hello\n")
    assert count.read_text() == "x"
