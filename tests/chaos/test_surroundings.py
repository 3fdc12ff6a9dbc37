"""What surrounds a run goes wrong: its folder, the clock, the memory, what agents print. Nothing is lost, left or unclear."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import psutil
import pytest

from benchwright.gold import Gold
from benchwright.run import RunFolder
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, OutputSpec, Task

pytestmark = pytest.mark.chaos

PROGRAM = "from benchwright.cli import main; main()"
LONGEST = 200.0


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


def started(command: list[str], **variables: str) -> subprocess.Popen[str]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, env=os.environ | variables, text=True, **pipes)


def ended(process: subprocess.Popen[str], code: int) -> tuple[dict, str]:
    """Its document and its words; nothing of it may be left."""
    below = psutil.Process(process.pid).children(recursive=True)
    out, said = process.communicate(timeout=LONGEST)
    assert process.returncode == code, out + said
    assert "Traceback" not in said
    _, alive = psutil.wait_procs(below, timeout=10)
    assert alive == []
    assert [path for path, _, _ in os.walk("/sys/fs/cgroup") if f"/benchwright-{process.pid}" in path] == []
    return json.loads(out) if out else {}, said


def each_once(out: Path, count: int) -> RunFolder:
    run = RunFolder.open(out)
    made = Counter((event["attempt"]["task_id"], event["attempt"].get("epoch", 1)) for event in run.events("attempt"))
    assert (len(made), set(made.values())) == (count, {1})
    return run


def test_of_two_runs_at_once_on_one_folder_one_goes_on_and_the_other_says_so(suite, tmp_path, toolbox):
    asked = command(suite, tmp_path / "out", "sleep 1")
    runs = [started(asked) for _ in range(2)]
    codes = sorted((run.wait(LONGEST), number) for number, run in enumerate(runs))
    assert [code for code, _ in codes] == [0, 2]
    _, said = runs[codes[1][1]].communicate()
    runs[codes[0][1]].communicate()
    assert "another process is at work" in said
    each_once(tmp_path / "out", 4)


@pytest.mark.parametrize("place", ["/proc/run", "/dev/null/run"])
def test_a_folder_that_cannot_be_written_is_said_before_anything_runs(suite, toolbox, place):
    _, said = ended(started(command(suite, Path(place))), 2)
    assert f"no run folder can be made at {place}" in said


CLOCK = """
import random, time
real, draw = time.time, random.Random(7)
time.time = lambda: real() + draw.choice((-86400, 0, 0, 3600, 86400))
"""


def test_a_clock_that_jumps_by_days_loses_nothing(suite, tmp_path, toolbox):
    (tmp_path / "clock").mkdir()
    (tmp_path / "clock" / "sitecustomize.py").write_text(CLOCK)
    document, _ = ended(
        started(command(suite, tmp_path / "out", "head /data/sales.csv"), PYTHONPATH=str(tmp_path / "clock")), 0
    )
    assert (document["done"], document["planned"]) == (4, 4)
    run = each_once(tmp_path / "out", 4)
    assert all(0 <= attempt.wall_seconds < LONGEST for attempt in run.attempts().values())


def test_commands_that_eat_the_memory_end_by_their_limit_and_their_attempts_go_on(suite, tmp_path, toolbox):
    eat = "python3 -c 'x = [bytes([n]) * 10_000_000 for n in range(200)]; print(len(x))'"
    document, _ = ended(started(command(suite, tmp_path / "out", eat, more=("--task-limit", "memory_mb=256"))), 0)
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
    document, said = ended(started(command(suite, tmp_path / "out", *shell)), 0)
    assert document["done"] == 4
    assert "\033[2J" not in said
    run = each_once(tmp_path / "out", 4)
    for attempt in run.attempts().values():
        assert attempt.ending.kind == "answered"
        assert attempt.files["out.csv"].bytes == 10_000
        assert run.transcripts.read(attempt.uuid) is not None
