"""Making pinned folders from package indexes: one process at a time, with signs of life, and never used half-made."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchwright.errors import EnvironmentFault

Say = Callable[[str], None]

COMPLETE: Final = ".complete"
"""The file that a folder gets last; without it nobody uses the folder."""

_CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
_BUILD_SECONDS: Final = 1800
_SIGN_SECONDS: Final = 10


def complete(root: Path) -> bool:
    """Whether a folder was made to its end."""
    return (root / COMPLETE).exists()


@contextmanager
def alone(root: Path) -> Iterator[None]:
    """Wait until no other process makes the same folder."""
    root.parent.mkdir(parents=True, exist_ok=True)
    with root.with_name(f".{root.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True, slots=True)
class Building:
    """The making of one folder: what it is called in errors, what it needs, and who hears of its progress."""

    what: str
    needs: str
    say: Say

    def environment(self, root: Path, lock: Path, python: str = "", *, wheels_only: bool = True) -> None:
        """A virtual environment with what a lock file pins, each file checked by its hash.

        `python`: the interpreter that it stands on; empty: the one that runs this. Without `wheels_only`, packages that
        come as source alone are built, which runs their code.
        """
        shutil.rmtree(root, ignore_errors=True)
        base = python or str(getattr(sys, "_base_executable", sys.executable))
        if (uv := find_uv()) is not None:
            self.call([uv, "venv", "--quiet", "--no-project", "--python", base, str(root)])
            install = [uv, "pip", "install", "--quiet", "--python", str(root / "bin" / "python")]
        else:
            self.call([base, "-m", "venv", str(root)])
            install = [str(root / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        kinds = ["--only-binary", ":all:"] if wheels_only else []
        self.call([*install, "--require-hashes", *kinds, "-r", str(lock)])
        self.call([str(root / "bin" / "python"), "-m", "compileall", "-q", "-j", "0", str(root / "lib")], check=False)
        (root / COMPLETE).touch()

    def call(self, command: Sequence[str], *, cwd: Path | None = None, check: bool = True) -> None:
        """Run one step of it, with a sign of life now and then."""
        try:
            with subprocess.Popen(
                command,
                cwd=cwd,
                env=trusting(os.environ),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                umask=0o022,
            ) as step:
                said = self._output(step)
        except OSError as error:
            raise self._cannot(command, str(error)) from error
        if check and step.returncode != 0:
            raise self._cannot(command, said.strip()[-800:])

    def _output(self, step: subprocess.Popen[str]) -> str:
        """What a step printed; one that takes too long is killed."""
        for waited in range(_SIGN_SECONDS, _BUILD_SECONDS + 1, _SIGN_SECONDS):
            try:
                return step.communicate(timeout=_SIGN_SECONDS)[0]
            except subprocess.TimeoutExpired:
                self.say(f"  ... {waited} s")
        step.kill()
        return f"{step.communicate()[0]}\nnot done after {_BUILD_SECONDS} s"

    def _cannot(self, command: Sequence[str], found: str) -> EnvironmentFault:
        return EnvironmentFault(
            f"{self.what} could not be built",
            found=f"{Path(command[0]).name}: {found}",
            hint=f"it needs {self.needs}; run the same command again to start afresh",
        )


def trusting(environment: Mapping[str, str], bundle: Path = _CERTIFICATES) -> dict[str, str]:
    """The environment in which uv and npm also trust what the machine does, such as an institution's own certificates.

    Both bring certificates of their own; what the environment says already stands.
    """
    told = {"UV_SYSTEM_CERTS": "1", "NODE_EXTRA_CA_CERTS": str(bundle)} if bundle.is_file() else {}
    return {**told, **environment}


def find_uv() -> str | None:
    """The uv beside our interpreter, else the one of the search path."""
    beside = Path(sys.executable).parent / "uv"
    return str(beside) if beside.exists() else shutil.which("uv")
