"""What surrounds a run goes wrong: its folder, the clock, the memory, what agents print. Nothing is lost, left or unclear."""

import json
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from benchwright.gold import Gold
from benchwright.run import RunFolder
from benchwright.sandbox.holder.cgroups import parents
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, OutputSpec, Task

from .watching import LONGEST, Watched, adopt_orphans

pytestmark = pytest.mark.chaos

PROGRAM = "from benchwright.cli import main; main()"


@pytest.fixture
def suite(tmp_path) -> Path:
    room = tmp_path / "suite" / "data" / "shop"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text("month,amount\njan,10\nfeb,32\n")
    outputs = (OutputSpec(kind="answer"), OutputSpec(kind="table", name="out.csv"))
    tasks = [
        Task(id=name, question=f"How many {name}?", data=(DataMount(room="shop"),), outputs=outputs) for name in "abcd"
    ]
    golds = [Gold(task_id=task.id, answer="42") for task in tasks]
    Suite.write(tmp_path / "suite", SuiteInfo(name="odd", rooms={"shop": RoomInfo.of(room)}), tasks, golds=golds)
    return tmp_path / "suite"


def command(suite: Path, out: Path, *shell: str, more: tuple[str, ...] = ()) -> list[str]:
    """A run whose agent runs these commands and submits."""
    lines = [{"calls": [{"tool": "bash", "arguments": {"command": text}}]} for text in shell]
    lines.append({"calls": [{"tool": "submit", "arguments": {"answer": "42"}}], "seconds": 0.5})
    script = suite.parent / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in lines))
    play = ("--agent", "react", "--model", f"scripted/{script}", "--out", str(out), "--json", *more)
    return [sys.executable, "-c", PROGRAM, "run", str(suite), *play]


@pytest.fixture(autouse=True)
def orphans():
    """Nothing that a run leaves behind can hide from who started it."""
    adopt_orphans(True)
    yield
    adopt_orphans(False)


def each_once(out: Path, count: int) -> RunFolder:
    run = RunFolder.open(out)
    made = Counter((event["attempt"]["task_id"], event["attempt"].get("epoch", 1)) for event in run.events("attempt"))
    assert (len(made), set(made.values())) == (count, {1})
    return run


def test_a_second_run_on_a_folder_that_is_in_use_says_so_and_the_first_goes_on(suite, tmp_path, toolbox):
    asked = command(suite, tmp_path / "out", "sleep 1")
    first = Watched(asked)
    while not (tmp_path / "out" / "events.jsonl").exists():
        assert first.process.poll() is None
        time.sleep(0.02)
    first.process.send_signal(signal.SIGSTOP)  # so that it cannot be over before the second looks
    _, said = Watched(asked).ended(2)
    assert "another process is at work" in said
    first.process.send_signal(signal.SIGCONT)
    first.ended(0)
    each_once(tmp_path / "out", 4)


def test_of_two_runs_at_the_same_moment_one_does_the_work(suite, tmp_path, toolbox):
    runs = [Watched(command(suite, tmp_path / "out", "true")) for _ in range(2)]
    codes = sorted(run.process.wait(LONGEST) for run in runs)
    assert codes in ([0, 2], [0, 0])  # both, where the machine let one wait until the other had ended
    assert [run.process.communicate()[1].count("Traceback") for run in runs] == [0, 0]
    each_once(tmp_path / "out", 4)


def test_what_a_run_leaves_would_be_seen(suite, tmp_path, toolbox):
    """The control: of a run that is killed in the middle everything is seen that it had, until that has ended."""
    run = Watched(command(suite, tmp_path / "out", "sleep 1"))
    while not any("name='sleep'" in line for line in map(words, set(run.processes))):
        assert run.process.poll() is None
        time.sleep(0.02)
    run.process.send_signal(signal.SIGSTOP)
    found = run.left(seconds=0)
    assert any("name='sleep'" in line for line in found)
    assert any("/benchwright-" in line for line in found) or not parents()
    run.process.kill()
    run.process.communicate()
    assert run.left() == []


def words(process: psutil.Process) -> str:
    """A process as it is told, nothing where it is gone."""
    try:
        return str(process)
    except psutil.Error:
        return ""


@pytest.mark.parametrize("place", ["/proc/run", "/dev/null/run"])
def test_a_folder_that_cannot_be_written_is_said_before_anything_runs(suite, toolbox, place):
    _, said = Watched(command(suite, Path(place))).ended(2)
    assert f"no run folder can be made at {place}" in said


CLOCK = """
import random, time
real, draw = time.time, random.Random(7)
time.time = lambda: real() + draw.choice((-86400, 0, 0, 3600, 86400))
"""


def test_a_clock_that_jumps_by_days_loses_nothing(suite, tmp_path, toolbox):
    (tmp_path / "clock").mkdir()
    (tmp_path / "clock" / "sitecustomize.py").write_text(CLOCK)
    asked = command(suite, tmp_path / "out", "head /data/sales.csv")
    document, _ = Watched(asked, PYTHONPATH=str(tmp_path / "clock")).ended(0)
    assert (document["done"], document["planned"]) == (4, 4)
    run = each_once(tmp_path / "out", 4)
    assert all(0 <= attempt.wall_seconds < LONGEST for attempt in run.attempts().values())


def test_commands_that_eat_the_memory_end_by_their_limit_and_their_attempts_go_on(suite, tmp_path, toolbox):
    eat = "python3 -c 'x = [bytes([n]) * 10_000_000 for n in range(200)]; print(len(x))'"
    document, _ = Watched(command(suite, tmp_path / "out", eat, more=("--task-limit", "memory_mb=256"))).ended(0)
    assert document["done"] == 4
    run = each_once(tmp_path / "out", 4)
    for attempt in run.attempts().values():
        eaten = run.transcripts.found(attempt.uuid).steps[0].calls[0]
        assert (eaten.limit, eaten.exit_code, attempt.ending.kind) == ("memory", 137, "answered")


def test_ten_thousand_invalid_bytes_in_outputs_names_and_files_are_data(suite, tmp_path, toolbox):
    noise = "head -c 10000 /dev/urandom"
    shell = (
        f"{noise}; {noise} >&2",
        f"{noise} > /workspace/out.csv",
        r"cd /workspace && touch \"$(printf 'a\377b')\" && ls",
        "printf '\\000\\033[2J\\377\\376'",
    )
    document, said = Watched(command(suite, tmp_path / "out", *shell)).ended(0)
    assert document["done"] == 4
    assert "\033[2J" not in said
    run = each_once(tmp_path / "out", 4)
    for attempt in run.attempts().values():
        assert attempt.ending.kind == "answered"
        assert attempt.files["out.csv"].bytes == 10_000
        assert run.transcripts.read(attempt.uuid) is not None
