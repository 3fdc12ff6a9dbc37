"""The toolbox: a pinned Python environment with the data stack, built once and mounted read-only into sandboxes."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from benchwright.errors import InputError
from benchwright.files import home, sha256
from benchwright.sandbox.building import Building, Say, alone, complete

Kind = Literal["core", "full"]
KINDS: Final[tuple[Kind, ...]] = ("core", "full")

_LOCKS: Final = Path(__file__).with_name("toolboxes")
_MOST_LINKS: Final = 16
_OF_A_PREFIX: Final = ("bin", "lib", "lib64", "libexec", "share/zoneinfo")
_LINKS_INTO_USR: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")


def lock_file(kind: Kind) -> Path:
    """The pinned requirements of a toolbox, with the hash of every file that may be installed."""
    return _LOCKS / f"{kind}.lock"


def place(kind: Kind) -> Path:
    """Where this toolbox lies on this machine; another lock file, Python or machine type is another place."""
    digest = sha256(lock_file(kind).read_bytes())[:12]
    return home() / "toolbox" / f"{kind}-py{sys.version_info[0]}{sys.version_info[1]}-{platform.machine()}-{digest}"


def find(kind: Kind) -> Path | None:
    """The toolbox if it is built and complete."""
    root = place(kind)
    return root if complete(root) else None


def ensure(kind: Kind, say: Say = lambda _text: None) -> Path:
    """The toolbox, built first if need be (some minutes and a gigabyte, from the package index).

    `say` gets a line before the work starts. Errors: EnvironmentFault where it cannot be built; nothing half-built
    is ever used, and the next call starts afresh.
    """
    root = find(kind)
    if root is not None:
        return root
    root = place(kind)
    with alone(root):
        if find(kind) is None:
            say(f"building the {kind} toolbox, the Python that agents' code runs in: {root}")
            _build(kind, root, say)
    return root


def _build(kind: Kind, root: Path, say: Say) -> None:
    needs = "a package index and some 1.5 GB of disk"
    Building("the toolbox", needs, say).environment(root, lock_file(kind))


@dataclass(frozen=True, slots=True)
class Shown:
    """What of the host must be visible at its own path for an environment to work.

    `links` are symbolic links on the way to its interpreter, with what they say; nothing beside them is shown.
    """

    folders: tuple[Path, ...]
    links: tuple[tuple[Path, str], ...] = ()


def shown(root: Path) -> Shown:
    """What an environment needs: itself, its interpreter's folders, and the links that lead there.

    pyenv and uv keep Pythons outside /usr, uv behind further links. What lies under /usr is visible anyway.
    """
    if not (root / "bin" / "python").exists():
        raise InputError(f"{root} is no Python environment", expected="bin/python in it")
    root = root.absolute()
    way = [path for path in _links(root / "bin" / "python") if not path.is_relative_to(root)]
    folders = [root, root.resolve(), *(folders_of(way[-1]) if way else ())]
    inside = tuple(dict.fromkeys(folder for folder in folders if not _in_usr(folder)))
    links = [path for path in way[:-1] if not _in_usr(path) and not any(map(path.is_relative_to, inside))]
    return Shown(inside, tuple((path, str(path.readlink())) for path in links))


def folders_of(interpreter: Path) -> tuple[Path, ...]:
    """Where an interpreter's own files lie: of its prefix only these folders, for that may be somebody's home."""
    prefix = interpreter.parent.parent
    found = [base / name for base in (prefix, prefix.resolve()) for name in _OF_A_PREFIX]
    return tuple(dict.fromkeys(folder for folder in found if folder.is_dir()))


def _in_usr(path: Path) -> bool:
    """Whether every sandbox sees it: /bin and its like are links into /usr there."""
    return path.is_relative_to("/usr") or f"/{path.parts[1]}" in _LINKS_INTO_USR


def _links(path: Path) -> Iterator[Path]:
    """What a link leads to, link by link, folders on the way unresolved."""
    for _ in range(_MOST_LINKS):
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / path.readlink()))
        yield path
