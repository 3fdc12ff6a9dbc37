"""Drafts of tasks that a node of a cluster proves in sandboxes of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchwright.generation.elsewhere import Prover, room_heard
from benchwright.generation.executing import Machine
from benchwright.live.opening import close_sandboxes, open_sandbox
from benchwright.run.records import SandboxChoice


class Prove(Prover):
    """One that is made of JSON: `rooms` as `room_told` tells them, `hidden` folders that must not show in sandboxes."""

    together = False

    def __init__(
        self,
        rooms: Sequence[Mapping[str, Any]],
        skills: Sequence[str],
        outputs: str,
        hidden: Sequence[str],
        sandbox: SandboxChoice,
    ) -> None:
        known = {room.material.room: room for room in map(room_heard, rooms)}
        machine = Machine(lambda spec: open_sandbox(spec, sandbox), hidden=tuple(map(Path, hidden)))
        super().__init__(machine, known, frozenset(skills), Path(outputs))

    def close(self) -> None:
        """End its sandboxes, and all of this process. Idempotent."""
        super().close()
        close_sandboxes()
