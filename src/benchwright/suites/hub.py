"""Fetches files of a data set's repository from the Hugging Face hub, or from any other that speaks its language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import EnvironmentFault, InputError
from benchwright.files import canonical_json, write_atomic
from benchwright.suites.archives import SUFFIXES
from benchwright.suites.base import FetchRequest

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_KEPT = "check the network, the name and the revision; what was fetched so far is kept"
_NOT_THERE = frozenset({"RepositoryNotFoundError", "RevisionNotFoundError", "GatedRepoError", "HFValidationError"})


class RemoteFile(NamedTuple):
    """A file of a repository; `sha256` is known for those that it keeps as large files."""

    path: str
    size: int
    sha256: str


@dataclass(slots=True)
class Repository:
    """A repository at one commit. What is there already is not fetched again; what was interrupted goes on."""

    api: HfApi
    name: str
    commit: str
    request: FetchRequest
    _fetched: list[RemoteFile] = field(default_factory=list)

    def files(self) -> list[RemoteFile]:
        """All files of the repository."""
        from huggingface_hub.hf_api import RepoFile

        tree = self.api.list_repo_tree(self.name, recursive=True, revision=self.commit, repo_type="dataset")
        return [
            RemoteFile(file.path, file.size, file.lfs.sha256 if file.lfs else "")
            for file in tree
            if isinstance(file, RepoFile)
        ]

    def fetch(self, wanted: Sequence[RemoteFile]) -> None:
        """Download files to their paths below the request's folder, and note what was fetched.

        The SHA-256 of archives goes beside them (`hub.sha256`), for the build to hold them against.
        """
        into = self.request.into
        into.mkdir(parents=True, exist_ok=True)
        for number, file in enumerate(wanted, start=1):
            self.request.progress(f"{number} of {len(wanted)}: {file.path} ({file.size >> 20} MB)")
            self.api.hf_hub_download(self.name, file.path, repo_type="dataset", revision=self.commit, local_dir=into)
        self._fetched += wanted
        archives = [file for file in self._fetched if file.sha256 and file.path.endswith(SUFFIXES)]
        if archives:
            write_atomic(into / "hub.sha256", "".join(f"{file.sha256}  {file.path}\n" for file in archives))
        record = {
            "repository": self.name,
            "endpoint": self.api.endpoint,
            "revision": self.commit,
            "files": [file.path for file in self._fetched],
        }
        write_atomic(into / "fetched.json", canonical_json(record) + "\n")


def local_folder(request: FetchRequest) -> Path | None:
    """The folder on this machine that a request names; None where it names a repository, or nothing."""
    folder = Path(request.origin).expanduser()
    if request.origin and folder.is_dir():
        return folder
    if folder.is_absolute() or request.origin.startswith("."):
        raise InputError(f"no such folder: {request.origin}", expected="a folder here, or a repository as owner/name")
    return None


@contextmanager
def opened(request: FetchRequest, name: str) -> Iterator[Repository]:
    """The repository of that name at the commit that the request means.

    What goes wrong inside the block with the hub or the network is said in plain words: InputError for what is not
    there, EnvironmentFault for what cannot be reached.
    """
    with plain_errors(f"cannot fetch {name}", _KEPT):
        from huggingface_hub import HfApi

        api = HfApi(endpoint=request.endpoint or None)
        commit = api.repo_info(name, repo_type="dataset", revision=request.revision or None).sha or ""
        yield Repository(api, name, commit, request)


@contextmanager
def plain_errors(what: str, hint: str) -> Iterator[None]:
    """Say in plain words what goes wrong with the hub or the network; InputError for what is not there."""
    try:
        yield
    except ImportError as error:
        raise EnvironmentFault(
            "the hub needs the package huggingface_hub", found=str(error), hint="pip install 'benchwright[hub]'"
        ) from error
    except (InputError, EnvironmentFault):
        raise
    except Exception as error:
        if not _is_network(error):
            raise
        kind = InputError if type(error).__name__ in _NOT_THERE else EnvironmentFault
        raise kind(
            what,
            found=f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300],
            hint=hint,
        ) from error


def _is_network(error: Exception) -> bool:
    """Whether the hub or the network failed: everything that the hub's library and its HTTP client raise."""
    modules = {kind.__module__.partition(".")[0] for kind in type(error).__mro__}
    return bool(modules & {"huggingface_hub", "httpx", "httpx2", "httpcore", "requests"}) or isinstance(error, OSError)
