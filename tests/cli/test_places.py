"""Commands that write several files into a folder: nothing of a user's is overwritten, their own is taken up again."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.errors import InputError
from benchwright.files import require_place, write_atomic
from benchwright.gold import Check, Gold
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task
from benchwright.trajectory import Answered

PROGRAM = "from benchwright.cli import main; main()"
COMMANDS = {
    "plan": "plan {suite} --agent constant --shards 1 --out {out}",
    "leaderboard": "leaderboard init {out} --suite {suite}",
    "inspect": "export inspect {suite} --out {out}",
    "harbor": "export harbor {suite} --out {out}",
    "tables": "export tables {run} --out {out}",
    "report": "report {run} --out {out} --format csv",
}
TWICE = ("plan", "inspect", "tables", "report")
"""Of those whose own output is taken up again, the quick ones."""


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    folder = tmp_path_factory.mktemp("given")
    gold = Gold(task_id="a", answer="5", checks=(Check(scorer="answer"),))
    suite = Suite.write(folder / "suite", SuiteInfo(name="small"), [Task(id="a", question="?")], golds=[gold])
    cell = Cell(agent="constant", suite_digest=suite.digest)
    spec = RunSpec(suite="small", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,))
    run = RunFolder.create(folder / "run", spec)
    run.record(Attempt(cell=cell.id, task_id="a", epoch=1, ending=Answered(), answer="5"))
    keep_scores(score_run(suite, run), run)
    return {"suite": suite.folder, "run": run.path}


def call(command, **places):
    words = COMMANDS[command].format(**places).split()
    return subprocess.run([sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=False)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_of_other_things_is_refused_and_left_as_it_is(given, tmp_path, command):
    for name in ("README.md", "slurm.sh", "tasks.csv", "attempts.parquet", "tasks/a/own", "rooms/own", ".git/config"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine")
    before = contents(tmp_path)
    done = call(command, out=tmp_path, **given)
    assert done.returncode == 2, done.stderr
    assert "holds other things" in done.stderr
    assert contents(tmp_path) == before


@pytest.mark.parametrize("command", TWICE)
def test_what_a_command_has_written_before_is_taken_up_again(given, tmp_path, command):
    for _ in range(2):
        done = call(command, out=tmp_path / "out", **given)
        assert done.returncode in (0, 1), done.stderr
        assert "error:" not in done.stderr


def test_a_new_or_empty_folder_and_one_with_the_mark_are_places_and_a_file_is_none(tmp_path):
    require_place(tmp_path / "new", "x.json")
    require_place(tmp_path, "x.json")
    (tmp_path / ".hidden").touch()
    require_place(tmp_path, "x.json")
    (tmp_path / "x[1].json").touch()
    with pytest.raises(InputError, match=r"holds other things(.|\n)*x\[1\]\.json"):
        require_place(tmp_path, "x.json")
    require_place(tmp_path, "x*.json")
    with pytest.raises(InputError, match="cannot write into"):
        require_place(tmp_path / "x[1].json", "x.json")


def test_a_pipe_or_device_is_never_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for place in (tmp_path / "pipe", tmp_path / "link", Path("/proc/self/fd/1")):
        with pytest.raises(InputError, match="is no place for a file"):
            write_atomic(place, "text")
    assert stat.S_ISFIFO((tmp_path / "pipe").lstat().st_mode)
    assert (tmp_path / "link").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]
    write_atomic(tmp_path / "file", "one")
    write_atomic(tmp_path / "file", "two")
    assert (tmp_path / "file").read_text() == "two"
