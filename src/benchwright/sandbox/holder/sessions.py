"""The two programs that live from call to call: a shell and a Python."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Final

from benchwright.sandbox.holder.plan import Plan
from benchwright.sandbox.holder.processes import Family, kill
from benchwright.sandbox.holder.programs import OutOfMemoryOrder, Program, Start, start

_CHUNK: Final = 1 << 16
INTERPRETER: Final = "/opt/benchwright/interpreter.py"

SHELL_LOOP: Final = r"""
while IFS= builtin read -r -d '' -u 3 __benchwright_text; do
  builtin eval "$__benchwright_text" </dev/null 3<&- 4>&-
  __benchwright_code=$?
  builtin disown -a
  builtin printf '%d\n' "$__benchwright_code" >&4
done
"""
"""Texts end in NUL on descriptor 3, exit codes go out on 4; what the texts start inherits neither.

Background jobs are disowned because they are killed when the call ends, which the shell would report at the next.
"""

ENDED: Final = {
    "shell": b"[the shell ended; a new one starts at the next call, in /workspace and without its variables]\n",
    "python": b"[the Python process ended; a new one starts at the next call, without its variables]\n",
}


class Session:
    """One of them; started at its first call, and again after it died."""

    def __init__(self, kind: str, plan: Plan, family: Family, order: OutOfMemoryOrder) -> None:
        self.kind = kind
        self.program: Program | None = None
        self._plan, self._family, self._order = plan, family, order

    def running(self) -> Program:
        """The live program, about to be given a request: what it said too late for the last one is forgotten."""
        if self.program is None:
            self.program = start(self._how(), self._order)
            self._family.adopt(self.program.pid)
        else:
            _discard(self.program.pipes.replies)
            self._signal(signal.SIGCONT)
        return self.program

    def stop(self) -> None:
        """Let nothing of it run until its next request: neither threads nor code after an answer that it forged."""
        self._signal(signal.SIGSTOP)

    def _signal(self, number: int) -> None:
        if self.program is not None:
            with suppress(ProcessLookupError):
                os.kill(self.program.pid, number)

    def _how(self) -> Start:
        environment = self._plan.environment
        if self.kind == "shell":
            return Start(("bash", "--noprofile", "--norc", "-c", SHELL_LOOP, "bash"), environment, session=True)
        return Start((self._plan.python, INTERPRETER), environment, session=True)

    def framed(self, text: bytes) -> bytes:
        """A request as this program reads it."""
        if self.kind == "shell":
            return text.replace(b"\0", b"") + b"\0"
        return b"%d\n" % len(text) + text

    def end(self) -> None:
        """Kill the program, if there is one, and forget it."""
        program, self.program = self.program, None
        if program is None:
            return
        kill([program.pid])
        self._family.disown(program.pid)
        program.close()

    def dead(self) -> int | None:
        """Its exit code, if it ended by itself."""
        return None if self.program is None else self._family.exits.get(self.program.pid)


def read_code(line: bytes) -> int:
    """The exit code in an answer; what cannot be one counts as 1 (the agent's code can write there, too)."""
    text = line.split(b"\n", 1)[0].strip()
    return int(text) if text.isdigit() and len(text) <= 3 else 1


def _discard(descriptor: int) -> None:
    with suppress(BlockingIOError):
        while os.read(descriptor, _CHUNK):
            pass


def pour(descriptor: int, waiting: bytearray) -> bool:
    """Write what the pipe takes now; whether there is nothing more to do."""
    try:
        del waiting[: os.write(descriptor, waiting[:65536])]
    except BlockingIOError:
        return False
    except OSError:
        return True  # the program does not read any more
    return not waiting
