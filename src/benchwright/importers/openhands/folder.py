"""Folders in which OpenHands keeps a conversation: each event in a file of its own, the state beside them."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchwright.errors import InputError
from benchwright.importers.log_file import LogFile

_EVENT = re.compile(r"^(?:event-)?(\d{1,9})(?:-[^/]*)?\.json$")
_STATE = "base_state.json"
_MOST_EVENTS = 100_000
_PARTS = "subagents"
_MOST_PARTS = 1000


def event_folders(folder: Path) -> Iterator[Path]:
    """The folders of events in a folder, itself among them."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        kept_so = Path(parent).name == "events" or any(name.startswith("event-") for name in names)
        if kept_so and any(map(_EVENT.match, names)):
            folders.clear()
            yield Path(parent)


def is_part(path: Path) -> bool:
    """Whether a folder of events is that of a sub-agent, below the conversation that sent it."""
    return any(parent.name == _PARTS and (parent.parent / "events").is_dir() for parent in path.parents)


def parts_of(path: Path) -> Iterator[Path]:
    """The folders of events of a conversation's sub-agents; none of a single file."""
    if path.is_dir():
        conversation = next(event_folders(path), path).parent
        yield from itertools.islice(event_folders(conversation / _PARTS), _MOST_PARTS)


@dataclass(slots=True)
class EventFolder:
    """A conversation's events in the order of their numbers, and then its state; `notes` as those of a log's file."""

    path: Path
    notes: list[str] = field(default_factory=list)

    def values(self) -> Iterator[Any]:
        """Every event. Errors: InputError where the folder cannot be read."""
        try:
            inside = next(event_folders(self.path), self.path)
            found = {path: match for path in inside.iterdir() if (match := _EVENT.match(path.name))}
        except OSError as error:
            raise InputError(f"cannot read {self.path}", found=error.strerror or str(error)) from error
        events = sorted(found, key=lambda path: (int(found[path].group(1)), path.name))
        if len(events) > _MOST_EVENTS:
            self.notes.append(f"more than {_MOST_EVENTS:,} events: the rest is left out")
        for path in (*events[:_MOST_EVENTS], inside.parent / _STATE, inside / _STATE):
            if path.is_file() and not path.is_symlink():
                log = LogFile(path)
                yield from log.values()
                self.notes += [note for note in log.notes if note not in self.notes]
