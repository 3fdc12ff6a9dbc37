"""The real program beside a cluster: begun, watched while nodes work for it, ended."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from .nodes import Nodes

PROGRAM = [sys.executable, "-c", "from benchwright.cli import main; main()"]
LONGEST = 600.0

STARTED: list[subprocess.Popen[str]] = []
HOLDS: list[Hold] = []
"""What a test has started, and the nodes that it holds."""


class Hold:
    """All processes in which a node opens files, stopped; those that it begins later, before they have begun anything."""

    def __init__(self, cluster: Nodes, number: int, first: psutil.Process) -> None:
        self._cluster, self._number, self.stopped = cluster, number, [first]
        first.suspend()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Let them go on that are still there: Ray ends those of what has died, at some time."""
        self._over.set()
        self._thread.join()
        for each in self.stopped:
            with suppress(psutil.NoSuchProcess):
                each.resume()

    def _watch(self) -> None:
        while not self._over.wait(0.05):
            for part in self._cluster.parts(self._number):
                if part not in self.stopped:
                    with suppress(psutil.NoSuchProcess):
                        part.suspend()
                    self.stopped.append(part)


def end_started() -> None:
    """Whatever becomes of a test, what it has started ends, and what it has stopped goes on."""
    let_go(*(hold.stopped[0] for hold in HOLDS))
    while STARTED:
        each = STARTED.pop()
        each.kill()
        each.wait()
        each.stderr.close()


def let_go(*firsts: psutil.Process) -> None:
    """Let nodes go on that are held, told by the process that `held` has returned."""
    for hold in [hold for hold in HOLDS if hold.stopped[0] in firsts]:
        HOLDS.remove(hold)
        hold.end()


def begun(
    *arguments: object, environment: dict[str, str] | None = None, inside: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """The command, on a host of its own by what it begins with `inside`; what it prints does not wait for a reader."""
    command, variables = [*inside, *PROGRAM, *map(str, arguments)], os.environ | (environment or {})
    with tempfile.NamedTemporaryFile(prefix="benchwright-", delete=False) as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True, env=variables)
    process.printed = Path(out.name)
    STARTED.append(process)
    return process


def ended(process: subprocess.Popen[str], code: int = 0) -> tuple[str, str]:
    """What it has printed, and what it has said."""
    _, said = process.communicate(timeout=LONGEST)
    out = process.printed.read_text()
    process.printed.unlink()
    assert process.returncode == code, said
    assert "Traceback" not in said
    return out, said


def killed(process: subprocess.Popen[str]) -> None:
    """It has no time for anything."""
    process.kill()
    process.communicate(timeout=LONGEST)
    process.printed.unlink()


def at_work(cluster: Nodes, number: int, process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The processes in which a node opens files, as soon as there are any: of its first items none is done then."""
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        if parts := cluster.parts(number):
            return parts
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    raise AssertionError(f"node {number} does nothing")


def held(cluster: Nodes, number: int, process: subprocess.Popen[str]) -> psutil.Process:
    """The first process in which a node opens files. None of what the node has begun can be done until it is let go or
    killed, so that there is something left for others however late they come."""
    (first, *_) = at_work(cluster, number, process)
    HOLDS.append(Hold(cluster, number, first))
    return first


def all_end(*processes: psutil.Process) -> bool:
    """Whether these end."""
    return not psutil.wait_procs(processes, timeout=LONGEST)[1]
