"""A suite from a data set of the Hugging Face hub, in the layout that `benchwright export hf` writes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from benchwright.errors import SuiteError
from benchwright.suite import Suite
from benchwright.suites import hub
from benchwright.suites.base import BuildRequest, FetchRequest
from benchwright.suites.copying import write_copy
from benchwright.suites.staging import staged

_TOP = frozenset({"suite.toml", "tasks.jsonl", "labels.jsonl"})
_FOLDERS = ("index", "gold")
_ROOMS = "data"
_PROMPT = ".txt"
"""The ending of a suite's own wording of tasks, which lies beside `suite.toml`."""


class HuggingFaceLoader:
    """Repositories that hold a suite folder beside their card and their Parquet tables."""

    name = "hugging_face"
    title = "A suite that `benchwright export hf` wrote, from the Hugging Face hub or a folder"
    sources: Mapping[str, str] = {"repository": "the folder of the data set's repository"}

    def load(self, request: BuildRequest) -> Suite:
        """Build the suite; its rooms are held against their digests, and nothing outside the repository is read."""
        if set(request.sources) != set(self.sources):
            raise SuiteError("no repository given", expected=f"--repository PATH: {self.sources['repository']}")
        source = request.sources["repository"]
        _refuse_links(source)
        suite = _enclosed(Suite.open(source))
        if request.release and request.release != suite.info.release:
            raise SuiteError(f"{source} holds another release", found=suite.info.release, expected=request.release)
        here = [room for room in suite.info.rooms if suite.room_path(room).is_dir()]
        for room in set(suite.info.rooms) - set(here):
            request.progress(f"room {room}: its data are not in {source}")
        with staged(request.out) as folder:
            write_copy(suite, suite.tasks.values(), folder, gold=suite.has_gold, rooms=here)
        return Suite.open(request.out)

    def fetch(self, request: FetchRequest) -> Mapping[str, Path]:
        """Download a suite's files; each commit has a folder of its own."""
        folder = hub.local_folder(request)
        if folder is not None:
            return {"repository": folder}
        if not request.origin:
            raise SuiteError("no repository given", expected="--from OWNER/NAME")
        with hub.opened(request, request.origin) as repository:
            into = request.into / repository.commit[:12]
            repository.request = replace(request, into=into)
            repository.fetch([file for file in repository.files() if _wanted(file.path, request.rooms)])
        return {"repository": into}


def _wanted(path: str, rooms: tuple[str, ...] | None) -> bool:
    """Whether a file of a repository is part of its suite, and of the rooms that are wanted."""
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or path.startswith("/"):
        return False
    if len(parts) == 1:
        return path in _TOP or path.endswith(_PROMPT)
    if parts[0] == _ROOMS:
        return rooms is None or any(path.startswith(f"{_ROOMS}/{room}/") for room in rooms)
    return parts[0] in _FOLDERS


def _enclosed(suite: Suite) -> Suite:
    """The suite with its rooms where the repository has them: paths elsewhere would open this machine to agents."""
    prompt = suite.info.prompt
    if prompt and PurePosixPath(prompt).name != prompt:
        raise SuiteError(f"{suite.folder}: its prompt does not lie beside suite.toml", found=prompt)
    rooms = {name: info.model_copy(update={"path": ""}) for name, info in suite.info.rooms.items()}
    info = suite.info.model_copy(update={"rooms": rooms})
    return Suite(suite.folder, info, suite.tasks.values(), suite.labels.values())


def _refuse_links(folder: Path) -> None:
    for parent, folders, names in os.walk(folder):
        linked = next((name for name in (*folders, *names) if Path(parent, name).is_symlink()), None)
        if linked is not None:
            raise SuiteError(f"{folder} holds a link, which could lead anywhere", found=str(Path(parent, linked)))
