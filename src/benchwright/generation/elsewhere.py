"""Drafts proved by a crew: a draft goes out as text, and its verdict comes back as text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchwright.closing import Closing
from benchwright.files import FileEntry, canonical_json, parse_json
from benchwright.generation.executing import Bench, Machine
from benchwright.generation.prover import Verdict, prove_draft
from benchwright.generation.trial import Room, Tools
from benchwright.generation.workflow import Draft, Material, Rejection
from benchwright.generation.writing import Proved
from benchwright.profiles.entries import FileProfile, entry_text
from benchwright.profiles.relations import KINDS
from benchwright.scoring.workers import Worker
from benchwright.spreading import Crew, Hand, Item, Spread


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Who looks at files and proves drafts instead of this machine, by which class, in which kind of sandbox."""

    spread: Spread
    hand: type[Hand]
    sandbox: str = "auto"


class SpreadProvers:
    """Has drafts proved by a crew."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew

    def prove(self, drafts: Sequence[tuple[Draft, Room]]) -> Iterator[Verdict]:
        """The verdicts in the drafts' order; errors are those of proving here."""
        for future in [self._crew.submit(Item(canonical_json(draft.to_json()))) for draft, _ in drafts]:
            told = parse_json(future.result(), "a node")
            proved, rejection = told["proved"], told["rejection"]
            yield Verdict(
                None if proved is None else Proved.from_json(proved, "a node"),
                None if rejection is None else Rejection.from_json(rejection, "a node"),
            )


class Prover(Closing):
    """Proves drafts that come as text, on whichever machine; `outputs` is where those of proved ones are left."""

    def __init__(self, machine: Machine, rooms: Mapping[str, Room], skills: Collection[str], outputs: Path) -> None:
        self._tools = Tools(Bench(machine), Worker(None))
        self._rooms, self._skills, self._outputs = rooms, skills, outputs

    def do(self, text: str) -> str:
        """The verdict on one draft."""
        draft = Draft.from_json(parse_json(text, "a draft"), "a draft")
        room = self._rooms[draft.room]
        verdict = prove_draft(draft, room, self._tools, self._skills, self._outputs / draft.name)
        parts = {"proved": verdict.proved, "rejection": verdict.rejection}
        return canonical_json({name: None if part is None else part.to_json() for name, part in parts.items()})

    def close(self) -> None:
        """End its sandboxes and its worker. Idempotent."""
        self._tools.bench.close()
        self._tools.worker.close()


def room_told(room: Room) -> dict[str, Any]:
    """What is known of a room, as JSON; its files stay where they lie."""
    material = room.material
    return {
        "room": material.room,
        "folder": str(material.folder.absolute()),
        "profiles": [entry_text(profile) for profile in material.profiles],  # as text: columns keep their order
        "relations": [relation.to_json() for relation in material.relations],
        "domain": material.domain,
        "index": [list(entry) for entry in room.index],
    }


def room_heard(told: Mapping[str, Any]) -> Room:
    """The room that was told of."""
    material = Material(
        room=told["room"],
        folder=Path(told["folder"]),
        profiles=tuple(FileProfile.from_json(parse_json(text, "a room"), "a room") for text in told["profiles"]),
        relations=tuple(KINDS[row["kind"]].from_json(row, "a room") for row in told["relations"]),
        domain=told["domain"],
    )
    return Room(material, tuple(FileEntry(*entry) for entry in told["index"]))
