"""A run over a real Ray cluster of two nodes on this machine, one of which is killed on the way."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from benchwright.run import RunFolder
from benchwright.suite import Suite

from .conftest import parted, script
from .nodes import Nodes

pytest.importorskip("ray", reason="needs the extra `cluster`")
pytestmark = [pytest.mark.slow, pytest.mark.chaos]

LONGEST = 600.0


def command(cluster: Nodes, suite: Suite, folder: Path, *more: object) -> list[str]:
    program = [sys.executable, "-c", "from benchwright.cli import main; main()", "run", str(suite.folder)]
    play = ["--agent", "react", "--model", script(folder), "--epochs", "10", "--out", str(folder / "out"), "--json"]
    return [*program, *play, "--ray", cluster.address, *map(str, more)]


def wait_for(said: str, folder: Path, count: int) -> None:
    """Until parts have made so many attempts."""
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        if sum(path.read_text().count(said) for path in folder.glob("out/parts/*/events.jsonl")) >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"not {count} times {said}")


def test_a_killed_node_and_a_killed_process_lose_nothing_and_nothing_is_made_twice(cluster, tmp_path):
    suite = parted(tmp_path / "suite")
    pace = ("--calls-per-minute", 600, "--max-parallel", 6)  # slow enough to be killed on the way
    process = subprocess.Popen(
        command(cluster, suite, tmp_path, *pace),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    wait_for('"event":"attempt"', tmp_path, 9)
    (part, *_) = cluster.parts(0)
    part.kill()
    left = cluster.kill(1)
    gone, alive = psutil.wait_procs(left, timeout=100)
    assert (alive, bool(gone)) == ([], True)  # what made attempts has ended with its node
    out, said = process.communicate(timeout=LONGEST)
    assert process.returncode == 0, said
    document = json.loads(out)  # Ray's own words are not among it
    assert (document["done"], document["planned"], document["spent"]["tokens"] >= 60 * 120) == (60, 60, True)
    run = RunFolder.open(tmp_path / "out")
    made = Counter((event["attempt"]["task_id"], event["attempt"].get("epoch", 1)) for event in run.events("attempt"))
    assert (len(made), set(made.values())) == (60, {1})
    assert "attempts go to others" in said
    assert not (tmp_path / "out" / "parts").exists()
    assert not cluster.parts(0)
    # the same command finds everything done, and needs no cluster for it
    again = subprocess.run(
        command(cluster, suite, tmp_path, *pace), capture_output=True, text=True, check=True, timeout=LONGEST
    )
    assert json.loads(again.stdout)["done"] == 60


def test_rooms_are_fetched_from_a_store_and_a_killed_driver_goes_on(cluster, tmp_path):
    suite = parted(tmp_path / "suite")
    store = ("--store", f"file://{tmp_path}/store", "--calls-per-minute", 900)
    first = subprocess.Popen(
        command(cluster, suite, tmp_path, *store), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ
    )
    deadline = time.monotonic() + LONGEST
    while (
        sum(path.read_text().count('"event":"attempt"') for path in (tmp_path / "store").glob("*/part-*/events.jsonl"))
        < 5
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    first.kill()
    first.wait()
    made = subprocess.run(
        command(cluster, suite, tmp_path, *store), capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert made.returncode == 0, made.stderr
    run = RunFolder.open(tmp_path / "out")
    assert Counter(str(attempt.key) for attempt in run.attempts().values()).total() == 60
    assert len(list(run.events("attempt"))) == 60
    assert {path.name for path in (tmp_path / "store" / "rooms").iterdir()} == {
        info.sha256 for info in suite.info.rooms.values()
    }


def test_a_budget_holds_over_all_nodes_and_the_run_goes_on_with_more_money(cluster, tmp_path):
    suite = parted(tmp_path / "suite")
    (tmp_path / "prices.toml").write_text(
        f'[models."{script(tmp_path)}"]\ninput = 100.0\noutput = 0.0\n'
    )  # a cent a call
    paid = ("--prices", tmp_path / "prices.toml", "--calls-per-minute", 600)
    asked = command(cluster, suite, tmp_path, *paid, "--budget-usd", 0.2)
    short = subprocess.run(asked, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert short.returncode == 1, short.stderr
    document = json.loads(short.stdout)
    assert "the budget of $0.2 is spent" in document["stopped"]
    assert 0.2 <= document["spent"]["usd"] <= 0.27  # and the six calls that may be in flight
    assert 10 <= document["done"] < 60
    asked = command(cluster, suite, tmp_path, *paid, "--budget-usd", 2)
    whole = subprocess.run(asked, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert whole.returncode == 0, whole.stderr
    assert len(list(RunFolder.open(tmp_path / "out").events("attempt"))) == 60


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("-M", "api_key=sk-not-a-real-one"), "is secret, and is not sent"),
        (("--ray", "127.0.0.1:1"), "no Ray cluster answers"),
    ],
)
def test_what_a_cluster_cannot_do_is_said(cluster, tmp_path, more, message):
    suite = parted(tmp_path / "suite")
    done = subprocess.run(
        command(cluster, suite, tmp_path, *more), capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert done.returncode in (2, 3)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
