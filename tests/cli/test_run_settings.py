"""Settings of a run that cannot be, through the real command line: one message, exit code 2 or 3, nothing left behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.gold import Gold
from benchwright.suite import Suite, SuiteInfo
from benchwright.task import Task

PROGRAM = "from benchwright.cli import main; main()"


@pytest.fixture(scope="module")
def suite(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("suites") / "suite"
    Suite.write(
        folder, SuiteInfo(name="small"), [Task(id="a", question="How many?")], golds=[Gold(task_id="a", answer="42")]
    )
    return folder


def run(suite: Path, out: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, "run", str(suite), "--out", str(out), *arguments]
    keys = {name: value for name, value in os.environ.items() if "KEY" not in name and "TOKEN" not in name}
    return subprocess.run(
        command, cwd=out.parent, env=keys | variables, capture_output=True, text=True, timeout=800, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "code", "parts"),
    [
        (
            ("--agent", "nobody"),
            2,
            ("no agent 'nobody'", "expected: one of ", "oracle", "claude_code", "hint: benchwright agents list"),
        ),
        (("--agent", "react", "--model", "nobody/x"), 2, ("model nobody/x cannot", "found: Model API nobody", "hint:")),
        (("--agent", "react", "--model", "openai/gpt-5"), 3, ("model openai/gpt-5 cannot", "OPENAI_API_KEY", "hint:")),
        (("--agent", "constant", "--task-limit", "cpus=0"), 2, ("cpus of 0", "expected: a number above 0", "hint:")),
        (("--agent", "constant", "--task-limit", "cpu=1"), 2, ("no limit 'cpu'", "expected: wall_seconds, ")),
        (("--agent", "constant", "--task-limit", "cpus"), 2, ("NAME=VALUE", "found: cpus")),
        (("--agent", "constant", "--sandbox", "jail"), 2, ("'jail' is not one of", "'namespace', 'podman'")),
        (("--agent", "constant", "--ids", " ,"), 2, ("--ids names no task", "hint: leave it out")),
        (("--agent", "constant", "--budget-minutes", "inf"), 2, ("--budget-minutes cannot be inf", "hint:")),
    ],
)
def test_what_cannot_be_is_one_message_and_its_exit_code(suite, tmp_path, arguments, code, parts):
    done = run(suite, tmp_path / "out", *arguments)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    for part in parts:
        assert part in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("engine", ["podman", "docker"])
def test_an_engine_that_is_not_there_is_said_before_any_attempt(suite, tmp_path, engine):
    done = run(suite, tmp_path / "out", "--agent", "explorer", "--sandbox", engine, PATH="/nonexistent")
    assert done.returncode == 3, done.stderr
    assert done.stdout == ""
    assert f"{engine} is not installed" in done.stderr
    assert "hint: " in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out" / "attempts.parquet").exists()
