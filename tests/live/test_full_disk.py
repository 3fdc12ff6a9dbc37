"""A disk that is full in the middle of a run, as it really is: a small file system, in a mount namespace of the test's own."""

import os
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.chaos

PROGRAM = "from benchwright.cli import main; main()"
SCRIPT = """
mount -t tmpfs -o size=$SIZE none "$PLACE" || exit 77
"$@" >&2; echo "code $?"; echo "- - -" >&2
mount -o remount,size=50m "$PLACE"
"$@" >&2; echo "code $?"
cat "$PLACE"/run/events.jsonl | grep -c '"event":"attempt"'
"""


def test_a_full_disk_is_one_message_and_the_same_command_goes_on(suite, toolbox, tmp_path):
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare here")
    place = tmp_path / "disk"
    place.mkdir()
    command = [sys.executable, "-c", PROGRAM, "run", str(suite.folder), "--agent", "constant", "--epochs", "14"]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", SCRIPT, "sh", *command, "--out", str(place / "run")],
        env=os.environ | {"SIZE": "300k", "PLACE": str(place)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    if done.returncode in (1, 77) and "code" not in done.stdout:
        pytest.skip(f"no file system can be mounted here: {done.stderr[:200]}")
    full, _, _ = done.stderr.partition("- - -")
    assert done.stdout.split("\n")[:2] == ["code 3", "code 0"], done.stderr
    assert full.count("error: ") == 1
    assert "No space left on device" in full
    assert "hint: make room" in full
    assert "Traceback" not in full
    assert "42 of 42 attempts done" in done.stderr
