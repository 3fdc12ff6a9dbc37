import resource
import subprocess
import sys

BENCHWRIGHT = [sys.executable, "-c", "from benchwright.cli import main; main()"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*BENCHWRIGHT, *arguments], capture_output=True, text=True, check=False)


def test_help_and_version_work():
    assert "Usage" in run("--help").stdout
    assert run("--version").stdout.startswith("benchwright ")


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
