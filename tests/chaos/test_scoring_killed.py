"""Scoring is killed at random moments: what a run's scores are is whole or not there, and the same command makes it whole."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import psutil
import pytest

from benchwright.gold import Gold
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task
from benchwright.trajectory import Answered

pytestmark = pytest.mark.chaos

PROGRAM = [sys.executable, "-c", "from benchwright.cli import main; main()", "score"]
TASKS = 200


@pytest.fixture
def run(tmp_path):
    """A run of many answers, of which a third is right."""
    names = [f"t{number}" for number in range(TASKS)]
    tasks = [Task(id=name, question=f"How many {name}?") for name in names]
    golds = [Gold(task_id=name, answer="42") for name in names]
    suite = Suite.write(tmp_path / "suite", SuiteInfo(name="killed"), tasks, golds=golds)
    cell = Cell(agent="one", suite_digest=suite.digest)
    spec = RunSpec(suite="killed", suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,))
    run = RunFolder.create(tmp_path / "run", spec)
    for number, name in enumerate(names):
        answer = "42" if number % 3 == 0 else str(number)
        run.record(Attempt(cell=cell.id, task_id=name, epoch=1, ending=Answered(), answer=answer))
    run.write_attempts()
    return run


def scored(run):
    """What the command says when nobody disturbs it, and how long it takes."""
    began = time.monotonic()
    done = subprocess.run(
        [*PROGRAM, run.spec.suite_folder, str(run.path), "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), time.monotonic() - began


def scores(run):
    """The bytes of each table of scores."""
    return {path.name: path.read_bytes() for path in sorted((run.path / "scores").glob("*"))}


def test_scoring_that_is_killed_leaves_whole_tables_and_is_made_whole_by_the_same_command(run, tmp_path, chaos_round):
    draw = random.Random(chaos_round)
    document, seconds = scored(run)
    before, attempts = scores(run), run.events_path.read_bytes()
    assert before
    for again in (True, False):
        if not again:
            for path in (run.path / "scores").glob("*"):
                path.unlink()
        process = subprocess.Popen(
            [*PROGRAM, run.spec.suite_folder, str(run.path), "--json"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ,
        )
        below = _until(process, time.monotonic() + draw.uniform(0.5, 1.0) * seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
        _, alive = psutil.wait_procs(below, timeout=100)
        assert alive == []
        left = scores(run)
        assert all(before.get(name) == content for name, content in left.items() if name in before)
        assert not again or left.keys() >= before.keys()
        assert scored(run)[0] == document
        assert scores(run) == before
    assert run.events_path.read_bytes() == attempts


def _until(process, moment):
    """Wait; what runs below the process at the end of it."""
    below = set()
    while time.monotonic() < moment and process.poll() is None:
        below = set(psutil.Process(process.pid).children(recursive=True)) or below
        time.sleep(0.05)
    return below
