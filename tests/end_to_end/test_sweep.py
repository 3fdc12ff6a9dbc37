import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchwright.cli import app
from benchwright.gold import Check, Gold
from benchwright.labels import Labels
from benchwright.run import RunFolder
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task

pytestmark = pytest.mark.slow

PROGRAM = [sys.executable, "-c", "from benchwright.cli import main; main()"]
CODE = json.dumps({"explanation": "", "code": "answer = int(data['amount'].sum())"})


@pytest.fixture
def suite(tmp_path) -> Path:
    """Two questions in two wordings over one file."""
    room = tmp_path / "suite" / "data" / "shop"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text("month,amount\njan,10\nfeb,32\n")
    tasks = [
        Task(
            id=name,
            question=f"Were there sales of {name}?",
            variants={"clean": f"Were there sales of {name}?", "raw": f"How many sales of {name}?"},
            data=(DataMount(room="shop"),),
        )
        for name in ("a", "b")
    ]
    golds = [Gold(task_id=task.id, answer="42", checks=(Check(scorer="response"),)) for task in tasks]
    labels = [Labels(task_id=task.id, dataset="SHOP Dataset", categories=("Statistics",)) for task in tasks]
    info = SuiteInfo(name="small", reference="dsbc", rooms={"shop": RoomInfo(files=1)})
    Suite.write(tmp_path / "suite", info, tasks, labels, golds)
    return tmp_path / "suite"


@pytest.fixture
def command(suite, tmp_path):
    """A grid of eight cells: two approaches, two wordings, two temperatures; one of the wordings gets code."""
    lines = [
        {"match": "How many sales of a", "text": CODE, "seconds": 0.2},
        {"match": "How many sales of b", "text": "I cannot do that.", "seconds": 0.4},
        {"match": "Were there", "text": "Nor this.", "seconds": 0.3},
    ]
    script = tmp_path / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in lines))
    grid = ["--agent", "single_code,multi_code", "--model", f"scripted/{script}", "--variants", "raw,clean"]
    return ["run", str(suite), *grid, "--sweep", "temperature=0:0.1:0.1", "--max-parallel", "2", "--json"]


def play(*arguments: str) -> dict:
    """What a command prints with --json, run in this process."""
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def analysed(run: Path) -> dict:
    told = play("analyse", str(run), "--json")
    return {name: value for name, value in told.items() if name != "runs"}


def test_a_sweep_killed_in_the_middle_ends_with_each_cell_once_and_the_tables_of_an_undisturbed_run(
    command, tmp_path, toolbox
):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert play(*command, "--out", str(whole))["planned"] == 16
    program = [*PROGRAM, *command, "--out", killed]
    runner = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal = killed / "events.jsonl"
    while runner.poll() is None and not (journal.is_file() and journal.read_text().count('"event":"attempt"') >= 3):
        time.sleep(0.05)
    os.kill(runner.pid, signal.SIGKILL)
    runner.wait()
    assert 0 < len(RunFolder.open(killed).attempts()) < 16
    assert play(*command, "--out", str(killed))["done"] == 16
    folder = RunFolder.open(killed)
    counted = Counter((event["attempt"]["cell"], event["attempt"]["task_id"]) for event in folder.events("attempt"))
    assert len(counted) == 16
    assert set(counted.values()) == {1}
    tables = analysed(whole)
    assert analysed(killed) == tables
    found = {(row["approach"], row["variant"]): (row["right"], row["n"]) for row in tables["accuracy"]}
    assert found == {
        (agent, *part): share
        for agent in ("single_code", "multi_code")
        for *part, share in (("raw", (2, 4)), ("clean", (0, 4)))
    }
    assert [row["counts"]["format"] for row in tables["errors"]] == [6, 6]
    assert {row["temperature"] for row in tables["errors_by_temperature"]} == {0.0, 0.1}


def test_runs_that_cannot_be_analysed_are_refused_in_one_message(tmp_path):
    done = subprocess.run([*PROGRAM, "analyse", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "not a run folder" in done.stderr
    assert "Traceback" not in done.stderr
