"""Pseudo-terminals: what programs that want one can do, and that they are a sandbox's own."""

import os
import re

import pytest

from benchwright.sandbox.base import Exec, SandboxSpec
from benchwright.sandbox.namespace import NamespaceProvider

JOBS = "script -qec 'tty; bash -ic \"sleep 3 & jobs; fg; echo back\"' /dev/null"
OPEN = """
import os, pty
here, there = pty.openpty()
print(os.ttyname(there), sorted(os.listdir('/dev/pts')))
os.write(here, b'said\\n')
print(os.read(there, 9))
"""


@pytest.fixture(scope="module")
def provider():
    with NamespaceProvider() as made:
        yield made


@pytest.fixture
def sandbox(provider):
    with provider.open(SandboxSpec(rooms=())) as made:
        yield made


def run(sandbox, *words):
    done = sandbox.run(Exec(words))
    assert done.exit_code == 0, done.stderr
    return done.stdout.decode()


def test_programs_have_a_terminal_with_control_of_their_jobs(sandbox):
    shown = run(sandbox, "bash", "-c", JOBS)
    assert "/dev/pts/0" in shown
    assert "Running" in shown
    assert "back" in shown
    assert "no job control" not in shown


def test_each_sandbox_has_terminals_of_its_own_alone(provider, sandbox):
    host, _ = os.openpty()
    assert run(sandbox, "ls", "/dev/pts").split() == ["ptmx"]  # and none of the host's
    with provider.open(SandboxSpec(rooms=())) as other:
        for each in (sandbox, other):
            assert run(each, "python3", "-c", OPEN).splitlines() == ["/dev/pts/0 ['0', 'ptmx']", "b'said\\n'"]
    os.close(host)


def test_what_opened_a_terminal_is_ended_with_its_call(sandbox):
    left = "import os, pty, time\nif pty.fork()[0] == 0:\n    os.setsid\n    time.sleep(600)"
    run(sandbox, "python3", "-c", left)
    assert run(sandbox, "ls", "/dev/pts").split() == ["ptmx"]
    assert not re.search(
        r"sleep", run(sandbox, "bash", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep 600 || true")
    )
