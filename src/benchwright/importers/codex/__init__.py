"""Codex: what `codex exec --json` prints, in its old and its new form, and rollout files of its sessions folder."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchwright.importers.base import DraftCall, DraftStep, log_files
from benchwright.importers.codex.events import Events
from benchwright.importers.codex.folder import is_part, parts_of
from benchwright.importers.codex.reader import Reader
from benchwright.importers.codex.rollout import Rollout
from benchwright.importers.log_file import LogFile
from benchwright.importers.values import mapping
from benchwright.trajectory import Trajectory, Usage

_DEEPEST = 4
"""Sub-agents that send sub-agents."""


class Codex:
    """Reads Codex's logs, whatever their form."""

    name = "codex"
    keeps_folder = False

    def parse(self, path: Path) -> tuple[Trajectory, ...]:
        """See `Importer.parse`; what sub-agents did, in rollouts beside a session's, is part of it."""
        log = LogFile(path)
        readers = _readers(log)
        if len(readers) == 1:
            _with_parts(readers[0], path, _DEEPEST)
        return tuple(
            reader.finished(log.notes) for reader in readers if not reader.draft.empty or reader.ended or reader.failure
        )

    def find(self, folder: Path) -> Iterator[Path]:
        """Every file of a folder that may be a log of its own: those of sub-agents are part of their session's."""
        yield from (path for path in log_files(folder) if not is_part(path))

    def handed_in(self, _path: Path) -> Mapping[str, Path]:
        """No output files lie beside Codex's logs."""
        return {}


def _readers(log: LogFile) -> list[Reader]:
    """The sessions of a log."""
    readers: list[Reader] = []
    for value in log.values():
        line = mapping(value)
        kind = _form(line)
        if kind is None and not readers:
            continue
        if not readers or readers[-1].begins(line):
            readers.append((kind or Events)())
        readers[-1].take(line)
    return readers


def _with_parts(reader: Reader, path: Path, deepest: int) -> None:
    """Add what the sub-agents did that a session sent, without the history that they took over from it."""
    draft = reader.draft
    if not reader.sent or not deepest:
        return
    for part in parts_of(path, draft.session):
        inside = next(iter(_readers(LogFile(part))), None)
        if inside is None:
            continue
        _with_parts(inside, part, deepest - 1)
        pairs = zip(map(_said, draft.steps), map(_said, inside.draft.steps), strict=False)
        taken_over = len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))
        draft.calls = {**inside.draft.calls, **draft.calls}
        draft.steps += inside.draft.steps[taken_over:]
        spent = inside.totals.beyond(reader.totals) if inside.totals.told else Usage(uncounted_calls=1)
        draft.usage = (draft.usage or Usage()).plus(spent)
        sent_before = sum(_sends(call) for step in inside.draft.steps[:taken_over] for call in step.calls)
        reader.sent += inside.sent - sent_before - 1


def _sends(call: DraftCall) -> bool:
    return call.tool == "spawn_agent" and not call.is_error


def _said(step: DraftStep) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a step is known by."""
    return tuple(step.texts), tuple(call.id for call in step.calls)


def _form(line: Mapping[str, Any]) -> type[Reader] | None:
    """The form that a line is of; None where it tells nothing."""
    kind = line.get("type")
    if isinstance(line.get("msg"), dict) or "workdir" in line or "prompt" in line:
        return Events
    if not isinstance(kind, str):
        return Rollout if {"id", "timestamp"} <= line.keys() else None
    return Events if "." in kind or kind == "error" else Rollout
