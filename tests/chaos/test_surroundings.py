"""Two runs on one folder, agents that eat memory, and what agents print. Nothing is lost, left or unclear."""

import signal
import time

import psutil
import pytest

from benchwright.sandbox.holder.cgroups import parents

from .watching import LONGEST, PROGRAM, Watched, command, each_once

pytestmark = pytest.mark.chaos


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


def test_two_scorings_of_one_run_at_the_same_moment_both_end_and_leave_whole_scores(suite, tmp_path, toolbox):
    out = tmp_path / "out"
    Watched(command(suite, out, "true")).ended(0)
    before = {path.name: path.read_bytes() for path in (out / "scores").iterdir()}
    scorings = [Watched([*PROGRAM, "score", str(suite), str(out), "--json"]) for _ in range(2)]
    told = [scoring.process.communicate(timeout=LONGEST) for scoring in scorings]
    assert [scoring.process.returncode for scoring in scorings] == [0, 0], told
    assert told[0][0] == told[1][0] != ""
    assert {path.name: path.read_bytes() for path in (out / "scores").iterdir()} == before


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
    Watched(command(suite, tmp_path / "out", "true")).ended(0)  # which also removes what temporary files were left


def words(process: psutil.Process) -> str:
    """A process as it is told, nothing where it is gone."""
    try:
        return str(process)
    except psutil.Error:
        return ""


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
