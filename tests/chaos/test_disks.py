"""A disk that is full or may only be read, as it really is: a small file system in a mount namespace of the test's own."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .watching import PROGRAM, Watched, command, each_once

pytestmark = pytest.mark.chaos


@pytest.fixture
def on_a_disk(tmp_path):
    """Runs a shell script below a disk of its own, `$PLACE`; what is copied to `$KEPT` stays.

    In it `try NAME COMMAND...` runs a command and tells its exit code and its words; its document is in `$KEPT/NAME.json`.
    """
    alone = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    place, kept = tmp_path / "disk", tmp_path / "kept"
    place.mkdir()
    kept.mkdir()
    mounted = 'mount -t tmpfs -o size="$0" none "$PLACE"'
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare here")
    tried = [*alone, "sh", "-c", mounted, "1m"]
    if subprocess.run(tried, env=os.environ | {"PLACE": str(place)}, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    said = 'try() { name=$1; shift; "$@" >"$KEPT/$name.json" 2>"$KEPT/$name.txt"; echo "code $?" >>"$KEPT/$name.txt"; }'

    def run(size: str, script: str, *arguments: str, **variables: str) -> dict[str, str]:
        variables |= {"PLACE": str(place), "KEPT": str(kept)}
        whole = f"set -e; {mounted}; {said}; set +e\n{script}"
        Watched([*alone, "sh", "-c", whole, size, *arguments], **variables).ended(0)
        told = {path.stem: path.read_text() for path in kept.glob("*.txt")}
        assert not any("Traceback" in text for text in told.values()), told
        return told

    run.place, run.kept = place, kept
    return run


def in_one_message(said: str, *words: str) -> None:
    assert said.count("error: ") == 1, said
    assert all(word in said for word in words), said


def test_a_full_disk_is_one_message_and_the_same_command_goes_on(suite, tmp_path, toolbox, on_a_disk):
    asked = command(suite, on_a_disk.place / "run", "head /data/sales.csv", more=("--epochs", "6"))
    script = """
    try full "$@"
    cp "$PLACE/run/events.jsonl" "$KEPT/before.jsonl"
    mount -o remount,size=50m "$PLACE"
    try again "$@"
    cp -r "$PLACE/run" "$KEPT/run"
    """
    told = on_a_disk("300k", script, *asked)
    assert told["full"].endswith("code 3\n"), told["full"]
    in_one_message(told["full"], "No space left on device", "hint: make room")
    assert told["again"].endswith("code 0\n"), told["again"]
    each_once(on_a_disk.kept / "run", 24)
    finished = {line for line in lines(on_a_disk.kept / "before.jsonl") if b'"event":"attempt"' in line}
    assert {line for line in finished if line.endswith(b'"}')} <= set(lines(on_a_disk.kept / "run" / "events.jsonl"))


def lines(path) -> list[bytes]:
    return path.read_bytes().splitlines()


def test_a_full_place_for_temporary_files_is_one_message_or_none(suite, tmp_path, toolbox, on_a_disk):
    asked = command(suite, tmp_path / "out", "head /data/sales.csv")
    script = """
    head -c 100000 /dev/zero >"$PLACE/filler" 2>/dev/null
    try full "$@"
    rm "$PLACE/filler"
    try again "$@"
    """
    told = on_a_disk("64k", script, *asked, TMPDIR=str(on_a_disk.place))
    code = told["full"].split()[-1]
    assert (code, told["full"].count("error: ")) in {("0", 0), ("3", 1)}, told["full"]
    assert told["again"].endswith("code 0\n"), told["again"]
    each_once(tmp_path / "out", 4)


def test_a_run_on_a_disk_that_may_only_be_read_is_scored_and_gone_on_with_when_it_may_be_written(
    suite, tmp_path, toolbox, on_a_disk
):
    asked = command(suite, on_a_disk.place / "run", more=("--epochs", "2"))
    asked[asked.index("react") : asked.index("--out")] = ["constant"]
    script = """
    try first "$@"
    mount -o remount,ro "$PLACE"
    try closed "$@"
    try score "$PYTHON" -c "$MAIN" score "$SUITE" "$PLACE/run" --json
    mount -o remount,rw "$PLACE"
    try again "$@"
    cp -r "$PLACE/run" "$KEPT/run"
    """
    python, _, main = PROGRAM
    told = on_a_disk("50m", script, *asked, PYTHON=python, MAIN=main, SUITE=str(suite))
    assert [told[name].split()[-1] for name in ("first", "again")] == ["0", "0"], told
    assert told["closed"].split()[-1] in {"2", "3"}, told["closed"]
    in_one_message(told["closed"], "Read-only file system", str(on_a_disk.place / "run"))
    assert told["score"] == f"the scores could not be kept in {on_a_disk.place}/run: Read-only file system\ncode 1\n"
    assert json.loads((on_a_disk.kept / "score.json").read_text())  # what was judged is told all the same
    each_once(on_a_disk.kept / "run", 8)


def test_scores_that_find_no_room_leave_those_of_before(suite, tmp_path, toolbox, on_a_disk):
    asked = command(suite, on_a_disk.place / "run")
    asked[asked.index("react") : asked.index("--out")] = ["constant"]
    script = """
    try first "$@"
    cp -r "$PLACE/run/scores" "$KEPT/before"
    head -c 100000000 /dev/zero >"$PLACE/filler" 2>/dev/null
    try full "$PYTHON" -c "$MAIN" score "$SUITE" "$PLACE/run"
    cp -r "$PLACE/run/scores" "$KEPT/after"
    rm "$PLACE/filler"
    try again "$PYTHON" -c "$MAIN" score "$SUITE" "$PLACE/run"
    """
    python, _, main = PROGRAM
    told = on_a_disk("5m", script, *asked, PYTHON=python, MAIN=main, SUITE=str(suite))
    assert [told[name].split()[-1] for name in ("first", "full", "again")] == ["0", "1", "0"], told
    assert told["full"] == f"the scores could not be kept in {on_a_disk.place}/run: No space left on device\ncode 1\n"
    kept = [
        {path.name: path.read_bytes() for path in (on_a_disk.kept / name).iterdir()} for name in ("before", "after")
    ]
    assert kept[0] == kept[1] != {}


@pytest.mark.parametrize("place", ["/proc/run", "/dev/null/run"])
def test_a_folder_that_cannot_be_written_is_said_before_anything_runs(suite, toolbox, place):
    _, said = Watched(command(suite, Path(place))).ended(2)
    assert f"no run folder can be made at {place}" in said
