"""`benchwright doctor` on this machine, and on machines made poorer for the test."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = "from benchwright.cli import main; main()"
WITHOUT_NAMESPACES = f"""
echo 0 > /proc/sys/user/max_user_namespaces || exit 99
PATH=/nonexistent exec "$0" -c "{PROGRAM}" doctor --json
"""


def doctor(*arguments, path=None):
    environment = os.environ | ({} if path is None else {"PATH": path})
    command = [sys.executable, "-c", PROGRAM, "doctor", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def states(done):
    return {finding["name"]: finding["state"] for finding in json.loads(done.stdout)["findings"]}


@pytest.fixture(scope="module")
def here():
    return doctor("--json")


@pytest.fixture(scope="module")
def bare():
    """The same machine for a user whose PATH leads nowhere."""
    return doctor("--json", path="/nonexistent")


def test_a_machine_that_isolates_is_exit_code_0(here):
    assert here.returncode == 0, here.stderr
    document = json.loads(here.stdout)
    assert document["sandbox"] == "namespace"
    assert set(document["findings"][0]) == {"name", "state", "found", "costs", "fix"}


def test_without_strace_and_engines_on_the_path_they_are_missing_and_the_rest_stands(here, bare):
    assert bare.returncode == 0
    changed = {name for name, state in states(here).items() if states(bare)[name] != state}
    assert "file access by strace" in changed
    assert changed <= {"file access by strace", "podman sandboxes", "docker sandboxes"}
    assert states(bare)["podman sandboxes"] == "missing"


def test_a_machine_that_cannot_isolate_is_exit_code_3_and_says_why():
    command = ["unshare", "--user", "--map-root-user", "bash", "-c", WITHOUT_NAMESPACES, sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 99 or not done.stdout:
        pytest.skip(f"no user namespace to try this in: {done.stderr}")
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)["sandbox"] is None
    found = {finding["name"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert found["namespace sandboxes"]["state"] == "missing"
    assert found["namespaces of ordinary users"]["found"] == "the limit of user namespaces is 0"
    assert found["file access by fanotify"]["state"] == "missing"


def test_people_get_a_table_and_what_to_do():
    done = doctor(path="/nonexistent")
    assert done.returncode == 0
    assert "--sandbox auto takes namespace" in done.stdout
    assert "install strace" in done.stdout
