"""Fetches the published files from the Hugging Face hub, or from any other that speaks its language."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import EnvironmentFault, InputError, SuiteError
from benchwright.files import canonical_json, write_atomic
from benchwright.suites.archives import SUFFIXES
from benchwright.suites.base import FetchRequest

if TYPE_CHECKING:
    from huggingface_hub import HfApi

REPOSITORY = "RUC-DataLab/CoDA-Bench"
TASK_FILE = "coda_bench.json"
HARD_FILE = "coda_bench_hard.json"
_NOT_THERE = frozenset({"RepositoryNotFoundError", "RevisionNotFoundError", "GatedRepoError", "HFValidationError"})
_MANIFEST_WORDS = ("sha256", "manifest", "checksums")


class _Remote(NamedTuple):
    """A file of the repository; `sha256` is known for those that it keeps as large files."""

    path: str
    size: int
    sha256: str


def fetch(request: FetchRequest) -> Mapping[str, Path]:
    """The task files and the archives of the rooms wanted; with the archives' SHA-256 beside them, for the build.

    What is there already is not fetched again; an interrupted download goes on where it stopped.
    """
    folder = Path(request.origin).expanduser()
    if request.origin and folder.is_dir():
        return _sources(folder, request)
    if folder.is_absolute() or request.origin.startswith("."):
        raise InputError(f"no such folder: {request.origin}", expected="a folder here, or a repository as owner/name")
    with _plain_errors(request):
        _download(request)
    return _sources(request.into, request)


def _sources(folder: Path, request: FetchRequest) -> Mapping[str, Path]:
    if not (folder / TASK_FILE).is_file():
        raise SuiteError(f"{folder} holds no {TASK_FILE}", expected=f"{TASK_FILE}, {HARD_FILE} and archives/")
    found = {"tasks": folder / TASK_FILE}
    if (folder / HARD_FILE).is_file():
        found["hard"] = folder / HARD_FILE
    return found if request.rooms == () else found | {"data": folder}


def _download(request: FetchRequest) -> None:
    from huggingface_hub import HfApi

    api = HfApi(endpoint=request.endpoint or None)
    repository = request.origin or REPOSITORY
    commit = api.repo_info(repository, repo_type="dataset", revision=request.revision or None).sha or ""
    wanted = _wanted(_files(api, repository, commit), request)
    request.into.mkdir(parents=True, exist_ok=True)
    for number, file in enumerate(wanted, start=1):
        request.progress(f"{number} of {len(wanted)}: {file.path} ({file.size >> 20} MB)")
        api.hf_hub_download(repository, file.path, repo_type="dataset", revision=commit, local_dir=request.into)
    sums = "".join(f"{file.sha256}  {file.path}\n" for file in wanted if file.sha256 and file.path.endswith(SUFFIXES))
    if sums:
        write_atomic(request.into / "hub.sha256", sums)
    record = {"repository": repository, "endpoint": api.endpoint, "revision": commit, "files": [f.path for f in wanted]}
    write_atomic(request.into / "fetched.json", canonical_json(record) + "\n")


def _files(api: HfApi, repository: str, commit: str) -> list[_Remote]:
    from huggingface_hub.hf_api import RepoFile

    tree = api.list_repo_tree(repository, recursive=True, revision=commit, repo_type="dataset")
    return [
        _Remote(file.path, file.size, file.lfs.sha256 if file.lfs else "")
        for file in tree
        if isinstance(file, RepoFile)
    ]


def _wanted(files: list[_Remote], request: FetchRequest) -> list[_Remote]:
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


@contextmanager
def _plain_errors(request: FetchRequest) -> Iterator[None]:
    """Say in plain words what a hub that cannot be had means."""
    try:
        yield
    except ImportError as error:
        raise EnvironmentFault(
            "fetching needs the package huggingface_hub", found=str(error), hint="pip install 'benchwright[hub]'"
        ) from error
    except (InputError, EnvironmentFault):
        raise
    except Exception as error:
        if not _is_network(error):
            raise
        kind = InputError if type(error).__name__ in _NOT_THERE else EnvironmentFault
        raise kind(
            f"cannot fetch {request.origin or REPOSITORY}",
            found=f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300],
            hint="check the network, the name and the revision; what was fetched so far is kept",
        ) from error


def _is_network(error: Exception) -> bool:
    """Whether the hub or the network failed: everything that the hub's library and its HTTP client raise."""
    modules = {kind.__module__.partition(".")[0] for kind in type(error).__mro__}
    return bool(modules & {"huggingface_hub", "httpx", "httpx2", "httpcore", "requests"}) or isinstance(error, OSError)
