"""Other people's command-line agents: pinned packages in a folder of their own, mounted read-only into sandboxes."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

from pydantic import TypeAdapter

from benchwright.errors import EnvironmentFault, InputError
from benchwright.files import Record, home, read_toml, sha256, write_atomic
from benchwright.sandbox import toolbox
from benchwright.sandbox.building import COMPLETE, Building, Say, alone, complete

_HERE: Final = Path(__file__).parent
_VERSION_SECONDS: Final = 30
_NEEDS: Final = "a package index and up to 0.6 GB of disk"


class Pin(Record):
    """One program's version. `node`: the oldest major version of Node.js it runs on; None: it needs none.

    `python`: the oldest version of Python it runs on. `wheels_only` is False where it needs a package that comes as
    source alone.
    """

    index: Literal["npm", "pypi"]
    package: str
    version: str
    node: int | None = None
    python: str = ""
    wheels_only: bool = True


@dataclass(frozen=True, slots=True)
class Installed:
    """A program on this machine: its folder, its version, the Node.js it runs on (None: none), what to show."""

    name: str
    root: Path
    version: str
    node: Path | None
    shown: tuple[Path, ...]

    @property
    def title(self) -> str:
        """The version in words, for records."""
        return self.version if self.node is None else f"{self.version} on node {_version_of(self.node)}"


@cache
def pins() -> dict[str, Pin]:
    """The programs that can be installed, by the names of their agents."""
    return TypeAdapter(dict[str, Pin]).validate_python(read_toml(_HERE / "pinned.toml"))


def place(name: str) -> Path:
    """Where a program lies on this machine; another version, or another version of what it needs, is another place."""
    pin = pins()[name]
    digest = sha256(_lock(name).read_bytes())[:12]
    return home() / "agents" / f"{name}-{pin.version}-{platform.machine()}-{digest}"


def _lock(name: str) -> Path:
    return _HERE / (f"{name}.npm.json" if pins()[name].index == "npm" else f"{name}.lock")


def find(name: str) -> Installed | None:
    """A program, if it is installed."""
    root = place(name)
    if not complete(root):
        return None
    node = _node_of(root)
    if node is not None and not node.exists():
        return None
    folders = () if node is None else toolbox.folders_of(node)
    shown = (root, *(folder for folder in folders if not folder.is_relative_to("/usr")))
    return Installed(name, root, pins()[name].version, node, shown)


def need(name: str) -> Installed:
    """A program that a run asks for. Errors: EnvironmentFault where it is not installed."""
    found = find(name)
    if found is None:
        raise EnvironmentFault(
            f"agent {name} is not installed on this machine",
            expected=f"{pins()[name].package} {pins()[name].version} in {place(name)}",
            hint=f"benchwright agents install {name}",
        )
    return found


def install(name: str, say: Say = lambda _text: None) -> Installed:
    """Install a program, unless it is there; from npm's or Python's package index, each file checked by its hash.

    Errors: InputError for a name that is not pinned; EnvironmentFault where it cannot be installed.
    """
    if name not in pins():
        raise InputError(f"no agent {name!r} to install", expected=", ".join(pins()))
    root = place(name)
    with alone(root):
        if find(name) is None:
            say(f"installing {pins()[name].package} {pins()[name].version}: {root}")
            work = Building(f"agent {name}", _NEEDS, say)
            if pins()[name].index == "npm":
                _from_npm(name, root, work)
            else:
                pin = pins()[name]
                work.environment(root, _lock(name), _python(name, pin.python), wheels_only=pin.wheels_only)
    return need(name)


def _from_npm(name: str, root: Path, work: Building) -> None:
    """Let npm install exactly what its lock file says; programs of packages that want to run at that time do not."""
    pin, npm = pins()[name], shutil.which("npm")
    if npm is None:
        raise EnvironmentFault(f"agent {name} cannot be installed", found="no npm", hint="install Node.js with npm")
    node = _node(name, pin.node)
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    root.chmod(0o755)
    described = {"name": f"benchwright-{name.replace('_', '-')}", "version": "1.0.0", "private": True}
    described["dependencies"] = {pin.package: pin.version}
    write_atomic(root / "package.json", json.dumps(described))
    shutil.copyfile(_lock(name), root / "package-lock.json")
    work.call([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=root)
    write_atomic(root / COMPLETE, json.dumps({"node": node}))


def _node(name: str, oldest: int | None) -> str | None:
    """The Node.js of this machine by its own path. Errors: EnvironmentFault where a program needs a newer one."""
    found = shutil.which("node")
    if oldest is None:
        return None
    version = _version_of(Path(found)) if found else ""
    if not version or int(version.lstrip("v").partition(".")[0]) < oldest:
        raise EnvironmentFault(
            f"agent {name} cannot be installed",
            found=f"node {version}" if version else "no node",
            expected=f"Node.js {oldest} or newer",
        )
    return os.path.realpath(found or "")


@cache
def _version_of(node: Path) -> str:
    """The version that Node.js says it has; empty where it says none."""
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=_VERSION_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()


def _python(name: str, oldest: str) -> str:
    """An interpreter that is new enough: ours, else the one of that version in the search path."""
    wanted = tuple(int(part) for part in oldest.split("."))
    if sys.version_info[:2] >= wanted:
        return ""
    found = shutil.which(f"python{oldest}")
    if found is None or not _runs(found):
        raise EnvironmentFault(
            f"agent {name} cannot be installed",
            found=f"Python {platform.python_version()}, and no python{oldest} that runs",
            expected=f"Python {oldest} or newer",
        )
    return found


def _runs(python: str) -> bool:
    """Whether an interpreter starts: a shim of pyenv may stand there without one behind it."""
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def _node_of(root: Path) -> Path | None:
    """The Node.js that a program was installed for; None where it needs none."""
    stated = (root / COMPLETE).read_text()
    node = json.loads(stated).get("node") if stated else None
    return Path(node) if node else None
