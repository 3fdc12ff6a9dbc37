"""A test that fails by chance is tried again and named; what is broken fails, and so do many failures at once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "test"
BY_CHANCE = """
import pathlib, pytest
@pytest.mark.parametrize("number", range({number}))
def test_by_chance(number):
    seen = pathlib.Path("seen-{name}-%s" % number)
    before = seen.exists()
    seen.touch()
    assert before
"""
BROKEN = "def test_broken():\n    assert False\n"
FINE = "def test_fine():\n    pass\n"


def run(folder, files, *arguments):
    (folder / "scripts").mkdir()
    shutil.copy(SCRIPT, folder / "scripts" / "test")
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (folder / ".venv" / "bin" / "python").chmod(0o755)
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    return subprocess.run(
        [folder / "scripts" / "test", "-p", "no:asyncio", *arguments],
        env=clean,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"fine": FINE}, 0),
        ({"fine": FINE, "chance": BY_CHANCE.format(number=3, name="a")}, 0),
        ({"chance": BY_CHANCE.format(number=4, name="a")}, 1),
        ({"chance": BY_CHANCE.format(number=1, name="a"), "broken": BROKEN}, 1),
        ({"odd": "def test_odd(:"}, 2),
    ],
    ids=["fine", "three by chance", "four", "one is broken", "cannot be read"],
)
def test_what_fails_by_chance_passes_and_what_is_broken_does_not(tmp_path, files, code):
    assert run(tmp_path, files).returncode == code


def test_it_is_named_whether_tests_run_side_by_side_or_not(tmp_path):
    done = run(tmp_path, {"fine": FINE, "chance": BY_CHANCE.format(number=1, name="a")}, "-n", "2")
    assert done.returncode == 0
    assert "left to chance: test_chance.py::test_by_chance[0]" in done.stderr
    assert "1 failed, 1 passed" in done.stdout  # how it failed is not hidden


def test_what_cannot_be_read_is_no_test_that_failed_by_chance(tmp_path):
    odd = "import pathlib, os\nseen = pathlib.Path('seen')\nif not seen.exists():\n    seen.touch()\n    assert False\ndef test_odd(): pass\n"
    done = run(tmp_path, {"fine": FINE, "odd": odd}, "-n", "1")
    assert (done.returncode, "trying again" in done.stderr) == (1, False), done.stderr
