import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.sandbox import probe
from benchwright.sandbox.base import SandboxSpec
from benchwright.sandbox.holder.plan import Protections
from benchwright.sandbox.namespace import NamespaceProvider

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


@pytest.fixture(scope="module")
def found():
    return {finding.name: finding for finding in probe.findings()}


class TestThisMachine:
    def test_sandboxes_start_and_that_is_what_auto_takes(self, found):
        assert found["namespace sandboxes"].state == "ok"
        assert "ms to the first command" in found["namespace sandboxes"].found
        assert probe.isolating(list(found.values())) == "namespace"

    def test_each_ability_is_named_once(self, found):
        assert len(found) > 20
        assert {f"limit of {name}" for name in ("wall", "step", "memory", "processes", "cpus", "disk")} <= set(found)

    def test_what_is_not_there_says_what_it_costs_and_how_to_have_it(self, found):
        lacking = [finding for finding in found.values() if finding.state == "missing"]
        assert all(finding.costs and finding.fix for finding in lacking), lacking


class TestWhatHolds:
    """The findings of a sandbox, and the same with a protection off."""

    @staticmethod
    def of(**protections):
        with (
            NamespaceProvider(protections=Protections(**protections)) as provider,
            provider.open(SandboxSpec(tracing="off")) as sandbox,
        ):
            return {finding.name: finding.state for finding in probe._what_holds(sandbox)}

    def test_a_filter_is_seen_by_asking_the_kernel(self):
        assert self.of()["filter of system calls"] == "ok"
        assert self.of(seccomp=False)["filter of system calls"] == "missing"

    def test_limits_that_nothing_keeps_are_limited(self):
        assert self.of()["limit of disk"] == "ok"
        assert self.of(limits=False)["limit of disk"] == "limited"

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root gives uids away")
    def test_the_host_user_is_told(self):
        assert self.of()["host user of attempts"] == "ok"
        assert self.of(own_user=False)["host user of attempts"] == "limited"


class TestTracers:
    def test_a_tracer_that_is_blind_counts_as_missing(self, tmp_path, monkeypatch):
        """A room without the file that is read stands for a tracer that sees nothing."""
        tmp_path.chmod(0o755)
        with NamespaceProvider() as provider:
            assert probe._tracer(provider, tmp_path, "strace").state == "missing"
            (tmp_path / "data.csv").write_text("a\n")
            assert probe._tracer(provider, tmp_path, "strace").state == "ok"


class TestEngines:
    def test_an_engine_that_is_not_installed_says_so(self, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        finding = probe._engine("podman", tmp_path)
        assert (finding.state, "not installed" in finding.found) == ("missing", True)

    def test_an_engine_that_does_not_answer_says_what_it_said(self, tmp_path, monkeypatch):
        if shutil.which("docker") is None:
            pytest.skip("no docker client here")
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
        finding = probe._engine("docker", tmp_path)
        assert finding.state == "missing"
        assert "none.sock" in finding.found

    def test_an_engine_of_that_name_that_does_nothing_is_no_engine(self, tmp_path, monkeypatch):
        fake = tmp_path / "podman"
        fake.write_text("#!/bin/sh\nexit 0\n")
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        assert probe._engine("podman", tmp_path).state == "missing"


class TestDisk:
    def test_a_place_that_does_not_exist_yet_is_looked_at_where_it_will_be(self, tmp_path, monkeypatch):
        monkeypatch.setenv("BENCHWRIGHT_HOME", str(tmp_path / "not" / "yet"))
        assert "GB free" in probe._disk().found


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
