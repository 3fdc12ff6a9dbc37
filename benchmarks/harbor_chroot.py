"""Harbor itself over exported tasks, without containers: an overlay of this machine's root, entered offline by chroot.

Needs root, and Harbor under Python 3.12 or newer, which imports this module and nothing of Benchwright:

    benchwright export harbor lake --subset demo --out /tmp/export
    python3.11 -m venv /tmp/verifier
    /tmp/verifier/bin/pip install -r /tmp/export/verifier/requirements.txt
    /tmp/verifier/bin/pip install --no-deps /tmp/export/verifier/benchwright-*.whl
    export AGENT_PYTHON=$(ls -d ~/.local/share/benchwright/toolbox/core-*/bin) VERIFIER_PYTHON=/tmp/verifier/bin
    PYTHONPATH=benchmarks HARBOR_TELEMETRY=0 LITELLM_LOCAL_MODEL_COST_MAP=True \
        harbor run -p /tmp/export/tasks -a oracle --env harbor_chroot:ChrootEnvironment -o /tmp/jobs -n 1 --yes

`-a nop` hands in nothing. The images of the Dockerfiles are not built: of them, the folders that they copy are taken.
"""

# ruff: noqa: ARG002 - the parameters are Harbor's

import asyncio
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

MADE = ("workspace", "logs/agent", "logs/verifier", "logs/artifacts", "tests", "solution", "run")
"""Folders that an image and Harbor make."""


class ChrootEnvironment(BaseEnvironment):
    """One machine: the host's programs, nothing of its /tmp, no network."""

    @staticmethod
    def type():
        return "chroot"

    @property
    def capabilities(self):
        return EnvironmentCapabilities(disable_internet=True)

    def _validate_definition(self):
        if not (self.environment_dir / "Dockerfile").exists():
            raise FileNotFoundError(self.environment_dir)

    async def start(self, force_build):
        self.base = Path(tempfile.mkdtemp(prefix="harbor-", dir="/dev/shm"))
        upper, self.root = self.base / "upper", self.base / "root"
        for folder in (upper, self.base / "work", self.root):
            folder.mkdir()
        for line in (self.environment_dir / "Dockerfile").read_text().splitlines():
            copied = re.fullmatch(r"COPY (\S+?)/? (/\S+)/", line)
            if copied and (self.environment_dir / copied[1]).is_dir():
                shutil.copytree(self.environment_dir / copied[1], upper / copied[2].strip("/"), dirs_exist_ok=True)
        for name in MADE:
            (upper / name).mkdir(parents=True, exist_ok=True)
        layers = f"lowerdir=/,upperdir={upper},workdir={self.base / 'work'}"
        self._mount("-t", "overlay", "overlay", "-o", layers, self.root)
        self._mount("-t", "proc", "proc", self.root / "proc")
        self._mount("--rbind", "/dev", self.root / "dev")
        self._mount("-t", "tmpfs", "tmpfs", self.root / "tmp")
        if self._judges:
            place = Path(os.environ["VERIFIER_PYTHON"]).parent
            self._at(place).mkdir(parents=True, exist_ok=True)
            self._mount("--bind", "-o", "ro", place, self._at(place))

    @property
    def _judges(self):
        return (self.environment_dir / "test.sh").exists()

    def _mount(self, *words):
        subprocess.run(["mount", *map(str, words)], check=True)

    def _unmount(self):
        """Raises where it fails: what follows would remove the host's own /dev."""
        subprocess.run(["umount", "-R", "-l", str(self.root)], check=True)

    def _at(self, path):
        return self.root / str(path).lstrip("/")

    async def stop(self, delete):
        self._unmount()
        shutil.rmtree(self.base, ignore_errors=True)

    async def upload_file(self, source_path, target_path):
        self._at(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, self._at(target_path))

    async def upload_dir(self, source_dir, target_dir):
        shutil.copytree(source_dir, self._at(target_dir), dirs_exist_ok=True)

    async def download_file(self, source_path, target_path):
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self._at(source_path), target_path)

    async def download_dir(self, source_dir, target_dir):
        shutil.copytree(self._at(source_dir), target_dir, dirs_exist_ok=True)

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None):
        python = os.environ["VERIFIER_PYTHON" if self._judges else "AGENT_PYTHON"]
        inside = f"cd {cwd or '/workspace'} && {command}"
        process = await asyncio.create_subprocess_exec(
            *("/usr/bin/unshare", "--net", "/usr/sbin/chroot", str(self.root), "/bin/sh", "-c", inside),
            env={"PATH": f"{python}:/usr/bin:/bin", "HOME": "/root", **(env or {})},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(process.communicate(), timeout_sec)
        return ExecResult(stdout=out.decode(), stderr=err.decode(), return_code=process.returncode)
