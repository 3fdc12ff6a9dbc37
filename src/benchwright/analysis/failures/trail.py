"""What a transcript tells of an attempt's troubles: calls that failed, that timed out, and what was never repaired."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from benchwright.trajectory import Call, Step

_SHOWN = 300
"""Characters of a message that are kept as evidence."""
_TIMED_OUT = re.compile(
    r"\btimed[ -]?out\b|\btime ?limit\b|\btimeout (?:expired|exceeded|of|after)\b|\btimeout(?:error|expired)\b",
    re.IGNORECASE,
)
_LOOKED_AT = 2_000
"""Characters at either end of an output in which a harness says that it ended a call."""
_UNREAD = 3
"""So many replies in a row that led to nothing are a failure to speak as the harness reads it."""


@dataclass(frozen=True)
class Trail:
    """An attempt's steps. `harness` is empty where we ran the calls ourselves, and say which limit ended them."""

    steps: Sequence[Step]
    harness: str = ""

    @cached_property
    def working(self) -> tuple[Step, ...]:
        """The steps in which something was run, rather than said or handed in."""
        return tuple(step for step in self.steps if any(call.kind != "submit" for call in step.calls))

    @cached_property
    def timeouts(self) -> tuple[tuple[int, Call], ...]:
        """Calls that their time limit ended, with their steps."""
        return tuple((step.index, call) for step in self.steps for call in step.calls if self.timed_out(call))

    def timed_out(self, call: Call) -> bool:
        """Whether its time limit ended a call: by what ran it, else by the words of a call of others that failed."""
        if call.limit or not self.harness:
            return call.limit == "step"
        said = call.output[:_LOOKED_AT] + "\n" + call.output[-_LOOKED_AT:]
        return failed(call) and _TIMED_OUT.search(said) is not None

    @cached_property
    def failed_steps(self) -> int:
        """Steps in which something failed."""
        return sum(any(map(failed, step.calls)) for step in self.steps)

    @cached_property
    def unrepaired(self) -> tuple[tuple[int, Call], ...]:
        """The last failed call of each step after the last step that succeeded: errors that nothing came after."""
        tail: list[tuple[int, Call]] = []
        for step in reversed(self.working):
            troubles = [call for call in step.calls if failed(call)]
            if not troubles:
                break
            tail.append((step.index, troubles[-1]))
        return tuple(reversed(tail))

    @cached_property
    def unread(self) -> tuple[Step, ...]:
        """The steps without any call with which the attempt ends, where there are three or more."""
        tail: list[Step] = []
        for step in reversed(self.steps):
            if step.calls:
                break
            tail.append(step)
        return tuple(reversed(tail)) if len(tail) >= _UNREAD else ()


def failed(call: Call) -> bool:
    """Whether a call failed. Exit code 1 without a word is how programs answer no (grep, diff, test)."""
    quiet = call.exit_code == 1 and not call.output.strip() and not call.limit
    return bool(call.is_error or call.exit_code) and not quiet


def message_of(call: Call) -> str:
    """The line in which a call says what went wrong, cut; else what was run."""
    lines = [line.strip() for line in call.output.splitlines() if line.strip()]
    told = [line for line in lines if re.match(r"[\w.]*(?:Error|Exception|Timeout\w*)\b", line)] or lines
    return cut(told[-1] if told else call.text.strip())


def cut(text: str) -> str:
    """A text as evidence holds it: in one line, not too long."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 4]} ..."
