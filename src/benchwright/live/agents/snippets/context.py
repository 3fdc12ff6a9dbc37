"""What a model is told of a task's data file instead of the file, and where its code finds it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from benchwright.errors import InputError, SuiteError
from benchwright.live.suites import suite_at
from benchwright.profiles import STRUCTURES, profile_file
from benchwright.suite import Suite
from benchwright.task import Task

_EXPLAINED, _NO_SAMPLE = "explained", "no-sample"
_WORDS = (*STRUCTURES, _NO_SAMPLE, _EXPLAINED)


@dataclass(frozen=True, slots=True)
class Preset:
    """How an approach is played: the structure of the context, with rows of the data or (for private data) without, and
    whether a second call explains the result.
    """

    structure: str = "dsbc-paper"
    sample: bool = True
    explained: bool = False

    @classmethod
    def read(cls, agent: str, text: str) -> Preset:
        """`dsbc-code+no-sample+explained` and the like; an empty text is the paper's way. Raises InputError."""
        words = [word for word in text.split("+") if word]
        structures = [word for word in words if word in STRUCTURES]
        if len(set(words)) < len(words) or set(words) - set(_WORDS) or len(structures) > 1:
            raise InputError(
                f"agent {agent} has no preset {text!r}",
                expected=f"{' or '.join(STRUCTURES)}, {_NO_SAMPLE}, {_EXPLAINED}; several joined by +",
            )
        return cls(structures[0] if structures else "dsbc-paper", _NO_SAMPLE not in words, _EXPLAINED in words)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A task's one data file: on this machine, and inside the sandbox."""

    here: Path
    inside: str


def data_file(task: Task, suite: Suite) -> DataFile:
    """The one file that a task is about. Raises SuiteError where its rooms hold another number of files."""
    found = [
        (mount, entry)
        for mount in task.data
        for entry in sorted(suite.room_path(mount.room).rglob("*"))
        if entry.is_file()
    ][:2]
    if len(found) != 1:
        raise SuiteError(
            f"task {task.id} is not about one data file, as this agent needs it",
            found="several files" if found else "no file",
            hint="agent react works with any number of files",
        )
    [(mount, path)] = found
    return DataFile(path, f"{mount.target}/{path.relative_to(suite.room_path(mount.room)).as_posix()}")


def described(file: DataFile, preset: Preset) -> str:
    """The description of a data file as JSON text. Reads the whole file at the first call: call it in a thread."""
    return _described(file.here, file.here.stat().st_mtime_ns, preset.structure, preset.sample)


@lru_cache(maxsize=256)  # by the time of the last change, so that a changed file is read anew
def _described(path: Path, changed: int, structure: str, sample: bool) -> str:
    return json.dumps(STRUCTURES[structure](profile_file(path), sample=sample), ensure_ascii=False, allow_nan=False)


def file_of(task: Task, folder: Path) -> DataFile:
    """The data file of a task of the suite in that folder."""
    return data_file(task, suite_at(folder))
