"""Packages that agents may install on the way: pinned wheels in a read-only folder, and pip that looks only there."""

from __future__ import annotations

import platform
import shutil
import sys
from pathlib import Path
from typing import Final

from benchwright.errors import EnvironmentFault
from benchwright.files import home, sha256
from benchwright.sandbox import toolbox
from benchwright.sandbox.building import COMPLETE, Building, Say, alone, complete

INSTALLED: Final = "/tmp/packages"  # noqa: S108 - inside: where pip puts what an agent installs
SITE: Final = f"{INSTALLED}/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
"""Where Python finds it. The folder must be there before Python starts, which would not look for it again."""

_PIP: Final = Path(__file__).with_name("pip.lock")
_NEEDS: Final = "the package index and some 1 GB of disk"
_STARTER: Final = '#!/bin/sh\nexec python -m pip "$@"\n'
_PYTHON: Final = f"python{sys.version_info[0]}.{sys.version_info[1]}"


def list_file() -> Path:
    """What the wheelhouse holds: the pinned list of the full toolbox, which is what the papers' images hold."""
    return toolbox.lock_file("full")


def version(wanted: Path | None = None) -> str:
    """Twelve hexadecimal digits over the list and pip's version: another wheelhouse is another run."""
    return sha256((wanted or list_file()).read_bytes() + _PIP.read_bytes())[:12]


def place(wanted: Path | None = None) -> Path:
    """Where the wheelhouse lies on this machine, for this Python and type of machine."""
    python = _PYTHON.replace("python", "py").replace(".", "")
    return home() / "wheelhouse" / f"{python}-{platform.machine()}-{version(wanted)}"


def find(wanted: Path | None = None) -> Path | None:
    """The wheelhouse if it is fetched and complete."""
    root = place(wanted)
    return root if complete(root) else None


def need(wanted: Path | None = None) -> Path:
    """The wheelhouse. Errors: EnvironmentFault where it is not here."""
    found = find(wanted)
    if found is None:
        raise EnvironmentFault(
            "the wheelhouse is not on this machine", expected=str(place(wanted)), hint="benchwright packages fetch"
        )
    return found


def ensure(say: Say = lambda _text: None, wanted: Path | None = None) -> Path:
    """The wheelhouse, fetched first if need be, each file checked by its hash.

    `wanted` is a lock file in place of ours. Errors: EnvironmentFault where it cannot be fetched.
    """
    root = place(wanted)
    with alone(root):
        if not complete(root):
            say(f"fetching the wheelhouse, the packages that agents may install: {root}")
            _fetch(root, wanted or list_file(), say)
    return need(wanted)


def _fetch(root: Path, wanted: Path, say: Say) -> None:
    work = Building("the wheelhouse", _NEEDS, say)
    shutil.rmtree(root, ignore_errors=True)
    work.environment(root / "pip", _PIP)
    pip = [str(root / "pip" / "bin" / "python"), "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    whole = ["--require-hashes", "--only-binary", ":all:", "--no-deps"]
    work.call([*pip, *whole, "--dest", str(root / "wheels"), "-r", str(wanted)])
    (root / "bin").mkdir(mode=0o755)
    for name in ("pip", "pip3"):
        (root / "bin" / name).write_text(_STARTER)
        (root / "bin" / name).chmod(0o755)
    root.chmod(0o755)
    (root / COMPLETE).touch()


def wheels(root: Path) -> tuple[str, ...]:
    """The names of the files that it holds."""
    return tuple(sorted(path.name for path in (root / "wheels").iterdir()))


def variables(root: Path, path: str, python_path: str) -> dict[str, str]:
    """The environment in which pip installs from the wheelhouse, and Python finds what was installed.

    `path` and `python_path` are PATH and PYTHONPATH as they are without it. What the toolbox holds is not installed
    again: pip sees it.
    """
    sites = [SITE, str(root / "pip" / "lib" / _PYTHON / "site-packages")]
    return {
        "PATH": ":".join((str(root / "bin"), f"{INSTALLED}/bin", path)),
        "PYTHONPATH": ":".join((python_path, *sites)),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(root / "wheels"),
        "PIP_PREFIX": INSTALLED,
        "PIP_NO_CACHE_DIR": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_BREAK_SYSTEM_PACKAGES": "1",
        "PIP_NO_WARN_SCRIPT_LOCATION": "1",
    }
