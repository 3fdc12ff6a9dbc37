import json
import os
import subprocess
import sys

PROGRAM = "from benchwright.cli import main; main()"


def run(*words, home):
    command = [sys.executable, "-c", PROGRAM, *map(str, words)]
    environment = os.environ | {"BENCHWRIGHT_HOME": str(home)}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_a_judge_is_calibrated_from_the_command_line(tmp_path):
    script, humans = tmp_path / "script.jsonl", tmp_path / "humans.jsonl"
    script.write_text('{"text": "no verdict at all"}\n')
    humans.write_text('{"question": "q", "gold": "a", "response": "b", "human": "no", "category": "x"}\n')
    done = run("judge", "calibrate", humans, "--model", f"scripted/{script}", "--json", home=tmp_path / "home")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["all"] == {"n": 1, "accuracy": 0.0, "kappa": None, "confusion": {"no/failed": 1}}
    assert set(found["categories"]) == {"x"}


def test_bad_verdicts_are_exit_code_2(tmp_path):
    humans = tmp_path / "humans.jsonl"
    humans.write_text('{"question": "q", "gold": "a", "response": "b", "human": "perhaps"}\n')
    script = tmp_path / "script.jsonl"
    script.write_text('{"text": "x"}\n')
    done = run("judge", "calibrate", humans, "--model", f"scripted/{script}", home=tmp_path)
    assert done.returncode == 2
    assert "line 1" in done.stderr
