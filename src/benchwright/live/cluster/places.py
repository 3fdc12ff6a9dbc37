"""A folder in any store that fsspec knows: a disk, an object store, the memory of this process."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from benchwright.errors import BenchwrightError, EnvironmentFault, InputError
from benchwright.files import arriving


def is_url(text: str) -> bool:
    """Whether a place is named by a URL; else it is a path, on a disk that all machines of a run share."""
    return "://" in text


class Place:
    """A folder by its path or fsspec URL; files in it are named by paths with `/`, and written whole or not at all.

    Errors of the store are EnvironmentFaults that name the place; an unknown protocol, or a file in a folder's place,
    is an InputError.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._fs, self._root = _opened(self.url)
        if self.path is not None and self.path.exists() and not self.path.is_dir():
            raise InputError(
                f"{self.url} is no folder", found="a file", expected="a folder, or a URL that fsspec knows"
            )

    @property
    def path(self) -> Path | None:
        """The folder itself, where it lies on a disk of this machine."""
        return Path(self._root) if "file" in _protocols(self._fs) else None

    def below(self, name: str) -> Place:
        """A folder in this one; there may be nothing in it yet."""
        return Place(f"{self.url}/{name}")

    def sizes(self) -> dict[str, int]:
        """Every file below this folder, with its size in bytes."""
        with self._told():
            self._fs.invalidate_cache()
            found = self._fs.find(self._root, detail=True) if self._fs.exists(self._root) else {}
        prefix = self._fs._strip_protocol(self._root).rstrip("/") + "/"  # noqa: SLF001 - how fsspec names its own paths
        return {name.removeprefix(prefix): int(entry["size"]) for name, entry in found.items()}

    def folders(self) -> tuple[str, ...]:
        """The names of the folders in this one."""
        return tuple(sorted({name.partition("/")[0] for name in self.sizes() if "/" in name}))

    def read(self, name: str) -> bytes | None:
        """A file's content; None where there is none."""
        with self._told():
            try:
                return bytes(self._fs.cat_file(self._at(name)))
            except FileNotFoundError:
                return None

    def write(self, name: str, data: bytes) -> None:
        """Put a file there."""
        with self._told(), self._arriving(name) as target:
            self._fs.pipe_file(target, data)

    def upload(self, source: Path, name: str) -> None:
        """Put a copy of a file there."""
        with self._told(), self._arriving(name) as target:
            self._fs.put_file(str(source), target)

    def download(self, name: str, target: Path) -> None:
        """Copy a file from there, whole or not at all."""
        with self._told(), arriving(target) as partial:
            self._fs.get_file(self._at(name), str(partial))

    def require_writable(self) -> None:
        """That files can be put there and taken away again. Errors: those of the store."""
        probe = f"probe-{uuid.uuid4().hex[:12]}"
        self.write(probe, b"")
        with self._told():
            self._fs.rm_file(self._at(probe))

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        with self._told():
            if self._fs.exists(self._root):
                self._fs.rm(self._root, recursive=True)

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _arriving(self, name: str) -> Iterator[str]:
        """Where to write a file: object stores show a file when it is whole, on a disk it is renamed into its place."""
        target = self._at(name)
        if self.path is None:
            yield target
            return
        with arriving(Path(target)) as partial:
            yield str(partial)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except BenchwrightError:
            raise
        except OSError as error:
            raise EnvironmentFault(f"the store {self.url} fails", found=f"{type(error).__name__}: {error}") from error
        except Exception as error:  # each store has errors of its own
            hint = "see to its address, its keys in the environment and the network; the same command goes on"
            found = f"{type(error).__name__}: {error}"[:500]
            raise EnvironmentFault(f"the store {self.url} does not answer", found=found, hint=hint) from error


def inside(name: str) -> str:
    """A file's name as a store or a record gives it, where it stays in its folder. Errors: InputError."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name:
        raise InputError("a file's name leads out of its folder", found=repr(name)[:200])
    return name


def _opened(url: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    try:
        fs, root = url_to_fs(url if is_url(url) else os.path.abspath(os.path.expanduser(url)))
    except (ValueError, ImportError) as error:
        raise InputError(
            f"no store can be reached by {url}", found=str(error), expected="a path, or a URL that fsspec knows"
        ) from error
    return fs, str(root).rstrip("/")


def _protocols(fs: Any) -> tuple[str, ...]:
    return (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)
