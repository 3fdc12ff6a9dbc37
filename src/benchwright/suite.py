"""The suite folder: tasks, labels, data rooms and, where it is not withheld, the gold."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from pydantic import Field

from benchwright.errors import InputError, SuiteError
from benchwright.files import (
    FileEntry,
    Record,
    canonical_json,
    folder_digest,
    index_folder,
    read_jsonl,
    read_toml,
    sha256,
    toml_text,
    write_atomic,
    write_jsonl,
)
from benchwright.gold import Gold
from benchwright.labels import Labels
from benchwright.task import RoomName, Task

FORMAT = 1
R = TypeVar("R", bound=Record)


class RoomInfo(Record):
    """One data room: how much it holds, the digest of its content, and where it lies if not in `data/`.

    `sha256` is the digest of the sorted lines "<sha256>  <relative path>" of its regular files; empty: not taken.
    """

    files: int | None = None
    bytes: int | None = None
    sha256: str = ""
    path: str = ""
    writable: bool = False

    @classmethod
    def of(cls, folder: Path) -> RoomInfo:
        """What the room in this folder holds; reads every file."""
        return cls.of_index(index_folder(folder))

    @classmethod
    def of_index(cls, index: Sequence[FileEntry], path: str = "") -> RoomInfo:
        """What a room holds by the index of its files; `path` where it does not lie in `data/`."""
        size = sum(entry.size for entry in index)
        return cls(files=len(index), bytes=size, sha256=folder_digest(index), path=path)


def write_room_index(folder: Path, room: str, index: Iterable[FileEntry]) -> None:
    """Keep the index of a room's files in a suite folder, so that nobody has to read the room for it again."""
    write_jsonl(folder / "index" / f"{room}.jsonl", (entry._asdict() for entry in index))


class SuiteInfo(Record):
    """What `suite.toml` says. `reference` names the published scoring rule; empty: there is none."""

    format: int = FORMAT
    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    release: str = "1"
    title: str = ""
    description: str = ""
    licence: str = ""
    source: str = ""
    reference: str = ""
    prompt: str = ""
    """A file beside `suite.toml` that replaces the default instructions to agents."""
    rooms: dict[RoomName, RoomInfo] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which tasks to take: a subset by label, explicit ids, at most `limit`, shuffled by `seed` where given."""

    subset: str = "full"
    ids: tuple[str, ...] = ()
    limit: int | None = None
    seed: int | None = None


class Suite:
    """A suite folder, read once; every value in it is frozen."""

    def __init__(self, folder: Path, info: SuiteInfo, tasks: Iterable[Task], labels: Iterable[Labels]) -> None:
        self.folder = folder
        self.info = info
        self.tasks: dict[str, Task] = _by_id(((task.id, task) for task in tasks), folder / "tasks.jsonl")
        self.labels: dict[str, Labels] = _by_id(((item.task_id, item) for item in labels), folder / "labels.jsonl")

    @classmethod
    def open(cls, folder: Path) -> Suite:
        """Read a suite folder; a SuiteError names the file and line that is wrong."""
        if not (folder / "suite.toml").is_file():
            raise SuiteError(
                f"not a suite folder: {folder}",
                found="no suite.toml",
                expected="suite.toml, tasks.jsonl and, unless withheld, gold/gold.jsonl",
                hint="build one with: benchwright suites build",
            )
        info = SuiteInfo.from_json(read_toml(folder / "suite.toml"), str(folder / "suite.toml"))
        if info.format != FORMAT:
            raise SuiteError(f"{folder}: unknown suite format", found=str(info.format), expected=str(FORMAT))
        tasks = _records(Task, folder / "tasks.jsonl")
        labels = _records(Labels, folder / "labels.jsonl") if (folder / "labels.jsonl").exists() else []
        suite = cls(folder, info, tasks, labels)
        suite._check_rooms()
        return suite

    @classmethod
    def write(
        cls,
        folder: Path,
        info: SuiteInfo,
        tasks: Iterable[Task],
        labels: Iterable[Labels] = (),
        golds: Iterable[Gold] = (),
    ) -> Suite:
        """Write the text files of a suite folder (not its data), suite.toml last, and read it back."""
        write_jsonl(folder / "tasks.jsonl", tasks)
        write_jsonl(folder / "labels.jsonl", labels)
        golds = list(golds)
        if golds:
            write_jsonl(folder / "gold" / "gold.jsonl", golds)
        write_atomic(folder / "suite.toml", toml_text(info.to_json()))
        return cls.open(folder)

    def _check_rooms(self) -> None:
        for task in self.tasks.values():
            for mount in task.data:
                if mount.room not in self.info.rooms:
                    raise SuiteError(
                        f"{self.folder / 'tasks.jsonl'}: task {task.id} names an unknown room",
                        found=mount.room,
                        expected=f"one of {', '.join(sorted(self.info.rooms)) or 'none: suite.toml has no [rooms]'}",
                    )

    @property
    def name(self) -> str:
        """The suite's name."""
        return self.info.name

    @property
    def has_gold(self) -> bool:
        """Whether the gold is here, or withheld."""
        return (self.folder / "gold" / "gold.jsonl").is_file()

    @cached_property
    def golds(self) -> Mapping[str, Gold]:
        """Every gold by task id; an InputError where the gold is withheld."""
        if not self.has_gold:
            raise InputError(
                f"suite {self.name} holds no gold: {self.folder}",
                found=f"no gold for {len(self.tasks)} of {len(self.tasks)} tasks",
                expected="gold/gold.jsonl",
                hint="score where the gold is kept; a run without gold can be exported as a submission",
            )
        path = self.folder / "gold" / "gold.jsonl"
        golds = _by_id(((gold.task_id, gold) for gold in _records(Gold, path)), path)
        unknown = sorted(set(golds) - set(self.tasks))
        if unknown:
            raise SuiteError(
                f"{path}: gold for unknown tasks", found=", ".join(unknown[:5]), expected="ids of tasks.jsonl"
            )
        return golds

    def gold_files(self, task_id: str) -> Path:
        """The folder with the gold files of a task; it may not exist."""
        return self.folder / "gold" / "files" / task_id

    def label(self, task_id: str) -> Labels:
        """The labels of a task; empty ones where the suite gives none."""
        return self.labels.get(task_id) or Labels(task_id=task_id)

    def room_path(self, room: str) -> Path:
        """The folder of a room on this machine; it may not exist."""
        info = self.info.rooms[room]
        return Path(os.path.expanduser(info.path)) if info.path else self.folder / "data" / room

    def room_index(self, room: str) -> tuple[FileEntry, ...] | None:
        """The paths, sizes and hashes of a room's files as they were when the suite was built; None: not kept."""
        path = self.folder / "index" / f"{room}.jsonl"
        if not path.is_file():
            return None
        try:
            return tuple(FileEntry(**value) for _, value in read_jsonl(path))
        except TypeError as error:
            raise SuiteError(
                f"{path}: not an index of files", found=str(error), hint="build the suite again"
            ) from error

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all that an agent may see: tasks and room digests. Same digest, same questions and data."""
        tasks = [task.to_json() for task in self.tasks.values()]
        rooms = {name: info.sha256 for name, info in self.info.rooms.items()}
        return sha256(canonical_json([self.info.name, self.info.release, tasks, rooms]))

    @cached_property
    def gold_digest(self) -> str:
        """SHA-256 over the golds and the content of their files, empty where they are withheld; scores are stamped
        with it.
        """
        if not self.has_gold:
            return ""
        golds = [gold.to_json() for _, gold in sorted(self.golds.items())]
        files = index_folder(self.folder / "gold" / "files")
        return sha256(canonical_json([golds, folder_digest(files)] if files else golds))

    @property
    def subsets(self) -> tuple[str, ...]:
        """The names of the subsets, `full` first."""
        named = {name for labels in self.labels.values() for name in labels.subsets} - {"full"}
        return ("full", *sorted(named))

    def subset(self, name: str) -> tuple[str, ...]:
        """The ids of a subset's tasks, in the suite's order."""
        if name == "full":
            return tuple(self.tasks)
        if name not in self.subsets:
            raise InputError(f"suite {self.name} has no subset {name!r}", expected=f"one of {', '.join(self.subsets)}")
        return tuple(task_id for task_id in self.tasks if name in self.label(task_id).subsets)

    def select(self, selection: Selection) -> tuple[Task, ...]:
        """The tasks of a selection, in the suite's order (or shuffled by its seed)."""
        ids = self.subset(selection.subset)
        unknown = [task_id for task_id in selection.ids if task_id not in self.tasks]
        if unknown:
            raise InputError(
                f"suite {self.name} has no task {unknown[0]!r}", hint=f"see: benchwright suites show {self.name}"
            )
        if selection.ids:
            ids = tuple(task_id for task_id in ids if task_id in set(selection.ids))
        if selection.seed is not None:
            ids = tuple(random.Random(selection.seed).sample(ids, len(ids)))  # noqa: S311 - no secret depends on it
        return tuple(self.tasks[task_id] for task_id in ids[: selection.limit])


def _records(kind: type[R], path: Path) -> list[R]:
    return [kind.from_json(value, f"{path}, line {number}") for number, value in read_jsonl(path)]


def _by_id(pairs: Iterable[tuple[str, R]], path: Path) -> dict[str, R]:
    found: dict[str, R] = {}
    for task_id, value in pairs:
        if task_id in found:
            raise SuiteError(f"{path}: duplicate task id", found=task_id, expected="every id once")
        found[task_id] = value
    return found
