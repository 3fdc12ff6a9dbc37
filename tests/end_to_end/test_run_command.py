import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchwright.gold import Gold
from benchwright.run import RunFolder
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task


@pytest.fixture
def suite(tmp_path) -> Path:
    room = tmp_path / "suite" / "data" / "shop"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text("month,amount\njan,10\nfeb,32\n")
    tasks = [Task(id=name, question=f"How many {name}?", data=(DataMount(room="shop"),)) for name in ("a", "b", "c")]
    info = SuiteInfo(name="small", rooms={"shop": RoomInfo(files=1)})
    Suite.write(tmp_path / "suite", info, tasks, golds=[Gold(task_id=task.id, answer="42") for task in tasks])
    return tmp_path / "suite"


def script(path: Path, *lines: dict) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"scripted/{path}"


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", "from benchwright.cli import main; main()", "run", *map(str, arguments)]


def benchwright(*arguments: object, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run(command(*arguments), cwd=cwd, capture_output=True, text=True, timeout=800, check=False)


def test_the_command_prints_one_document_and_the_same_command_finds_the_run_done(suite, tmp_path):
    arguments = (suite, "--agent", "constant,know_nothing", "--epochs", 2, "--json")
    first = benchwright(*arguments, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    document = json.loads(first.stdout)
    assert (document["planned"], document["done"], document["stopped"]) == (12, 12, "")
    assert document["scores"]["sound"]["n"] == 12
    assert (tmp_path / document["run"] / "attempts.parquet").is_file()
    again = benchwright(*arguments, cwd=tmp_path)
    assert json.loads(again.stdout)["run"] == document["run"]
    assert len(list(RunFolder.open(tmp_path / document["run"]).events("session"))) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--agent", "nobody", "--model", "scripted/x"), "no agent 'nobody'"),
        (("--agent", "nobody", "--model", "scripted/x"), "claude_code, codex"),
        (("--agent", "react"), "needs a model"),
        (("--agent", "react", "--model", "scripted/missing"), "no script 'missing'"),
        (("--agent", "react", "--model", "nosuchprovider/x"), "model nosuchprovider/x cannot be used"),
        (("--agent", "constant", "--ids", "zz"), "no task 'zz'"),
        (("--agent", "constant", "--task-limit", "memory_mb=much"), "--task-limit takes NAME=NUMBER"),
        ((), "needs --agent"),
        (("--agent", "constant", "--raise", "2x"), "belong to --from"),
    ],
)
def test_bad_input_is_one_message_and_leaves_nothing_behind(suite, tmp_path, arguments, message):
    out = tmp_path / "out"
    done = benchwright(suite, *arguments, "--out", out, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (out / "attempts.parquet").exists()


@pytest.mark.parametrize(
    ("number", "start"),
    [(signal.SIGINT, ()), (signal.SIGTERM, ()), (signal.SIGTERM, ("sh", "-c", "trap '' INT; exec \"$@\"", "sh"))],
    ids=["interrupt", "terminate", "terminate in the background of a script"],
)
def test_an_interrupted_run_keeps_what_is_done_and_goes_on(suite, tmp_path, number, start, toolbox):
    submits = {"calls": [{"tool": "submit", "arguments": {"answer": "42"}}]}
    slow = [{"match": f"How many {name}?", "seconds": 0.0 if name == "a" else 3600.0, **submits} for name in "abc"]
    model = script(tmp_path / "slow.jsonl", *slow)
    arguments = (suite, "--agent", "react", "--model", model, "--max-parallel", 3, "--out", tmp_path / "out")
    words = [*start, *command(*arguments)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        wait_for_an_attempt(tmp_path / "out")
        process.send_signal(number)
        _, complaints = process.communicate(timeout=600)
    assert process.returncode == 130, complaints
    assert b"the same command goes on" in complaints
    run = RunFolder.open(tmp_path / "out")
    kept = run.attempts()
    assert [key.task_id for key in kept] == ["a"]
    assert {attempt.ending.kind for attempt in kept.values()} == {"answered"}
    assert [event["event"] for event in run.events("session", "end")] == ["session", "end"]
    script(tmp_path / "slow.jsonl", submits)
    assert benchwright(*arguments, cwd=tmp_path).returncode == 0
    events = [event["attempt"]["task_id"] for event in run.events("attempt")]
    assert sorted(events) == ["a", "b", "c"]


def wait_for_an_attempt(out: Path) -> None:
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        if (out / "events.jsonl").exists() and '"event":"attempt"' in (out / "events.jsonl").read_text():
            return
        time.sleep(0.1)
    raise AssertionError("no attempt was made")
