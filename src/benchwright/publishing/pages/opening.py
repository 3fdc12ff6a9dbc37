"""Files of agents, opened in a process of their own: what breaks it costs one exhibit."""

from __future__ import annotations

from benchwright.closing import Closing
from benchwright.files import canonical_json, parse_json
from benchwright.pipes import exit_text
from benchwright.process import Process, WorkLimits
from benchwright.publishing.pages.exhibits import Exhibit, NotShown, Showing

LIMITS = WorkLimits(seconds=20.0, memory_mb=2048)


class Opener(Closing):
    """One process that opens files, started when first needed. For one thread at a time."""

    def __init__(self, limits: WorkLimits = LIMITS) -> None:
        self.limits = limits
        self._process = Process("benchwright.publishing.pages.opener", (), limits)

    def exhibit(self, showing: Showing) -> Exhibit:
        """What a file holds; where the process dies or takes too long, that, in its place."""
        try:
            self._process.hand_in(canonical_json(showing.model_dump(mode="json")).encode("utf-8", "replace") + b"\n")
            if answer := self._process.next():
                told = parse_json(answer.decode("utf-8", "replace"), "opener")
                return Exhibit.from_json(told["exhibit"], "opener")
            why = f"the process that opened it died ({exit_text(self._process.end(died=True))})"
        except TimeoutError:
            self._process.end()
            why = f"it takes more than {self.limits.seconds:g} seconds to open"
        return Exhibit(name=showing.name, output=showing.output, found=NotShown(reason=why))

    def close(self) -> None:
        """End the process. Idempotent."""
        self._process.close()
