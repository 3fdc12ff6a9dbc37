"""Several tables measured one by one on this machine, or side by side wherever a spread takes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from benchwright.closing import Closing
from benchwright.errors import InputError
from benchwright.files import parse_json
from benchwright.pipes import exit_text
from benchwright.process import Process, WorkLimits
from benchwright.profiles.base import Profile
from benchwright.profiles.measure import profile_file
from benchwright.spreading import Item, Spread, Work, spread_over

_LIMITS = WorkLimits(seconds=3600.0, memory_mb=8192)
"""For one table of any size: whoever names a file alone waits for it."""


class Measure(Closing):
    """Measures tables whose paths come as text, on whichever machine, in a process of its own there."""

    together = False

    def __init__(self) -> None:
        self._process = Process("benchwright.profiles.worker", limits=_LIMITS)

    def do(self, text: str) -> str:
        """The profile of one table; InputError where there is none."""
        path = parse_json(text, "a table")
        try:
            self._process.hand_in(json.dumps({"measured": path}).encode() + b"\n")
            line = self._process.next()
        except TimeoutError:
            self._process.end()
            raise InputError(f"{path} cannot be read", found=f"time limit of {_LIMITS.seconds:g} seconds") from None
        if not line:
            how = exit_text(self._process.end(died=True))
            raise InputError(f"{path} cannot be read", found=f"the process that measured it died ({how})")
        told = parse_json(line.decode(), "profiles worker")
        if "wrong" in told:
            raise InputError(**told["wrong"])
        return str(told["profile"])

    def close(self) -> None:
        """End the process. Idempotent."""
        self._process.close()


def profile_each(paths: Sequence[Path], spread: Spread | None = None) -> list[Profile]:
    """The profiles of tables, in their order. Errors: those of `profile_file`, of the first that has one."""
    if spread is None or not paths:
        return [profile_file(path) for path in paths]
    items = [Item(json.dumps(str(path.absolute())), (path.absolute(),)) for path in paths]
    texts = spread_over(spread, Work(Measure, noun="tables"), items)
    return [Profile.from_json(parse_json(text, "a node"), "a node") for text in texts]
