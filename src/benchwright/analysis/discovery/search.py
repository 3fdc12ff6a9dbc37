"""One attempt's search for the files that a right solution reads, step by step."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from benchwright.analysis.discovery.likeness import likeness
from benchwright.gold import Gold, RequiredFile
from benchwright.run import Attempt
from benchwright.scorers.discovery import Opened, Wanted
from benchwright.suite import Suite
from benchwright.trajectory import Estimated, FileAccess, Measured, Step

Role = Literal["required", "copy", "same_name", "similar", "other"]
NEAR_MISSES: tuple[Role, ...] = ("copy", "same_name", "similar")
"""From the nearest to the farthest."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A step (from 1; None: not known which), and the seconds since the attempt's first, where those are told."""

    step: int | None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """A file that was opened, and what it is to the question; `of` is the required file that it passes for."""

    access: FileAccess
    role: Role
    of: str = ""


@dataclass(frozen=True, slots=True)
class Sought:
    """A required file: when its name first came back to the agent, when it was first opened and last used.

    A file is used in a step that opens it, or whose code names it. None: it never was. `instead` are the files opened
    that pass for it, the nearest first, where it was not opened itself.
    """

    room: str
    path: str
    listed: Moment | None
    opened: Moment | None
    used: Moment | None
    certain: bool
    instead: tuple[Read, ...]

    @property
    def content_read(self) -> bool:
        """Whether it was opened, or a file of the same content."""
        return self.opened is not None or any(read.role == "copy" for read in self.instead)


@dataclass(frozen=True)
class Search:
    """What an attempt sought and what it opened; `basis` says whether that was measured or estimated from a log."""

    basis: Literal["measured", "estimated"]
    sought: tuple[Sought, ...]
    reads: tuple[Read, ...]
    steps: int

    @cached_property
    def missing(self) -> tuple[Sought, ...]:
        """Required files that were not opened, nor a file of the same content."""
        return tuple(item for item in self.sought if not item.content_read)

    @property
    def wasted(self) -> tuple[Read, ...]:
        """What was opened and is not required."""
        return tuple(read for read in self.reads if read.role != "required")

    def progress(self) -> Iterator[tuple[int, int, int, int]]:
        """After each step: the step, files opened so far, required ones among them, and required files found.

        Files of an unknown step count at the end. Precision is the second over the first, recall the third over the
        number of `sought`.
        """
        last = max([1, self.steps, *(read.access.step or 0 for read in self.reads)])
        for step in range(1, last + 1):
            so_far = [read for read in self.reads if (read.access.step or last) <= step]
            found = sum(1 for item in self.sought if item.opened and (item.opened.step or last) <= step)
            yield step, len(so_far), sum(read.role == "required" for read in so_far), found


def search(suite: Suite, attempt: Attempt, steps: Sequence[Step]) -> Search | None:
    """The search of an attempt; None where the required files, or those that it opened, are not known.

    `steps` are those of its transcript; without them it is not known what it was shown. Source: the required files of
    the gold, with their matches and copies as they were found when the suite was built.
    """
    gold = suite.golds.get(attempt.task_id) if suite.has_gold else None
    seen = attempt.accesses
    if gold is None or not gold.discovery_known or not isinstance(seen, Measured | Estimated):
        return None
    mounts = suite.tasks[attempt.task_id].data
    room = mounts[0].room if len(mounts) == 1 else ""
    needed = [file for required in gold.required_files for file in _files(required)]
    wanted = [Wanted(file, file.room or room) for file in needed]
    reads = tuple(_read(access, wanted) for access in seen.files)
    clock = _Clock(steps)
    return Search(
        basis=seen.kind,
        sought=tuple(_sought(item, reads, steps, clock, _shared_names(gold)) for item in wanted),
        reads=reads,
        steps=max((step.index for step in steps), default=attempt.steps),
    )


def _files(required: RequiredFile) -> Iterator[RequiredFile]:
    """Of a pattern each of its matches, which are all required; else the file itself."""
    if not (required.glob and required.matches):
        yield required
        return
    for path in required.matches:
        copies = required.copies if len(required.matches) == 1 else ()
        yield required.model_copy(update={"path": path, "glob": False, "matches": (path,), "copies": copies})


def _read(access: FileAccess, wanted: Sequence[Wanted]) -> Read:
    opened = Opened(access, claimed=False)
    if any(item.is_meant(opened) for item in wanted):
        return Read(access, "required")
    found = [
        (like, item.file.path)
        for item in wanted
        if access.room in ("", item.room)
        for original in item.file.matches or (item.file.path,)
        if (like := likeness(access.path, original, item.file.copies)) is not None
    ]
    if not found:
        return Read(access, "other")
    role, of = min(found, key=lambda pair: NEAR_MISSES.index(pair[0]))
    return Read(access, role, of)


def _sought(
    item: Wanted, reads: Sequence[Read], steps: Sequence[Step], clock: _Clock, shared: frozenset[str]
) -> Sought:
    mine = [read.access for read in reads if item.is_meant(Opened(read.access, claimed=False))]
    first = min(mine, key=lambda access: access.step or 0, default=None)
    named = _naming([item.file.path, *item.file.matches], shared)
    shown = next((s.index for s in steps if any(named.search(call.output) for call in s.calls)), None)
    written = [s.index for s in steps if any(named.search(f"{call.path}\n{call.text}") for call in s.calls)]
    at = [access.step for access in mine if access.step is not None]
    last = max([*at, *written], default=None) if mine else None
    near = [read for read in reads if read.of == item.file.path and not mine]
    return Sought(
        room=item.room,
        path=item.file.path,
        listed=None if shown is None else clock.at(shown),
        opened=None if first is None else clock.at(first.step),
        used=None if not mine else clock.at(last),
        certain=first is not None and first.certain,
        instead=tuple(sorted(near, key=lambda read: NEAR_MISSES.index(read.role))),
    )


def _shared_names(gold: Gold) -> frozenset[str]:
    """Names that several required files have, which therefore do not tell them apart."""
    paths = [path for file in gold.required_files for path in (file.matches or (file.path,))]
    names = [posixpath.basename(path) for path in paths]
    return frozenset(name for name in names if names.count(name) > 1)


def _naming(paths: Sequence[str], shared: frozenset[str]) -> re.Pattern[str]:
    """A pattern for any of these files where a text names it: by its name, with its folder where others share it."""
    told = dict.fromkeys(
        "/".join(path.split("/")[-2:]) if posixpath.basename(path) in shared else posixpath.basename(path)
        for path in paths
        if not set(path) & set("*?")
    )
    if not told:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, told))})(?![\w-]|\.\w)")


class _Clock:
    """When steps began, counted from the first."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._begun = {step.index: step.started for step in steps if step.started is not None}
        self._first = min(self._begun.values(), default=0.0)

    def at(self, step: int | None) -> Moment:
        begun = None if step is None else self._begun.get(step)
        return Moment(step, None if begun is None else begun - self._first)
