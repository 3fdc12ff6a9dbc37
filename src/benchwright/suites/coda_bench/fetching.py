"""Which of the published files a suite is built from, on a hub or in a folder on this machine."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import Path

from benchwright.errors import InputError, SuiteError
from benchwright.suites.archives import SUFFIXES
from benchwright.suites.base import FetchRequest
from benchwright.suites.hub import RemoteFile, local_folder, opened

REPOSITORY = "RUC-DataLab/CoDA-Bench"
TASK_FILE = "coda_bench.json"
HARD_FILE = "coda_bench_hard.json"
_MANIFEST_WORDS = ("sha256", "manifest", "checksums")


def fetch(request: FetchRequest) -> Mapping[str, Path]:
    """The task files and the archives of the rooms wanted; with the archives' SHA-256 beside them, for the build.

    What is there already is not fetched again; an interrupted download goes on where it stopped.
    """
    if (folder := local_folder(request)) is not None:
        return _sources(folder, request)
    with opened(request, request.origin or REPOSITORY) as repository:
        repository.fetch(_wanted(repository.files(), request))
    return _sources(request.into, request)


def _sources(folder: Path, request: FetchRequest) -> Mapping[str, Path]:
    if not (folder / TASK_FILE).is_file():
        raise SuiteError(f"{folder} holds no {TASK_FILE}", expected=f"{TASK_FILE}, {HARD_FILE} and archives/")
    found = {"tasks": folder / TASK_FILE}
    if (folder / HARD_FILE).is_file():
        found["hard"] = folder / HARD_FILE
    return found if request.rooms == () else found | {"data": folder}


def _wanted(files: list[RemoteFile], request: FetchRequest) -> list[RemoteFile]:
    """Task files and manifests first, then the archives of the rooms wanted."""
    texts = [file for file in files if posixpath.basename(file.path) in (TASK_FILE, HARD_FILE)]
    sums = [file for file in files if any(word in posixpath.basename(file.path).lower() for word in _MANIFEST_WORDS)]
    archives = {_room(file.path): file for file in files if file.path.endswith(SUFFIXES)}
    unknown = set(request.rooms or ()) - set(archives)
    if unknown:
        raise InputError(
            f"no archive of the room {min(unknown)!r}", expected=f"some of {', '.join(sorted(archives)) or 'none'}"
        )
    rooms = sorted(archives) if request.rooms is None else request.rooms
    return [*texts, *(file for file in sums if file not in texts), *(archives[room] for room in rooms)]


def _room(path: str) -> str:
    name = posixpath.basename(path)
    return next(name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix))
