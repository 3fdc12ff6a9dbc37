"""OpenHands: events of its software agent SDK, in a file or a folder, and trajectories of the versions before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchwright.importers.base import log_files
from benchwright.importers.log_file import LogFile
from benchwright.importers.openhands.early import Early
from benchwright.importers.openhands.events import Events
from benchwright.importers.openhands.folder import EventFolder, event_folders, is_part, parts_of
from benchwright.importers.values import items, mapping, text
from benchwright.trajectory import Trajectory


class OpenHands:
    """Reads OpenHands' logs, whatever their form."""

    name = "openhands"
    keeps_folder = True

    def parse(self, path: Path) -> tuple[Trajectory, ...]:
        """See `Importer.parse`; a folder that holds each event in a file of its own is one log, with what sub-agents
        did in folders beside it.
        """
        log = EventFolder(path) if path.is_dir() else LogFile(path)
        kept = _readers(log)
        for part in parts_of(path) if len(kept) == 1 else ():
            for inside in _readers(EventFolder(part)):
                kept[0].draft.add(inside.draft)
        return tuple(reader.finished(log.notes) for reader in kept)

    def find(self, folder: Path) -> Iterator[Path]:
        """The folders of events in a folder, and every other file that may be a log; those of sub-agents are part of
        their conversation's.
        """
        inside = tuple(event_folders(folder))
        yield from (path for path in inside if not is_part(path))
        kept = {path.parent for path in inside} | set(inside)
        yield from (path for path in log_files(folder) if path.parent not in kept)

    def handed_in(self, _path: Path) -> Mapping[str, Path]:
        """No output files lie beside OpenHands' logs."""
        return {}


def _readers(log: EventFolder | LogFile) -> list[Events | Early]:
    """The conversations of a log that tell of anything."""
    readers: list[Events | Early] = []
    for event, around in _events(log.values()):
        form = _form(event)
        if form is None:
            continue
        if not readers or not isinstance(readers[-1], form) or readers[-1].begins(event, around):
            readers.append(form(around))
        readers[-1].take(event)
    return [reader for reader in readers if not reader.draft.empty or reader.draft.ending is not None]


def _events(values: Iterator[Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Every event with the record around it: lines of evaluations hold the whole `history` of an attempt."""
    for value in values:
        record = mapping(value)
        if isinstance(record.get("stats"), dict) and "agent" in record:  # the state that a conversation's folder keeps
            record = {"kind": "ConversationStateUpdateEvent", "key": "full_state", "value": record}
        inside = next((record[name] for name in ("history", "trajectory", "events") if _listed(record.get(name))), None)
        if inside is None:
            yield record, {}
            continue
        for event in inside:
            for part in event if isinstance(event, list) else (event,):  # early histories pair action and observation
                yield mapping(part), record


def _listed(value: object) -> bool:
    return bool(items(value))


def _form(event: Mapping[str, Any]) -> type[Events | Early] | None:
    if text(event.get("kind")).endswith(("Event", "Observation")) or "llm_message" in event or "system_prompt" in event:
        return Events
    return Early if isinstance(event.get("action"), str) or isinstance(event.get("observation"), str) else None
