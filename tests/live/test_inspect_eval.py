import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import score as rescore
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.scorer import Score

from benchwright.errors import InputError
from benchwright.live.convert import run_of_logs
from benchwright.live.scorers import close_workers, discovery, sound
from benchwright.scoring import score_run, scores_text
from benchwright.suite import Suite


@pytest.fixture
def inspect(tmp_path, toolbox):
    """`inspect` as a user calls it, in an empty folder."""

    def call(*arguments: str | Path) -> Path:
        folder = tmp_path / "elsewhere"
        folder.mkdir(exist_ok=True)
        variables = {**os.environ, "INSPECT_LOG_DIR": str(folder / "logs"), "INSPECT_DISPLAY": "none"}
        command = [sys.executable, "-m", "inspect_ai", *map(str, arguments)]
        subprocess.run(command, cwd=folder, env=variables, check=True, capture_output=True, timeout=800)
        return folder / "logs"

    return call


def values(log) -> dict[str, dict[str, float]]:
    return {sample.id: {name: score.value for name, score in sample.scores.items()} for sample in log.samples}


def test_inspect_eval_gives_the_scores_that_benchwright_run_gives(suite, run_suite, inspect, tmp_path):
    logs = inspect("eval", "benchwright/suite", "-T", f"suite={suite.folder}", "-T", "agent=oracle")
    log = read_eval_log(list_eval_logs(str(logs))[0])
    assert log.status == "success"
    outcome = run_suite(suite, "oracle")
    ours = read_eval_log(list_eval_logs(str(outcome.folder.logs))[0])
    assert values(log) == values(ours)
    taken_over = run_of_logs([Path(path) for path in logs.glob("*.eval")], tmp_path / "taken")
    scoring = score_run(suite, taken_over)
    assert scoring.document()["sound"] == outcome.scoring.document()["sound"]
    assert {cell.id for cell in taken_over.spec.cells} == {cell.id for cell in outcome.folder.spec.cells}


def test_a_log_of_inspect_eval_holds_what_a_model_of_known_price_cost(suite, inspect, tmp_path, toolbox, monkeypatch):
    words = {"text": "", "calls": [{"tool": "submit", "arguments": {"answer": "42"}}], "usage": {"input_tokens": 3}}
    path = tmp_path / "costly.jsonl"
    path.write_text(json.dumps(words) + "\n")
    home = tmp_path / "home"
    home.mkdir()
    (home / "toolbox").symlink_to(toolbox.parent)
    (home / "prices.toml").write_text(f'[models."scripted/{path}"]\ninput = 500000.0\noutput = 0.0\n')
    monkeypatch.setenv("BENCHWRIGHT_HOME", str(home))
    chosen = ("-T", f"suite={suite.folder}", "-T", "agent=react", "--model", f"scripted/{path}", "--limit", "1")
    log = read_eval_log(list_eval_logs(str(inspect("eval", "benchwright/suite", *chosen)))[0])
    assert log.status == "success"
    (sample,) = log.samples
    for usage in (sample.model_usage, log.stats.model_usage):
        assert {name: used.total_cost for name, used in usage.items()} == {f"scripted/{path}": 1.5}


def test_a_log_is_scored_again_without_a_sandbox(suite, run_suite, toolbox):
    outcome = run_suite(suite, "oracle")
    log = read_eval_log(list_eval_logs(str(outcome.folder.logs))[0])
    again = rescore(log, [sound(), discovery()], action="overwrite")
    close_workers()
    before = values(log)
    assert {name: row["sound"] for name, row in values(again).items()} == {
        name: row["sound"] for name, row in before.items()
    }
    assert all(isinstance(score, Score) for sample in again.samples for score in sample.scores.values())


def test_an_old_run_scored_again_gives_the_same_bytes(suite, run_suite, toolbox):
    from benchwright.scoring import keep_scores

    outcome = run_suite(suite, "oracle", "constant")
    first = scores_text(outcome.folder)
    keep_scores(score_run(suite, outcome.folder), outcome.folder)
    assert scores_text(outcome.folder) == first != ""


def test_logs_of_other_tasks_are_refused(tmp_path, suite, run_suite):
    outcome = run_suite(suite, "constant")
    path = Path(list_eval_logs(str(outcome.folder.logs))[0].name.removeprefix("file://"))
    log = read_eval_log(str(path))
    log.eval.metadata = {}
    from inspect_ai.log import write_eval_log

    write_eval_log(log, str(tmp_path / "other.eval"))
    with pytest.raises(InputError, match="not a log of ours"):
        run_of_logs([tmp_path / "other.eval"], tmp_path / "taken")


def test_the_tasks_of_a_suite_are_found_by_its_name(tmp_path, monkeypatch, suite):
    from benchwright.live.tasks import lake

    monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path))
    folder = tmp_path / "suites" / "lake"
    folder.parent.mkdir()
    suite.folder.rename(folder)
    task = lake(agent="constant")
    assert [sample.id for sample in task.dataset] == list(Suite.open(folder).tasks)
    assert all(sample.target == "" for sample in task.dataset)
