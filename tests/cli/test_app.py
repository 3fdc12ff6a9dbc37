import os
import resource
import shutil
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from benchwright.cli import app

BENCHWRIGHT = [sys.executable, "-c", "from benchwright.cli import main; main()"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*BENCHWRIGHT, *arguments], capture_output=True, text=True, check=False)


def test_help_and_version_work():
    assert "Usage" in run("--help").stdout
    assert run("--version").stdout.startswith("benchwright ")


def groups(command, *words):
    """Every command that has commands of its own, by the words that call it."""
    yield words, command
    for word, inner in command.commands.items():
        if hasattr(inner, "commands"):
            yield from groups(inner, *words, word)


def test_no_list_of_commands_breaks_a_sentence_off():
    found = dict(groups(typer.main.get_command(app)))
    assert {(), ("suites",), ("skills", "review")} <= set(found)
    for words, command in found.items():
        shown = CliRunner().invoke(app, [*words, "--help"]).stdout.partition("Commands:")[2]
        assert "..." not in shown, words
        assert [word for word in command.commands if f"  {word} " not in shown] == [], words


def test_help_takes_less_than_four_tenths_of_a_second():
    assert min(seconds("--help") for _ in range(3)) < 0.4


def seconds(*arguments: str) -> float:
    """Processor time, which other work on the machine does not lengthen as it does the time on the wall."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_an_unknown_command_is_a_usage_error():
    result = run("nonsense")
    assert result.returncode == 2
    assert "nonsense" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_place_that_cannot_be_written_is_one_message_and_no_traceback(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n")
    result = run("profile", str(tmp_path / "a.csv"), "--out", "/proc/x.html")
    assert (result.returncode, "Traceback" in result.stderr) == (2, False)
    assert "/proc/" in result.stderr


SMALL_DISK = """
mount -t tmpfs -o size=64k none "$PLACE" || exit 77
head -c 1m /dev/zero > "$PLACE/fill" 2>/dev/null
"$@"; echo "code $?"; ls -A "$PLACE"
"""


def test_a_folder_where_a_file_is_to_be_written_is_named_itself(tmp_path):
    pairs, folder = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    pairs.write_text('{"question": "q", "solution": "f()"}\n')
    folder.mkdir()
    done = run("skills", "corpus", str(pairs), "--out", str(folder))
    assert done.returncode == 2
    assert f"{folder} cannot be used" in done.stderr.replace("\n", "")
    assert [path.name for path in tmp_path.iterdir() if path not in (pairs, folder)] == []


def test_a_folder_that_cannot_be_copied_whole_is_one_message_and_leaves_nothing(tmp_path):
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare here")
    (tmp_path / "data").mkdir()
    (tmp_path / "q.jsonl").write_text('{"question": "?", "answer": "5"}\n')
    for name in ("a [1].csv", "b.csv"):
        (tmp_path / "data" / name).write_text("x\n" * 9000)
    (tmp_path / "disk").mkdir()
    sources = ["--questions", str(tmp_path / "q.jsonl"), "--data", str(tmp_path / "data")]
    command = [*BENCHWRIGHT, "suites", "build", "folder", *sources, "--out", str(tmp_path / "disk" / "suite")]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", SMALL_DISK, "sh", *command],
        env=os.environ | {"PLACE": str(tmp_path / "disk")},
        capture_output=True,
        text=True,
        check=False,
    )
    if "code" not in done.stdout:
        pytest.skip(f"no file system can be mounted here: {done.stderr[:200]}")
    assert done.stdout.split() == ["code", "3", "fill"]
    assert "2 files could not be copied" in done.stderr
    assert "a [1].csv" in done.stderr
    assert "Traceback" not in done.stderr


FAULT = """
import tempfile, sys
from benchwright.cli import app, main
tempfile.tempdir = sys.argv.pop()
@app.command()
def fault():
    raise ZeroDivisionError("first line\\nsecond line")
main()
"""


def test_a_fault_of_ours_is_one_message_and_its_details_are_in_a_file(tmp_path):
    command = [sys.executable, "-c", FAULT, "fault", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    kept = next(tmp_path.glob("benchwright-fault-*.txt"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "found: ZeroDivisionError: first line\n" in done.stderr
    assert str(kept) in done.stderr
    assert "Traceback" not in done.stderr
    assert "in fault" in kept.read_text()
    again = subprocess.run([*command[:-1], "/nowhere"], capture_output=True, text=True, check=False)
    assert (again.returncode, "Traceback" in again.stderr) == (1, False)


def test_an_error_cannot_steer_a_terminal():
    done = run("suites", "show", "\x1b[31m[red]nowhere")
    assert done.returncode == 2
    assert "\\x1b[31m[red]nowhere" in done.stderr
    assert "\x1b" not in done.stderr


def test_a_terminal_of_another_encoding_ends_no_command(tmp_path):
    (tmp_path / "é ─.csv").write_text("café\n1\n")
    for encoding in ("ascii", "latin-1"):
        command = [*BENCHWRIGHT, "profile", str(tmp_path), "--structure", "prompt"]
        environment = os.environ | {"PYTHONIOENCODING": encoding, "BENCHWRIGHT_HOME": str(tmp_path / "home")}
        done = subprocess.run(command, capture_output=True, env=environment, check=False)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
        assert b"caf" in done.stdout
