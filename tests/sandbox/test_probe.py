import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.sandbox import probe

SCRIPT = """
import json, sys
from pathlib import Path
from benchwright.sandbox.base import *
from benchwright.sandbox.namespace import NamespaceProvider
folder = Path(sys.argv[1])
with NamespaceProvider() as provider, provider.open(SandboxSpec(rooms=(Room("r", folder),))) as sandbox:
    outcome = sandbox.run(Shell("id -u; cat /data/a.csv; echo result > /workspace/out; echo x > /data/x"))
    copied = sandbox.collect(folder / "copied", 1)
    print(json.dumps([outcome.stdout.decode(), [str(path) for path in copied], sandbox.uid]))
"""


def test_a_machine_that_runs_these_tests_can_start_sandboxes():
    findings = list(probe.findings())
    assert {finding.name for finding in findings if finding.weight == "needed" and not finding.ok} == set()
    assert len({finding.name for finding in findings}) == len(findings) > 10


def _other_python():
    """A Python that an ordinary user may run, with the packages of this one."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        check = "import os, sys, pydantic; sys.exit(not os.access(sys.executable, os.X_OK))"
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", candidate, "-c", check]
        environment = {"PYTHONPATH": ":".join(sys.path), "PATH": os.environ["PATH"], "HOME": "/tmp"}
        if subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0:
            return command[:-2], environment
    return pytest.skip("no Python here that an ordinary user may run with these packages")


@pytest.mark.skipif(os.geteuid() != 0, reason="everything here runs as an ordinary user already")
def test_an_ordinary_user_runs_the_whole_of_it():
    command, environment = _other_python()
    folder = Path("/tmp") / f"benchwright-ordinary-{os.getpid()}"
    folder.mkdir()
    try:
        (folder / "a.csv").write_text("a\n")
        os.chown(folder, 65534, 65534)
        done = subprocess.run(
            [*command, "-c", SCRIPT, folder], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        output, copied, uid = json.loads(done.stdout)
        assert (output, copied, uid) == ("1000\na\n", ["out"], None)
    finally:
        subprocess.run(["rm", "-r", folder], check=True)
