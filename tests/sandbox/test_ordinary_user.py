"""What holds for a runner that is root holds for one that is an ordinary user: the same rows, run as that user."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
ORDINARY_USER = 65534
ROWS = {
    "the contract": (TESTS / "conformance" / "test_sandbox_contract.py", "ordinary", 50),
    "the limits": (HERE / "test_limits.py", "user", 20),
    "the attacks": (HERE / "test_attacks.py", "user", 100),
}
"""Where the rows are, the word that chooses those of an ordinary user, and how many there are at least."""


@pytest.fixture(scope="module")
def home():
    """A home folder of the user's own."""
    with tempfile.TemporaryDirectory(prefix="benchwright-home-") as name:
        os.chown(name, ORDINARY_USER, ORDINARY_USER)
        if "unshare: " in run_as_user(["true"], name).stderr:
            pytest.skip("this root may not make mount namespaces")
        yield Path(name)
        assert [path for path in Path(name).rglob("*") if path.is_mount()] == []


def run_as_user(command, home, **variables):
    """Run a command as the ordinary user, with nothing of root's variables."""
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(home)}
    return subprocess.run(
        [sys.executable, HERE / "ordinary_user.py", str(ORDINARY_USER), *command],
        env=environment | {"PYTHONDONTWRITEBYTECODE": "1", "BENCHWRIGHT_HOME": f"{home}/benchwright"} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user runs these rows as they are")
class TestAsAnOrdinaryUser:
    def test_the_rows_are_run_without_any_power(self, home):
        done = run_as_user(
            [sys.executable, "-c", "import os, benchwright; print(os.getresuid(), os.getgroups())"], home
        )
        assert done.stdout.split("\n")[0] == f"({ORDINARY_USER}, {ORDINARY_USER}, {ORDINARY_USER}) []", done.stderr
        closed = run_as_user(["cat", "/etc/shadow"], home)
        assert (closed.returncode, closed.stdout) == (1, "")

    @pytest.mark.slow
    @pytest.mark.timeout(1500)
    @pytest.mark.parametrize(("file", "word", "least"), ROWS.values(), ids=ROWS)
    def test_they_hold(self, file, word, least, home, small_toolbox):
        options = ["-q", "-p", "no:cacheprovider", f"--basetemp={home}/base", "-k", word]
        done = run_as_user(
            [sys.executable, "-m", "pytest", *options, file], home, BENCHWRIGHT_TEST_SMALL_TOOLBOX=str(small_toolbox)
        )
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= least
