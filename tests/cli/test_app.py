import subprocess
import sys

BENCHWRIGHT = [sys.executable, "-c", "from benchwright.cli import main; main()"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*BENCHWRIGHT, *arguments], capture_output=True, text=True, check=False)


def test_help_and_version_work():
    assert "Usage" in run("--help").stdout
    assert run("--version").stdout.startswith("benchwright ")


def test_an_unknown_command_is_a_usage_error():
    result = run("nonsense")
    assert result.returncode == 2
    assert "nonsense" in result.stderr
    assert "Traceback" not in result.stderr
