"""The journal of a generation: every decision one line, appended, so that a killed one goes on where it stood."""

from __future__ import annotations

import fcntl
import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeVar, get_args

from benchwright.closing import Closing
from benchwright.errors import InputError
from benchwright.files import Tagged, canonical_json, scan_jsonl
from benchwright.generation.workflow import Draft, Rejection
from benchwright.generation.writing import Proved

VERSION = 4
"""Raised whenever the same begin would be followed by other decisions."""


class Began(Tagged):
    """What the decisions depend on; `rooms` are digests of their files by name, `skills` one of the skills.

    `relations` is the digest of the file of reviewed ones, empty without one.
    """

    kind: Literal["began"] = "began"
    version: int
    tasks: int
    seed: int
    writer: str
    rooms: dict[str, str]
    skills: str
    relations: str = ""


class Drafted(Tagged):
    """A writer gave a draft."""

    kind: Literal["drafted"] = "drafted"
    round: int
    draft: Draft


class Refused(Tagged):
    """A draft, or a writer's try at one, was refused; `by` tells where."""

    kind: Literal["refused"] = "refused"
    round: int
    room: str
    by: Literal["writer", "duplicate", "proof"]
    rejection: Rejection


class Written(Tagged):
    """A writer had no more drafts for a room in this round."""

    kind: Literal["written"] = "written"
    round: int
    room: str


class Passed(Tagged):
    """A draft passed every proof."""

    kind: Literal["passed"] = "passed"
    round: int
    proved: Proved


class Chosen(Tagged):
    """A proved draft became a task."""

    kind: Literal["chosen"] = "chosen"
    draft: str
    task_id: str


class Ended(Tagged):
    """Nothing more is to be done; why."""

    kind: Literal["ended"] = "ended"
    why: str


Entry = Began | Drafted | Refused | Written | Passed | Chosen | Ended
KINDS: dict[str, type[Entry]] = {each.model_fields["kind"].default: each for each in get_args(Entry)}
E = TypeVar("E", bound=Tagged)
F = TypeVar("F", bound=Tagged)


class Journal(Closing):
    """Decisions in their order: those that were made before are told again, then new ones are appended.

    Whoever makes the decisions makes them in one order, whatever is done side by side: a journal that was cut off
    anywhere is then the beginning of the whole one.
    """

    def __init__(self, path: Path, began: Began) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._held, self._file = _alone(path.with_suffix(".lock")), -1
        self.entries: list[Entry] = []
        try:
            self._before = deque(_entries(path))
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            first = self.again(Began)
            if first is None:
                self.decided(began)
            else:
                _same_begin(path, first, began)
        except BaseException:
            self.close()
            raise

    @property
    def replaying(self) -> bool:
        """Whether decisions of an earlier sitting are still to be told again."""
        return bool(self._before)

    def again(self, kind: type[E], other: type[F] | None = None) -> E | F | None:
        """The next decision, where it was made before and is of one of these kinds; else None."""
        if not self._before or not isinstance(self._before[0], (kind, other or kind)):
            return None
        entry = self._before.popleft()
        self.entries.append(entry)
        return entry  # type: ignore[return-value]  # mypy does not take over what is known of the first one

    def decided(self, entry: Entry) -> None:
        """Write a decision down, or see that it is the one that was made before. Errors: InputError where it is not."""
        if not self._before:
            self._append(entry)
        elif self.again(type(entry)) != entry:
            raise InputError(
                f"{self._path}: decision {len(self.entries)} does not follow from those before it",
                expected=_shown(canonical_json(entry.to_json())),
                hint="another version wrote it: generate into another folder",
            )

    def _append(self, entry: Entry) -> None:
        line = canonical_json(entry.to_json()).encode("utf-8", "backslashreplace") + b"\n"
        while line:
            line = line[os.write(self._file, line) :]
        self.entries.append(entry)

    def close(self) -> None:
        """Close the file, and let others go on with it. Idempotent."""
        for opened in (self._file, self._held):
            if opened >= 0:
                os.close(opened)
        self._file = self._held = -1


def _alone(path: Path) -> int:
    """The open lock of this process; it goes with the process, whatever its children do."""
    held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.lockf(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(held)
        raise InputError(
            f"{path.parent.parent.parent} is being generated", found="another process", hint="wait until it ends"
        ) from error
    return held


def read_journal(path: Path) -> Iterator[Entry]:
    """The decisions of a journal, without changing it; an InputError names the line that is none."""
    for line in scan_jsonl(path):
        kind = KINDS.get(str(line.value.get("kind"))) if isinstance(line.value, dict) else None
        if kind is None:
            raise InputError(f"{path}, line {line.number}: no decision", found=line.error or str(line.value)[:80])
        yield kind.from_json(line.value, f"{path}, line {line.number}")


def _entries(path: Path) -> list[Entry]:
    """What an earlier sitting decided; a line that its end cut off is taken away."""
    if not path.is_file():
        return []
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)
    return list(read_journal(path))


def _same_begin(path: Path, first: Began, began: Began) -> None:
    """Decisions go on only from the same material, skills, seed, writer and number of tasks."""
    if first == began:
        return
    changed = [name for name in Began.model_fields if getattr(first, name) != getattr(began, name)]
    raise InputError(
        f"{path.parent.parent.parent} was begun with other {', '.join(changed)}",
        found="; ".join(f"{name} {_shown(getattr(began, name))}" for name in changed),
        expected="; ".join(f"{name} {_shown(getattr(first, name))}" for name in changed),
        hint="give the same, or generate into another folder",
    )


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
