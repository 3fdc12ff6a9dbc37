"""A program of ours that opens hostile files: a process of its own, asked in lines and answering in lines."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from benchwright.closing import Closing
from benchwright.errors import EnvironmentFault
from benchwright.pipes import Lines, exit_text, hand_in

_START_SECONDS = 120.0
_DYING_SECONDS = 10.0
"""Within which a process that closed its output has ended by itself, also on a busy machine."""
_STARTS = 3
"""Starts until one that was killed from outside is an error: a kernel without memory says nothing of the program."""
_COMPLAINT_BYTES = 1 << 16
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "PYTHONPATH", "VIRTUAL_ENV", "BENCHWRIGHT_HOME")
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1")


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """What such a program may take: `seconds` an answer, `memory_mb` of data a process."""

    seconds: float = 120.0
    memory_mb: int = 4096


DEFAULT_LIMITS = WorkLimits()


class Process(Closing):
    """One process of a module of ours, started when first needed and again after it died. For one thread at a time."""

    def __init__(self, module: str, arguments: tuple[str, ...] = (), limits: WorkLimits = DEFAULT_LIMITS) -> None:
        self.module, self.arguments, self.limits = module, arguments, limits
        self._process: subprocess.Popen[bytes] | None = None
        self._lines = Lines(-1)
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process

    def hand_in(self, line: bytes) -> None:
        """Ask something, in one line. TimeoutError where the process does not take it in time."""
        process = self._process or self._start()
        hand_in(process, line, self._deadline())

    def next(self) -> bytes:
        """The next line of its answer, empty where it is gone. TimeoutError where there is none in time."""
        return self._lines.next(self._deadline())

    def end(self, *, died: bool = False) -> int:
        """Kill the process and all it started; returns how it ended, `died`: by itself."""
        process, self._process = self._process, None
        if process is None:
            return 0
        if died:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_DYING_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        return process.wait()

    def last_complaint(self, count: int) -> str:
        """The last lines that the process wrote to stderr, which is emptied."""
        size = self._complaints.seek(0, os.SEEK_END)
        self._complaints.seek(max(0, size - _COMPLAINT_BYTES))
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        self._complaints.truncate(0)
        self._complaints.seek(0)  # the process shares the place where it writes
        return "; ".join(line.strip() for line in lines[-count:]) or "no message"

    def close(self) -> None:
        """End the process for good. Idempotent."""
        self.end()
        self._complaints.close()

    def _deadline(self) -> float:
        return time.monotonic() + self.limits.seconds

    def _start(self) -> subprocess.Popen[bytes]:
        code = -signal.SIGKILL
        for _ in range(_STARTS):
            process, silent = self._launch(), False
            try:
                if self._lines.next(time.monotonic() + _START_SECONDS):
                    return process
            except TimeoutError:
                silent = True
            code = self.end(died=True)
            if silent or code != -signal.SIGKILL:
                break
        raise EnvironmentFault(
            f"the process of {self.module.rpartition('.')[0]} did not start",
            found=f"{exit_text(code)}: {self.last_complaint(4)}",
            expected=f"python -m {self.module} to say that it is ready",
        )

    def _launch(self) -> subprocess.Popen[bytes]:
        limits = (str(self.limits.memory_mb), str(self.limits.seconds))
        self._process = process = subprocess.Popen(
            # -P: a file of the working folder must not pass for a module
            [sys.executable, "-P", "-m", self.module, *self.arguments, *limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            # No keys: what opens hostile files does not need them.
            env={name: os.environ[name] for name in _KEPT if name in os.environ}
            | _ONE_THREAD
            | {"PYTHONHASHSEED": "0"},
            bufsize=0,
            start_new_session=True,
        )
        assert process.stdout is not None
        self._lines = Lines(process.stdout.fileno())
        return process
