"""The data sets of a folder: each folder directly below it, and each file that lies there with its companions."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchwright.errors import InputError
from benchwright.profiles.looking import LARGEST

_LONGEST_PATH = 1000


@dataclass(frozen=True, slots=True)
class Dataset:
    """One data set: its name, and its files by their paths below the folder of data, in order."""

    name: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Collection:
    """All data sets of a folder in the order of their names; `left_out` has what no room may hold, with the reason."""

    folder: Path
    datasets: tuple[Dataset, ...]
    left_out: Mapping[str, str]

    def __post_init__(self) -> None:
        if not self.datasets:
            raise InputError(
                f"{self.folder}: no data to make rooms of",
                found=f"0 regular files, {len(self.left_out)} left out",
                expected="folders of data files, or data files",
            )

    @property
    def dataset_of(self) -> dict[str, int]:
        """The place of the data set that a file belongs to."""
        return {path: place for place, dataset in enumerate(self.datasets) for path in dataset.files}


def collect(folder: Path) -> Collection:
    """The data sets below a folder. Links are never followed, and hidden files and folders are passed over.

    Raises InputError for a folder that is not there, or that holds no data.
    """
    if not folder.is_dir():
        raise InputError(f"no such folder: {folder}", expected="a folder of data sets")
    groups: dict[str, list[str]] = {}
    left_out: dict[str, str] = {}
    for path in sorted(files_below(folder)):
        reason = refused(folder, path)
        if reason:
            left_out[path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")] = reason
        else:
            groups.setdefault(_dataset_of(path), []).append(path)
    return Collection(folder, tuple(Dataset(name, tuple(files)) for name, files in sorted(groups.items())), left_out)


def files_below(folder: Path) -> Iterator[str]:
    """The paths of files and links below a folder, without hidden ones."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        below = os.path.relpath(parent, folder)
        for name in (*names, *links):
            if not name.startswith("."):
                yield os.path.normpath(os.path.join(below, name))


def refused(folder: Path, path: str) -> str:
    """Why a file can be in no room; empty: it can."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return "its name is not UTF-8 text"
    if len(path) > _LONGEST_PATH or any(ord(char) < 32 for char in path):
        return "its name is too long, or holds control characters"
    try:
        about = (folder / path).lstat()
    except OSError as error:
        return error.strerror or type(error).__name__
    if stat.S_ISLNK(about.st_mode):
        return "a link"
    if not stat.S_ISREG(about.st_mode):
        return "not a regular file"
    return f"larger than {LARGEST >> 30} GB" if about.st_size > LARGEST else ""


def _dataset_of(path: str) -> str:
    """The first folder; of a file that lies in none its name up to the first dot: parts of a shape file share it."""
    parts = PurePosixPath(path).parts
    return parts[0] if len(parts) > 1 else parts[0].partition(".")[0] or parts[0]
