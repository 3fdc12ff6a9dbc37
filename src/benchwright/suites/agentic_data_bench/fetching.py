"""Which of the published files a suite is built from, on a hub or in a folder on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from benchwright.errors import InputError, SuiteError
from benchwright.suites.agentic_data_bench.records import read_tasks
from benchwright.suites.agentic_data_bench.rooms import ROOTS
from benchwright.suites.agentic_data_bench.skills import SKILLS_FILE
from benchwright.suites.archives import SUFFIXES
from benchwright.suites.base import FetchRequest
from benchwright.suites.hub import RemoteFile, local_folder, opened

_TASKS = ("tasks.jsonl", "tasks/tasks.jsonl", "tasks/dev.jsonl", "testbed/tasks/dev.jsonl", "dev.jsonl")
_GOLDS = ("gold", "testbed/gold")
_SKILLS = (SKILLS_FILE, f"skill_cluster/data/{SKILLS_FILE}")
"""Where the tasks, the golds and the types of skills may lie: at the top, or as in the published repository."""


def fetch(request: FetchRequest) -> Mapping[str, Path]:
    """The tasks, the golds, the types of skills, and the data of the domains wanted.

    Tasks and data are not published in one place, and no name of a repository is known: `origin` has to say it, or
    name a folder.
    """
    if (folder := local_folder(request)) is not None:
        return _sources(folder, request)
    if not request.origin:
        raise InputError(
            "where AgenticDataBench is published has to be said",
            expected="a repository as owner/name, or a folder on this machine",
            hint="--from OWNER/NAME; --endpoint for another hub",
        )
    with opened(request, request.origin) as repository:
        files = repository.files()
        there = {file.path for file in files}
        tasks, skills = _first(_TASKS, there), _first(_SKILLS, there)
        if not tasks:
            raise SuiteError(f"{request.origin} holds no tasks", expected=f"one of {', '.join(_TASKS)}")
        repository.fetch([file for file in files if file.path in {tasks, skills}])
        domains = {task.domain.partition("/")[0] for task in read_tasks(request.into / tasks)}
        repository.fetch([*_below(files, _GOLDS), *_rooms(files, domains, request.rooms)])
    return _sources(request.into, request)


def _sources(folder: Path, request: FetchRequest) -> Mapping[str, Path]:
    tasks = _first(_TASKS, {name for name in _TASKS if (folder / name).is_file()})
    if not tasks:
        raise SuiteError(f"{folder} holds no tasks", expected=f"one of {', '.join(_TASKS)}")
    found = {"tasks": folder / tasks}
    for source, places in (("gold", _GOLDS), ("skills", _SKILLS)):
        if place := _first(places, {name for name in places if (folder / name).exists()}):
            found[source] = folder / place
    domains = {task.domain.partition("/")[0] for task in read_tasks(folder / tasks)}
    here = any(_place(path.relative_to(folder).as_posix(), domains) for path in _near(folder))
    return found | {"rooms": folder} if here and request.rooms != () else found


def _first(order: Iterable[str], there: set[str]) -> str:
    return next((name for name in order if name in there), "")


def _near(folder: Path) -> Iterable[Path]:
    """What lies where rooms may lie."""
    return (path for root in ROOTS if (folder / root).is_dir() for path in (folder / root).iterdir())


def _below(files: Iterable[RemoteFile], folders: Iterable[str]) -> list[RemoteFile]:
    return [file for file in files if any(file.path.startswith(f"{folder}/") for folder in folders)]


def _rooms(files: Iterable[RemoteFile], domains: set[str], wanted: tuple[str, ...] | None) -> list[RemoteFile]:
    """The files of the domains wanted: each is a folder of files, or an archive."""
    found: dict[str, list[RemoteFile]] = {}
    for file in files:
        if domain := _place(file.path, domains):
            found.setdefault(domain, []).append(file)
    unknown = set(wanted or ()) - set(found)
    if unknown:
        raise InputError(
            f"no data of the domain {min(unknown)!r}", expected=f"some of {', '.join(sorted(found)) or 'none'}"
        )
    return [file for domain in (sorted(found) if wanted is None else wanted) for file in found[domain]]


def _place(path: str, domains: set[str]) -> str:
    """The domain whose folder or archive a path is or lies in; empty: none."""
    for root in sorted(ROOTS, key=len, reverse=True):
        if root and not path.startswith(f"{root}/"):
            continue
        name = path.removeprefix(f"{root}/").partition("/")[0]
        names = (name, *(name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)))
        return next((each for each in names if each in domains), "")
    return ""
