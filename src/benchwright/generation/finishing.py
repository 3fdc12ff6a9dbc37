"""From the decisions of a generation to the suite folder that they make."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchwright.files import write_jsonl
from benchwright.generation.journal import Chosen, Drafted, Entry, Passed
from benchwright.generation.trial import Room
from benchwright.generation.writing import Kept, gold_of, labels_of, task_of
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.suites.required import RoomFiles

KEPT = "kept.jsonl"
"""Beside the journal: draft and proofs of every task."""


def finish(
    out: Path, work: Path, entries: Sequence[Entry], rooms: Mapping[str, Room], categories: Mapping[str, str]
) -> Suite:
    """Write the suite of the chosen drafts: its text files, and the gold files that their programs left."""
    kept = sorted(_kept(entries), key=lambda one: one.task_id)
    write_jsonl(work / KEPT, kept)
    for one in kept:
        for name in one.proved.files:
            place = out / "gold" / "files" / one.task_id / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(work / "outputs" / one.draft.name / name, place)
    files = {name: RoomFiles(room.index) for name, room in rooms.items()}
    return Suite.write(
        out,
        _info(out, rooms),
        [task_of(one.draft, one.task_id) for one in kept],
        [labels_of(one.draft, one.proved, one.task_id, categories) for one in kept],
        [gold_of(one.draft, one.proved, one.task_id, files[one.draft.room]) for one in kept],
    )


def _kept(entries: Sequence[Entry]) -> Iterator[Kept]:
    drafts = {entry.draft.name: entry.draft for entry in entries if isinstance(entry, Drafted)}
    proved = {entry.proved.draft: entry.proved for entry in entries if isinstance(entry, Passed)}
    for entry in entries:
        if isinstance(entry, Chosen):
            yield Kept(task_id=entry.task_id, draft=drafts[entry.draft], proved=proved[entry.draft])


def _info(out: Path, rooms: Mapping[str, Room]) -> SuiteInfo:
    letters = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in out.name.lower())
    return SuiteInfo(
        name=letters.lstrip("_0123456789")[:64] or "suite",
        title=f"Generated from {len(rooms)} rooms" if len(rooms) > 1 else f"Generated from {next(iter(rooms))}",
        source="benchwright generate",
        rooms={name: RoomInfo.of_index(room.index) for name, room in rooms.items()},
    )
